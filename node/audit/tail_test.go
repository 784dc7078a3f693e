package audit

import (
	"fmt"
	"path/filepath"
	"testing"
)

func TestTailReadsNoFurtherBackThanItMustAndAcrossFiles(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int64{"one file": 0, "many files": 20_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := open(t, filepath.Join(t.TempDir(), "audit.log"), Options{MaxBytes: limit})
			const total = 1500 // some 350 KiB: more than the first window
			write(t, log, numbered(1, total)...)
			for _, n := range []int{1, 2, 199, 250, 251, 1000, total, total + 1} {
				lines, err := log.Tail(n)
				if err != nil || len(lines) != min(n, total) {
					t.Fatalf("tail of %d: %d lines, %v", n, len(lines), err)
				}
				for i, line := range lines {
					if want := uint64(total - len(lines) + 1 + i); line.Seq != want || *line.What != fmt.Sprintf("line-%d", want) {
						t.Fatalf("tail of %d: line %d is %+v", n, i, line)
					}
				}
			}
		})
	}
}

func TestAfterAnswersWhatFollowsANumber(t *testing.T) {
	t.Parallel()
	log := open(t, filepath.Join(t.TempDir(), "audit.log"), Options{MaxBytes: 1000})
	write(t, log, numbered(1, 10)...)
	added, stop := log.Watch()
	defer stop()
	for after, want := range map[uint64]int{0: 10, 7: 3, 9: 1, 10: 0, 99: 0} {
		lines, err := log.After(after)
		if err != nil || len(lines) != want || want > 0 && lines[0].Seq != after+1 {
			t.Errorf("after %d: %d lines, want %d, %v", after, len(lines), want, err)
		}
	}
	select {
	case <-added:
		t.Error("nothing was added, and a signal came")
	default:
	}
	write(t, log, numbered(11, 11)...)
	if _, err := log.Add(numbered(12, 12)[0]); err != nil {
		t.Fatal(err)
	}
	select {
	case <-added:
	default:
		t.Error("two lines were added, and no signal came")
	}
	if lines, err := log.After(10); err != nil || len(lines) != 2 {
		t.Errorf("after 10: %v, %v", lines, err)
	}
}
