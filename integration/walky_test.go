package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/control"
)

// agent is a program that takes lines and says what it took: the scripted
// agent of these tests, named as such.
const agent = `while IFS= read -r line; do printf 'agent read: %s\n' "$line"; done`

// openAgent opens a pane with the scripted agent on a machine.
func openAgent(t *testing.T, m *harness.Machine) string {
	t.Helper()
	return harness.JSON[control.ID](m, "pane", "new", "--harness", "agent", "--label", m.Name+"-agent", "--", "/bin/sh", "-c", agent).ID
}

// address finds the walky address of a session, as a machine sees it.
func address(t *testing.T, m *harness.Machine, host, pane string) string {
	t.Helper()
	var found string
	harness.Eventually(t, m.Name+" may write to "+host+":"+pane, func() bool {
		for _, s := range harness.JSON[[]control.WalkySession](m, "walky", "who") {
			if s.Host == host && s.Pane == pane {
				found = s.Address
				return true
			}
		}
		return false
	})
	return found
}

func screenOf(m *harness.Machine, pane string) string { return m.CLI("pane", "show", pane) }

func TestAMessageCrossesTwoMachinesAndIsReadOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	receiver := openAgent(t, c.iris)
	to := address(t, c.juno, "iris", receiver)
	const body = "the build is green; nothing to do"
	sent := harness.JSON[control.WalkyReceipt](c.juno, "walky", "send", to, body)
	if sent.State != "delivered" {
		t.Fatalf("the receipt is %s (%s), want delivered", sent.State, sent.Reason)
	}
	harness.Eventually(t, "the announcement", func() bool {
		return strings.Contains(strings.ReplaceAll(screenOf(c.iris, receiver), "\n", ""), "collie walky inbox "+sent.ID)
	})
	if screen := screenOf(c.iris, receiver); strings.Contains(screen, "green") {
		t.Errorf("the body is in the pane:\n%s", screen)
	}

	fenced := c.iris.CLI("walky", "inbox", sent.ID)
	for _, want := range []string{body, "juno", "participant"} {
		if !strings.Contains(fenced, want) {
			t.Errorf("the fenced message has no %q:\n%s", want, fenced)
		}
	}
	message := harness.JSON[control.WalkyMessage](c.iris, "walky", "inbox", sent.ID)
	if message.AttestedBy != "atlas" || len(message.Verified) == 0 || message.Body != body {
		t.Errorf("the message is %+v, want one that atlas attested", message)
	}
}

func TestASenderTakesBackAMessageThatIsHeldOnAnotherMachine(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	receiver := openAgent(t, c.iris)
	to := address(t, c.juno, "iris", receiver)
	c.iris.CLI("pane", "send", receiver, "a draft") // somebody writes there
	sent := harness.JSON[control.WalkyReceipt](c.juno, "walky", "send", to, "too early")
	if sent.State != "held" {
		t.Fatalf("the receipt is %s (%s), want held", sent.State, sent.Reason)
	}
	if r := harness.JSON[control.WalkyReceipt](c.juno, "walky", "cancel", sent.ID); r.State != "cancelled" {
		t.Fatalf("the cancel says %s", r.State)
	}
	for _, m := range []*harness.Machine{c.juno, c.lead, c.iris} {
		if state := stateOf(m, sent.ID); state != "cancelled" {
			t.Errorf("the journal of %s says %s", m.Name, state)
		}
	}
	c.iris.CLI("pane", "keys", receiver, "Enter")
	if later := harness.JSON[control.WalkyReceipt](c.juno, "walky", "send", to, "now"); later.State != "delivered" {
		t.Fatalf("the receipt is %s (%s), want delivered", later.State, later.Reason)
	}
	if screen := strings.ReplaceAll(screenOf(c.iris, receiver), "\n", ""); strings.Contains(screen, sent.ID) {
		t.Errorf("the cancelled message is in the pane:\n%s", screen)
	}
}

func TestTwoAgentSessionsOnTwoMembersExchangeAMessageAndItsReceipt(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	// A plain shell stands in for an agent in both panes, so that the sessions
	// themselves send and read.
	session := func(m *harness.Machine) string {
		return harness.JSON[control.ID](m, "pane", "new", "--harness", "agent", "--cols", "160", "--", "/bin/sh").ID
	}
	sender, receiver := session(c.juno), session(c.iris)
	from, to := address(t, c.iris, "juno", sender), address(t, c.juno, "iris", receiver)
	program := harness.Program(t)
	c.juno.CLI("pane", "send", sender, fmt.Sprintf("%s walky send '%s' 'please confirm'", program, to), "--enter")
	var id string
	harness.Eventually(t, "the message in the receiver's inbox", func() bool {
		for _, item := range harness.JSON[[]control.WalkyItem](c.iris, "walky", "inbox") {
			if item.From == from && item.Trust == "participant" && !item.Read {
				id = item.ID
			}
		}
		return id != ""
	})
	harness.Eventually(t, "the announcement, and no body", func() bool {
		screen := screenOf(c.iris, receiver)
		if strings.Contains(screen, "please confirm") {
			t.Fatalf("the body is in the pane:\n%s", screen)
		}
		return strings.Contains(screen, id)
	})
	harness.Eventually(t, "the receipt delivered", func() bool { return stateOf(c.juno, id) == "delivered" })

	c.iris.CLI("pane", "send", receiver, program+" walky inbox "+id, "--enter")
	harness.Eventually(t, "the body in the reader's pane", func() bool {
		return strings.Contains(screenOf(c.iris, receiver), "please confirm")
	})
	harness.Eventually(t, "the receipt read", func() bool { return stateOf(c.juno, id) == "read" })
	if state := stateOf(c.lead, id); state != "read" {
		t.Errorf("the lead's journal says %s, want read", state)
	}
}

// stateOf is what the journal of a machine says of a message.
func stateOf(m *harness.Machine, id string) string {
	for _, e := range harness.JSON[[]control.WalkyEntry](m, "walky", "log") {
		if e.ID == id {
			return e.State
		}
	}
	return ""
}
