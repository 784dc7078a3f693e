package integration_test

import (
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

func TestTheReceiptReadsReadOnceTheSessionHasRead(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	// A plain shell stands in for an agent, so that the session itself can read.
	pane := harness.JSON[control.ID](c.iris, "pane", "new", "--harness", "agent", "--cols", "160", "--", "/bin/sh").ID
	to := address(t, c.juno, "iris", pane)
	sent := harness.JSON[control.WalkyReceipt](c.juno, "walky", "send", to, "please confirm")
	if sent.State != "delivered" {
		t.Fatalf("the receipt is %s (%s), want delivered", sent.State, sent.Reason)
	}
	c.iris.CLI("pane", "send", pane, harness.Program(t)+" walky inbox "+sent.ID, "--enter")
	harness.Eventually(t, "the body in the reader's pane", func() bool {
		return strings.Contains(screenOf(c.iris, pane), "please confirm")
	})
	harness.Eventually(t, "the receipt read", func() bool {
		for _, e := range harness.JSON[[]control.WalkyEntry](c.juno, "walky", "log") {
			if e.ID == sent.ID {
				return e.State == "read"
			}
		}
		return false
	})
}
