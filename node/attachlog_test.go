package node_test

import (
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/attach"
	"collie/node/grid"
	"collie/node/pane"
)

// typedMarks are what the audit log has of a pane's keys, in order.
func typedMarks(t *testing.T, n *node.Node) string {
	t.Helper()
	var all []string
	for _, line := range auditLines(t, n, "pane.keys") {
		all = append(all, line.What)
	}
	return strings.Join(all, " ")
}

func send(t *testing.T, d *desk, from attach.FromTerminal) {
	t.Helper()
	if err := d.stream.Write(from); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsDoneInAnAttachedTerminalIsAuditedWithoutItsCharacters(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, "stty -echo; echo begun; while read line; do echo \"got $line\"; done", "begun")
	d := attachTo(t, serve(t, n), id, attach.Size{Cols: 80, Rows: 24})
	d.shows(t, "begun")
	for _, key := range []string{"s", "e", "\x1b[200~cr\x1b[201~", "ét", "\r"} {
		send(t, d, attach.FromTerminal{Input: []byte(key)})
	}
	d.shows(t, "got secrét")
	eventually(t, "a mark for each character", func() bool {
		marks := typedMarks(t, n)
		return strings.Count(marks, "•") == 6 && strings.HasSuffix(marks, "Enter") && strings.Count(marks, "Enter") == 1
	})
	if lines := auditLines(t, n, "pane.keys"); len(lines) > 3 {
		t.Errorf("%d lines for what was typed at once: %+v", len(lines), lines)
	}
	resizes := len(auditLines(t, n, "pane.resize"))
	send(t, d, attach.FromTerminal{Size: &attach.Size{Cols: 90, Rows: 30}})
	eventually(t, "a line for the size", func() bool { return len(auditLines(t, n, "pane.resize")) == resizes+1 })
	// What was typed last has its line when the terminal lets go.
	send(t, d, attach.FromTerminal{Input: []byte("xy")})
	send(t, d, attach.FromTerminal{Input: []byte("z\r")})
	d.shows(t, "got xyz") // what a terminal sent that is gone before it was read is dropped
	d.stream.Close()
	eventually(t, "the last marks", func() bool { return strings.Count(typedMarks(t, n), "•") == 9 })
	if _, err := n.Audit.Verify(); err != nil {
		t.Error(err)
	}
}

func TestWithoutContentTheLogHasNotEvenMarksOfAnAttachedTerminal(t *testing.T) {
	t.Parallel()
	n := open(t, "COLLIE_AUDIT_CONTENT=none")
	id := run(t, n, pane.Spec{}, "stty -echo; echo begun; while read line; do echo \"got $line\"; done", "begun")
	d := attachTo(t, serve(t, n), id, attach.Size{Cols: 80, Rows: 24})
	send(t, d, attach.FromTerminal{Input: []byte("secret\r")})
	d.shows(t, "got secret")
	d.stream.Close()
	if got := typedMarks(t, n); got != "Enter" { // its line came before it
		t.Errorf("the log has %q", got)
	}
}

func TestNothingIsTypedInAnAttachedTerminalThatCannotBeAudited(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, "stty -echo; echo begun; while read line; do echo \"got $line\"; done", "begun")
	d := attachTo(t, serve(t, n), id, attach.Size{Cols: 80, Rows: 24})
	d.shows(t, "begun")
	if err := n.Audit.Close(); err != nil {
		t.Fatal(err)
	}
	send(t, d, attach.FromTerminal{Input: []byte("typed\r")})
	if end := <-d.ended; !strings.Contains(end.Reason, "cannot be audited") {
		t.Errorf("the end is %+v", end)
	}
	frame, err := n.Panes.Screen(t.Context(), pane.ID(id))
	if err != nil {
		t.Fatal(err)
	}
	var screen grid.Screen
	if _, err := screen.Apply(frame); err != nil || strings.Contains(textOf(&screen), "got") {
		t.Errorf("the program read it: %q, %v", textOf(&screen), err)
	}
}

func TestWhatDoesNotReachThePaneOfAnAttachedTerminalHasASecondLine(t *testing.T) {
	t.Parallel()
	server := openTmux(t)
	n := server.node()
	id := run(t, n, pane.Spec{}, "echo begun; cat", "begun")
	server.command("select-pane", "-d", "-t", id) // its input is off
	d := attachTo(t, serve(t, n), strings.ReplaceAll(id, "%", "%25"), attach.Size{Cols: 80, Rows: 24})
	d.shows(t, "begun")
	send(t, d, attach.FromTerminal{Input: []byte("x")})
	eventually(t, "the refusal", func() bool {
		lines := auditLines(t, n, "pane.keys")
		return len(lines) == 2 && lines[0].What == "•" && lines[0].Outcome == "accepted" && lines[1].What == "" && lines[1].Outcome == "multiplexer_refused"
	})
}

// A line that a phone typed, and that was changed at the desk, is not the one that
// is submitted then.
func TestALineThatWasChangedInAnAttachedTerminalIsNotKeptAsItWas(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	if _, err := n.Local().Reply(cli(t), id, api.Reply{Text: "make test"}); err != nil {
		t.Fatal(err)
	}
	d := attachTo(t, serve(t, n), id, attach.Size{Cols: 80, Rows: 24})
	d.shows(t, "make test")
	send(t, d, attach.FromTerminal{Input: []byte("\x15other")})
	d.shows(t, "other")
	if _, err := n.Local().Reply(cli(t), id, api.Reply{Submit: true}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the line", func() bool { return record() == "other\n" })
	if got := sentLines(t, n); len(got) != 0 {
		t.Errorf("kept are %q", got)
	}
}
