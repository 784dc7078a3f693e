package state

import (
	"log/slog"
	"os"
	"slices"
	"testing"
)

func TestTheKernelSaysWhoHoldsAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if pids, err := Owners(dir); len(pids) != 0 || err != nil {
		t.Errorf("a folder without a lock: %v, %v", pids, err)
	}
	f, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if pids, err := Owners(dir); !slices.Contains(pids, os.Getpid()) || err != nil {
		t.Errorf("this process holds it: %v, %v", pids, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if pids, err := Owners(dir); slices.Contains(pids, os.Getpid()) || err != nil {
		t.Errorf("after it was given up: %v, %v", pids, err)
	}
}

func TestOnlyTheWholeLockOfTheSameFileCounts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]int{
		"1: FLOCK  ADVISORY  WRITE 708 00:13:4532 0 EOF":    {708},
		"1: FLOCK  ADVISORY  WRITE 708 00:13:4532":          {708},
		"1: FLOCK  ADVISORY  WRITE 0 00:13:4532 0 EOF":      nil, // outside of this PID namespace
		"1: FLOCK  ADVISORY  READ 708 00:13:4532 0 EOF":     nil,
		"1: POSIX  ADVISORY  WRITE 708 00:13:4532 0 EOF":    nil,
		"1: -> FLOCK  ADVISORY  WRITE 708 00:13:4532 0 EOF": nil,
		"1: FLOCK  ADVISORY  WRITE 708 00:13:14532 0 EOF":   nil,
		"1: FLOCK  ADVISORY  WRITE 708":                     nil,
		"":                                                  nil,
	} {
		if got := owners([]byte(line+"\n"), 4532); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
