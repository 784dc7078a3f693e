package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/harness/screens"
	"collie/node/pane"
)

// fake is a scripted program whose process is called like an agent's.
type fake struct {
	t      testing.TB
	node   *node.Node
	id     string
	record func() string
}

// screenOf is a recorded screen.
func screenOf(name string) string {
	path, err := filepath.Abs("harness/testdata/screens/" + name + ".screen")
	if err != nil {
		panic(err)
	}
	return path
}

// linkTo makes this test binary startable under another name.
func linkTo(t testing.TB, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// play starts a fake in a pane of its own.
func play(t testing.TB, n *node.Node, spec pane.Spec, name string, args ...string) fake {
	t.Helper()
	path, read := recorder(t)
	spec.Command = append([]string{linkTo(t, name), screens.PlayCommand, "-record", path}, args...)
	spec.OpenedByOperator = true
	info, err := n.Panes.New(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, n, string(info.ID), read}
	f.until("the fake draws", func(p api.PaneInfo) bool { return p.Status != "unknown" || len(p.Cards) > 0 || name == "other" })
	return f
}

func (f fake) now() api.PaneInfo {
	f.t.Helper()
	s, err := f.node.Local().Snapshot(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, p := range s.Panes {
		if p.ID == f.id {
			return p
		}
	}
	return api.PaneInfo{}
}

func (f fake) until(what string, holds func(api.PaneInfo) bool) api.PaneInfo {
	f.t.Helper()
	var p api.PaneInfo
	eventually(f.t, what, func() bool { p = f.now(); return holds(p) })
	return p
}

// card waits for a question of a pane.
func (f fake) card() api.Card {
	f.t.Helper()
	last := ""
	p := f.until("a card that stays", func(p api.PaneInfo) bool { // a screen may come in two pieces
		if len(p.Cards) != 1 || p.Cards[0].Kind != "prompt" {
			return false
		}
		same := p.Cards[0].ID == last
		last = p.Cards[0].ID
		return same
	})
	if !p.NeedsYou || p.Status != "blocked" {
		f.t.Errorf("a pane with a question is %s, needs you %t", p.Status, p.NeedsYou)
	}
	return p.Cards[0]
}

func (f fake) seen() string {
	f.t.Helper()
	p, err := f.node.Local().Pane(f.t.Context(), f.id)
	if err != nil {
		f.t.Fatal(err)
	}
	return p.Screen
}

func (f fake) answer(card, option string, confirm bool) error {
	return f.node.Local().Answer(f.t.Context(), f.id, api.Answer{Card: card, Option: option, Confirm: confirm})
}

func (f fake) got(want string) {
	f.t.Helper()
	eventually(f.t, "the bytes "+want, func() bool { return f.record() != "" || want == "" })
	given(f.t, f.record, want)
}

// outcomes are the outcomes in the audit log of one action.
func outcomes(t testing.TB, n *node.Node, action string) (all []string) {
	t.Helper()
	lines, err := n.Audit.Tail(50)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if line.Action == action {
			all = append(all, line.Outcome)
		}
	}
	return all
}

func enters(record string) int { return strings.Count(record, "\r") }
