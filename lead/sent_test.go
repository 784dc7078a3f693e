package lead

import (
	"slices"
	"strings"
	"testing"

	"collie/node/api"
)

func TestTheLeadWritesNoTextOfALineDown(t *testing.T) {
	t.Parallel()
	member := newMachine()
	m := atlas(t, member)
	for _, text := range []string{"make test", " cd zebra", "ZEBRA=1 make", "cat zebra.token"} {
		if _, err := m.Reply(t.Context(), "p1", api.Reply{Text: text, Submit: true}); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := m.audit.Tail(10)
	must(t, err)
	var what []string
	for _, line := range lines {
		if line.Action != "pane.reply" || line.Outcome != "forwarded" {
			t.Errorf("the line is %+v", line)
		}
		if line.What != nil {
			what = append(what, *line.What)
		}
	}
	if len(lines) != 4 || !slices.Equal(what, []string{"•••••••••"}) {
		t.Errorf("of %d lines the log has the texts %q", len(lines), what)
	}
}

func TestSentLinesOfAMemberAreCleanedAndForgottenThere(t *testing.T) {
	t.Parallel()
	member := newMachine()
	member.sent = api.Sent{Keeping: true, Lines: []api.SentLine{
		{ID: "01A", Pane: "p1", Line: "make\x1b[2J \u202etest", At: 5}, {ID: "../x", Pane: "p1", Line: "x"}, {ID: "01B", Pane: "p 1", Line: "x"}, {ID: "01C", Pane: "p1", Line: "\u200b"},
	}}
	m := atlas(t, member)
	got, err := m.Sent(t.Context())
	must(t, err)
	if len(got.Lines) != 1 || got.Lines[0] != (api.SentLine{ID: "01A", Pane: "p1", Line: "make[2J test", At: 5}) || !got.Keeping {
		t.Errorf("sent is %+v", got)
	}
	if gone, err := m.SentForget(t.Context(), api.SentForget{ID: "01A"}); err != nil || gone.Count != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := m.SentClear(t.Context()); err != nil || gone.Count != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if got := strings.Join(member.got(), ", "); got != "sent, forget 01A, clear" {
		t.Errorf("the member was asked for %s", got)
	}
	lines, err := m.audit.Tail(10)
	must(t, err)
	if len(lines) != 2 || lines[0].Action != "sent.forget" || *lines[1].Host != "atlas" {
		t.Errorf("the audit log has %+v", lines)
	}
}
