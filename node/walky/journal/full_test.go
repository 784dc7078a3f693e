package journal

import (
	"path/filepath"
	"testing"
	"time"
)

func TestAnOriginIsFullByItselfAndUntilSomethingIsForgotten(t *testing.T) {
	t.Parallel()
	folder, limits := filepath.Join(t.TempDir(), "journal"), smallLimits()
	wantFull := func(when string, j *Journal, loud bool) {
		t.Helper()
		if j.Full("loud") != loud || j.Full("quiet") || j.Full("") {
			t.Errorf("%s: full is %v, %v, %v, want %v for the first alone", when, j.Full("loud"), j.Full("quiet"), j.Full(""), loud)
		}
	}
	j, _ := mustOpen(t, folder, limits)
	fill(t, j, "quiet", 10, 0)
	fill(t, j, "loud", 399, 0)
	wantFull("a line below", j, false)
	fill(t, j, "loud", 1, 400*time.Second)
	wantFull("at its bound", j, true)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _ = mustOpen(t, folder, limits)
	wantFull("after a start", j, true)
	if _, err := j.Sweep(start.Add(time.Hour), letAllGo); err != nil {
		t.Fatal(err)
	}
	wantFull("after a sweep", j, false)
}
