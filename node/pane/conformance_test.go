package pane_test

import (
	"log/slog"
	"testing"

	"collie/node/pane"
	"collie/node/pane/conformance"
)

func TestBuiltinConforms(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t testing.TB) conformance.Open {
		folder := newFolder(t)
		return func(t testing.TB) pane.Multiplexer { return openIn(t, folder) }
	})
}

func TestManyPanesAtOnceLeaveNothing(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	all := conformance.Storm(t, openIn(t, folder))
	for _, info := range all {
		eventually(t, "the end of every holder", func() bool { return !alive(info.HolderPID) })
	}
	if left := filesOf(t, folder); len(left) != 0 {
		t.Errorf("sockets are left: %v", left)
	}
}

func BenchmarkFlood(b *testing.B) { conformance.BenchmarkFlood(b, open(b)) }

// BenchmarkAgain is the time that the next node takes to find 50 panes.
func BenchmarkAgain(b *testing.B) {
	folder := newFolder(b)
	first := openIn(b, folder)
	for range 50 {
		start(b, first, "cat")
	}
	for b.Loop() {
		next, err := pane.OpenBuiltin(b.Context(), configOf(folder, slog.New(slog.DiscardHandler)))
		must(b, err)
		if len(next.List()) != 50 {
			b.Errorf("%d panes are found", len(next.List()))
		}
		b.StopTimer()
		must(b, next.Detach())
		b.StartTimer()
	}
}
