package journal

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func letAllGo(string) []Line { return nil }

// fill appends n openings of an origin, a second apart.
func fill(t *testing.T, j *Journal, origin string, n int, from time.Duration) {
	t.Helper()
	for i := range n {
		mustAppend(t, j, line(origin, fmt.Sprintf("%s%d", strings.ToUpper(origin), i), from+time.Duration(i)*time.Second, `{}`))
	}
}

func smallLimits() Limits {
	l := testLimits()
	l.Lines, l.SegmentLines = 40, 5
	return l
}

func TestMachineWithTheMostLinesLosesItsOldestFirst(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, smallLimits())
	fill(t, j, "quiet", 5, 0)
	fill(t, j, "loud", 50, time.Minute)
	gone, err := j.Sweep(start.Add(time.Hour), letAllGo)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(gone)
	want := []string{
		"LOUD0", "LOUD1", "LOUD10", "LOUD11", "LOUD12", "LOUD13", "LOUD14",
		"LOUD2", "LOUD3", "LOUD4", "LOUD5", "LOUD6", "LOUD7", "LOUD8", "LOUD9",
	}
	if !slices.Equal(gone, want) {
		t.Fatalf("forgotten %v, want %v", gone, want)
	}
	if got := j.Lines(); got != 40 {
		t.Fatalf("Lines = %d, want 40", got)
	}
	if _, err := j.Read("QUIET0"); err != nil {
		t.Fatalf("the quiet machine lost its message: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	_, seen := mustOpen(t, folder, smallLimits())
	if len(seen) != 40 {
		t.Fatalf("%d lines came back, want 40", len(seen))
	}
}

func TestNothingYoungerThanMemoryIsForgottenAndNobodyElsePays(t *testing.T) {
	t.Parallel()
	j, _ := mustOpen(t, filepath.Join(t.TempDir(), "journal"), smallLimits())
	fill(t, j, "quiet", 10, 0)
	fill(t, j, "loud", 100, 2*time.Hour)
	gone, err := j.Sweep(start.Add(2*time.Hour+9*time.Minute), letAllGo)
	if err != nil || len(gone) != 0 {
		t.Fatalf("forgotten %v, %v; want nothing", gone, err)
	}
	gone, err = j.Sweep(start.Add(2*time.Hour+12*time.Minute), letAllGo)
	if err != nil || len(gone) != 70 || slices.ContainsFunc(gone, func(id string) bool { return id[0] == 'Q' }) {
		t.Fatalf("forgotten %v, %v; want 70 of the loud machine", gone, err)
	}
}

func TestWhatIsTooOldGoes(t *testing.T) {
	t.Parallel()
	j, _ := mustOpen(t, filepath.Join(t.TempDir(), "journal"), testLimits())
	fill(t, j, "", 3, 0)
	mustAppend(t, j, line("", "NEW", 6*24*time.Hour, `{}`))
	if gone, err := j.Sweep(start.Add(7*24*time.Hour-time.Second), letAllGo); err != nil || len(gone) != 0 {
		t.Fatalf("forgotten %v, %v a second early", gone, err)
	}
	gone, err := j.Sweep(start.Add(7*24*time.Hour), letAllGo)
	slices.Sort(gone)
	if err != nil || !slices.Equal(gone, []string{"0", "1", "2"}) {
		t.Fatalf("forgotten %v, %v; want the first three", gone, err)
	}
	names, err := j.disk.Names()
	if err != nil || !slices.Equal(names, []string{"00000002.jsonl"}) {
		t.Fatalf("files %v, %v; want the second alone", names, err)
	}
}

func TestWhatMustLiveOnIsCarriedAlong(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, smallLimits())
	mustAppend(t, j, line("loud", "HELD", 0, `{"body":1}`))
	fill(t, j, "loud", 60, time.Second)
	held := Line{Origin: "loud", ID: "HELD", At: start.Add(time.Second), Data: []byte(`{"held":1}`)}
	keep := func(id string) []Line {
		if id == "HELD" {
			return []Line{held}
		}
		return nil
	}
	for range 3 { // a second and a third sweep change nothing
		if _, err := j.Sweep(start.Add(time.Hour), keep); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := j.Read("HELD"); err != nil || string(got.Data) != `{"body":1}` || !got.At.Equal(start) {
		t.Fatalf("Read = %s, %v", got.Data, err)
	}
	if got := j.Lines(); got > 40 {
		t.Fatalf("Lines = %d, want at most 40", got)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	_, seen := mustOpen(t, folder, smallLimits())
	tail := seen[len(seen)-2:]
	wantLines(t, tail, `loud HELD {"body":1}`, `loud HELD {"held":1}`)
}

// When all that is left must live on, the sweep ends though the bound does not
// hold.
func TestSweepEndsWhenEverythingMustLiveOn(t *testing.T) {
	t.Parallel()
	j, _ := mustOpen(t, filepath.Join(t.TempDir(), "journal"), smallLimits())
	fill(t, j, "", 60, 0)
	keep := func(id string) []Line { return []Line{{ID: id, At: start, Data: []byte(`{}`)}} }
	gone, err := j.Sweep(start.Add(time.Hour), keep)
	if err != nil || len(gone) != 0 {
		t.Fatalf("forgotten %v, %v", gone, err)
	}
	if _, err := j.Read("59"); err != nil {
		t.Fatal(err)
	}
}

func TestNothingYoungerThanMemoryIsForgottenHoweverTheClockJumps(t *testing.T) {
	t.Parallel()
	folder, limits := filepath.Join(t.TempDir(), "journal"), smallLimits()
	var passed time.Duration
	reopen := func() *Journal {
		t.Helper()
		j, err := Open(folder, limits, func() time.Duration { return passed }, slog.New(slog.DiscardHandler), func(Line) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := reopen()
	fill(t, j, "loud", 100, 0)
	wantForgotten := func(when string, clock time.Duration, want int) {
		t.Helper()
		if gone, err := j.Sweep(start.Add(clock), letAllGo); err != nil || len(gone) != want {
			t.Errorf("%s: %d forgotten, %v; want %d", when, len(gone), err, want)
		}
	}
	passed = limits.Memory - time.Second
	wantForgotten("the clock jumped ahead by a day", 24*time.Hour, 0)
	wantForgotten("the clock jumped ahead by a month", 30*24*time.Hour, 0)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	passed = 0
	j = reopen()
	defer func() { _ = j.Close() }()
	wantForgotten("it was started again", 30*24*time.Hour, 0)
	passed = limits.Memory
	wantForgotten("the clock was set back by a day, and the time is over", -24*time.Hour, 60)
}
