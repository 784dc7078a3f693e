package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/control"
)

// A plainAgent reads lines without a box, and without a prompt, and keeps them.
type plainAgent struct {
	m    *harness.Machine
	pane string
	read string // file
}

func openPlain(t *testing.T, m *harness.Machine) plainAgent {
	t.Helper()
	read := filepath.Join(m.Home, "read")
	script := fmt.Sprintf(`while IFS= read -r line; do printf '%%s\n' "$line" >> %s; done`, read)
	pane := harness.JSON[control.ID](m, "pane", "new", "--harness", "agent", "--cols", "200", "--", "/bin/sh", "-c", script).ID
	return plainAgent{m, pane, read}
}

func (a plainAgent) got() string {
	data, _ := os.ReadFile(a.read)
	return string(data)
}

func (a plainAgent) send(t *testing.T, body string) control.WalkyReceipt {
	t.Helper()
	return harness.JSON[control.WalkyReceipt](a.m, "walky", "send", address(t, a.m, "", a.pane), body)
}

// holds sends a message, which the node tries to type at once: after that it has
// looked at the input.
func (a plainAgent) holds(t *testing.T, when string) control.WalkyReceipt {
	t.Helper()
	receipt := a.send(t, when)
	if receipt.State != "held" || a.got() != "" {
		t.Errorf("%s: the message is %+v, and the agent read %q", when, receipt, a.got())
	}
	return receipt
}

const halfALine = "rm -rf half a draft"

func TestNoMessageIsTypedBehindAHalfTypedLineAlsoByTheNextNode(t *testing.T) {
	t.Parallel()
	for _, mux := range []string{"builtin", "tmux"} {
		for name, end := range map[string]func(*harness.Machine){"killed": (*harness.Machine).Kill, "stopped": func(m *harness.Machine) { m.Stop() }} {
			t.Run(mux+" "+name, func(t *testing.T) {
				t.Parallel()
				var settings []string
				if mux == "tmux" {
					settings = []string{"COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET=" + newDesk(t).socket}
				}
				m := harness.New(t, "solo", settings...).Start()
				agent := openPlain(t, m)
				m.CLI("pane", "send", agent.pane, halfALine)
				before := agent.holds(t, "before the restart")
				end(m)
				m.Start()
				after := agent.holds(t, "after the restart")
				m.CLI("pane", "keys", agent.pane, "Enter")
				harness.Eventually(t, "both messages", func() bool {
					return stateOf(m, before.ID) == "delivered" && stateOf(m, after.ID) == "delivered"
				})
				harness.Eventually(t, "three lines, the draft alone in its own", func() bool { return strings.Count(agent.got(), "\n") == 3 })
				if lines := strings.Split(agent.got(), "\n"); lines[0] != halfALine || strings.Contains(lines[1]+lines[2], halfALine) {
					t.Errorf("the agent read %q", agent.got())
				}
			})
		}
	}
}

func TestNoMessageIsTypedBehindWhatAPersonTypedInTmuxPastTheNode(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m := harness.New(t, "solo", "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+d.socket).Start()
	agent := openPlain(t, m)
	typed := func(keys ...string) {
		t.Helper()
		out, err := exec.Command("tmux", append([]string{"-S", d.socket, "send-keys", "-t", agent.pane}, keys...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("send-keys: %v, %s", err, out)
		}
	}
	typed("-l", halfALine)
	harness.Eventually(t, "the draft on the screen", func() bool { return strings.Contains(screenOf(m, agent.pane), halfALine) })
	held := agent.holds(t, "while it stands there")
	m.Kill()
	m.Start()
	agent.holds(t, "after the restart")
	typed("Enter")
	harness.Eventually(t, "the message", func() bool { return stateOf(m, held.ID) == "delivered" })
	if lines := strings.Split(agent.got(), "\n"); lines[0] != halfALine {
		t.Errorf("the agent read %q", agent.got())
	}
}
