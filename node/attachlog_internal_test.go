package node

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/audit"
)

// Whatever a terminal still sends to a log that is closed or refuses is not kept,
// and nothing runs on for it.
func TestALogOfAnAttachedTerminalThatCannotBeWrittenKeepsNothingAndRests(t *testing.T) {
	t.Parallel()
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.log"), audit.Options{Content: audit.Preview})
	if err != nil {
		t.Fatal(err)
	}
	failures := 0
	a := &attachLog{log: log, action: "pane.keys", id: "p1", fail: func(error) { failures++ }}
	for range 2 { // the second has no line yet
		if err := a.note([]string{"•"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	a.close()
	a.turn() // one that had begun when it was closed
	if a.busy || failures != 1 {
		t.Errorf("it goes on: %v, after %d failures", a.busy, failures)
	}
	kept := len(a.keys)
	if err := a.note([]string{"•"}); !errors.Is(err, api.ErrAuditUnavailable) || len(a.keys) != kept {
		t.Errorf("%v, and of %d keys it keeps %d", err, kept, len(a.keys))
	}
}

// BenchmarkAttachedKey is what the log costs a key, beside a line of its own for
// each key that waits for the disk.
func BenchmarkAttachedKey(b *testing.B) {
	log, err := audit.Open(filepath.Join(b.TempDir(), "audit.log"), audit.Options{Content: audit.Preview})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	a := &attachLog{log: log, action: "pane.keys", id: "p1", fail: func(err error) { b.Error(err) }}
	defer a.close()
	var own time.Duration
	n := 0
	for b.Loop() {
		if err := a.note([]string{"•"}); err != nil {
			b.Fatal(err)
		}
		if n++; n%1000 == 1 { // now and then, for it is slow
			b.StopTimer()
			began := time.Now()
			if err := log.Write(audit.Entry{Action: "pane.keys", Pane: "p1", Outcome: "accepted"}); err != nil {
				b.Fatal(err)
			}
			own += time.Since(began)
			b.StartTimer()
		}
	}
	each := float64(own) / float64((n+999)/1000)
	b.ReportMetric(each/(float64(b.Elapsed())/float64(n)), "times-faster")
}
