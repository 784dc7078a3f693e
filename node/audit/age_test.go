package audit

import (
	"path/filepath"
	"testing"
	"time"
)

// A node that writes little never fills a file; its old lines go all the same.
func TestLinesOfAQuietLogGoAfterNinetyDaysAndAWeek(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	now := noon
	options := Options{Now: func() time.Time { return now }}
	log := open(t, path, options)
	kept := func(lines int, since time.Time) {
		t.Helper()
		got, err := log.Verify()
		if err != nil || got.Lines != lines || lines > 0 && !got.Since.Equal(since) {
			t.Errorf("%d days on: %+v, %v, want %d lines since %v", int(now.Sub(noon).Hours()/24), got, err, lines, since)
		}
	}
	const day = 24 * time.Hour
	for n := range 30 { // one line in four days
		now = noon.Add(time.Duration(n) * 4 * day)
		write(t, log, numbered(n+1, n+1)...)
		if n == 22 {
			kept(23, noon) // all of 88 days
		}
	}
	// 116 days: what is in one file goes together, the first two lines with their week.
	kept(24, noon.Add(24*day))
	if lines, err := log.Tail(100); err != nil || len(lines) != 24 || *lines[0].What != "line-7" {
		t.Errorf("the tail is %+v, %v", lines, err)
	}
	// Nobody writes for long, and then the node starts.
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(300 * day)
	log = open(t, path, options)
	kept(0, time.Time{})
	write(t, log, numbered(31, 32)...)
	kept(2, now)
	if lines, err := log.Tail(1); err != nil || len(lines) != 1 || lines[0].Seq != 32 {
		t.Errorf("the chain goes on with %+v, %v", lines, err)
	}
	// Or runs on, and then writes.
	now = noon.Add(500 * day)
	write(t, log, numbered(33, 33)...)
	kept(1, now)
}
