package pane_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/pane"
)

func TestEndedPanesGiveWayToNewOnesTheOldestFirst(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	config := configOf(folder, slog.New(slog.DiscardHandler))
	config.MaxPanes = 4
	b := openWith(t, config)
	ended := func(script, shows string) pane.Info {
		t.Helper()
		info := start(t, b, "/bin/sh", "-c", script)
		await(t, b, info.ID, func(s *grid.Screen) bool { return strings.Contains(s.Rows()[0].Text(), shows) })
		must(t, b.Input(t.Context(), info.ID, []byte("\r")))
		eventually(t, "the end of a program", func() bool { got, err := b.Get(info.ID); return err == nil && got.Exited != nil })
		return info
	}
	leaves := ended("setsid sh -c 'echo left; sleep 1000' & read line; exit 3", "left")
	oldest, newest := ended("read line; exit 1", ""), ended("read line; exit 2", "")
	busy := start(t, b, "cat")

	start(t, b, "cat")
	if _, err := b.Get(oldest.ID); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("the pane that ended first: %v, want that it gave way", err)
	}
	if _, err := b.Get(newest.ID); err != nil {
		t.Errorf("the pane that ended last: %v", err)
	}
	start(t, b, "cat")
	// What still runs is nobody's to end: neither a program nor what one left behind.
	if _, err := b.New(t.Context(), pane.Spec{Command: []string{"cat"}, Cwd: "/"}); !errors.Is(err, pane.ErrTooMany) {
		t.Errorf("a pane too many: %v", err)
	}
	for _, id := range []pane.ID{leaves.ID, busy.ID} {
		if _, err := b.Get(id); err != nil {
			t.Errorf("a pane in which something runs: %v", err)
		}
	}
	must(t, b.Close(t.Context(), leaves.ID)) // and once more, which ends all, with the test
}
