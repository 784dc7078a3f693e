package state

import (
	"log/slog"
	"os"
	"testing"
)

func TestTheKernelSaysWhoHoldsAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if held, err := Holds(dir, os.Getpid()); held || err != nil {
		t.Errorf("a folder without a lock: %v, %v", held, err)
	}
	f, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for pid, want := range map[int]bool{os.Getpid(): true, os.Getppid(): false, 0: false} {
		if held, err := Holds(dir, pid); held != want || err != nil {
			t.Errorf("process %d: %v, %v, want %v", pid, held, err, want)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if held, err := Holds(dir, os.Getpid()); held || err != nil {
		t.Errorf("after it was given up: %v, %v", held, err)
	}
}

func TestOnlyTheWholeLockOfTheSameFileAndProcessCounts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"1: FLOCK  ADVISORY  WRITE 708 00:13:4532 0 EOF":    true,
		"1: FLOCK  ADVISORY  READ 708 00:13:4532 0 EOF":     false,
		"1: POSIX  ADVISORY  WRITE 708 00:13:4532 0 EOF":    false,
		"1: -> FLOCK  ADVISORY  WRITE 708 00:13:4532 0 EOF": false,
		"1: FLOCK  ADVISORY  WRITE 7080 00:13:4532 0 EOF":   false,
		"1: FLOCK  ADVISORY  WRITE 708 00:13:14532 0 EOF":   false,
		"1: FLOCK  ADVISORY  WRITE 708 00:13:4532":          true,
		"1: FLOCK  ADVISORY  WRITE 708":                     false,
		"":                                                  false,
	} {
		if got := lists([]byte(line+"\n"), 708, 4532); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
