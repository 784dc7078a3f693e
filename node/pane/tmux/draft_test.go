package tmux_test

import (
	"testing"

	"collie/node/pane"
	"collie/node/pane/draft"
	"collie/node/pane/tmux"
)

func lineIs(t *testing.T, m *tmux.Mux, what string, want draft.Line) {
	t.Helper()
	modes, err := m.Modes(t.Context(), "%0")
	must(t, err)
	if modes.Line != want {
		t.Errorf("%s the line is %q, want %q", what, modes.Line, want)
	}
}

func TestTheNextNodeKnowsOfALineThatWasBegunInAProgramThatReplacedAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	m := p.open(t)
	first := until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })[0].PID
	must(t, m.Input(t.Context(), "%0", []byte("half")))
	p.run(t, "respawn-pane", "-k", "-t", "%0", "cat")
	until(t, m, "another program", func(l []pane.Info) bool { return len(l) == 1 && l[0].PID != first })
	lineIs(t, m, "of a program that was typed nothing", draft.Unknown)
	must(t, m.Input(t.Context(), "%0", []byte("another half")))
	must(t, m.Detach())
	m = p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	lineIs(t, m, "to the next node", draft.Begun)
	must(t, m.Input(t.Context(), "%0", []byte("\r")))
	lineIs(t, m, "once it was entered", draft.Unknown)
}

func TestALineThatANodeBeganCountsAsBegunUntilANodeEntersOne(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	must(t, m.Input(t.Context(), "%0", []byte("half")))
	p.run(t, "send-keys", "-t", "%0", "Enter")
	screenOf(t, m, "%0", "half\nhalf")
	lineIs(t, m, "once it was entered at the desk", draft.Begun)
	must(t, m.Input(t.Context(), "%0", []byte("\r")))
	lineIs(t, m, "once a node pressed Enter", draft.Unknown)
}
