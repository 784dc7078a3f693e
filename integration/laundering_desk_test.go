package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"

	"collie/crypto/need"
	"collie/integration/harness"
	"collie/node/control"
)

// askingLine is a shell line that asks for a pairing code and leaves the answer in a
// file, whole.
func askingLine(t *testing.T, m *harness.Machine, file string) string {
	t.Helper()
	return fmt.Sprintf("(env COLLIE_STATE_DIR=%s COLLIE_CONFIG_DIR=%s %s pair; echo exit $?) >%s.part 2>&1; mv %s.part %s",
		m.State, filepath.Join(m.Home, "config"), harness.Program(t), file, file, file)
}

// answer waits for what askingLine left, and takes it away.
func answer(t *testing.T, file string) string {
	t.Helper()
	var out []byte
	harness.Eventually(t, "an answer in "+filepath.Base(file), func() bool {
		var err error
		out, err = os.ReadFile(file)
		return err == nil
	})
	_ = os.Remove(file)
	return string(out)
}

// sitDown attaches a real tmux client, and returns how a person types into it.
func (d desk) sitDown() (types func(text string)) {
	d.t.Helper()
	cmd := exec.Command("tmux", "-u", "-S", d.socket, "attach-session", "-t", "work")
	cmd.Env = append(os.Environ(), "TERM=xterm", "TMUX=")
	terminal, err := pty.Start(cmd)
	if err != nil {
		d.t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = terminal.WriteTo(devNull{})
	}()
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		terminal.Close()
		<-drained
	})
	return func(text string) {
		d.t.Helper()
		if _, err := terminal.WriteString(text); err != nil {
			d.t.Fatal(err)
		}
	}
}

type devNull struct{}

func (devNull) Write(p []byte) (int, error) { return len(p), nil }

// A tmux of the person's own is outside of Collie, and an agent in a pane of
// Collie's can call its server all the same.
func TestAnAgentGainsNothingByATmuxThatIsNotCollies(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	m := harness.New(t, "atlas").Start()
	a := openObedientAgent(t, m)
	file := filepath.Join(m.Home, "asked")
	script := filepath.Join(m.Home, "ask.sh")
	if err := os.WriteFile(script, []byte(askingLine(t, m, file)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run("respawn-pane", "-k", "-t", "work:first", "/bin/sh")
	refused := func(by, why string) {
		t.Helper()
		if got := answer(t, file); !strings.HasSuffix(got, "exit 4\n") || !strings.Contains(got, why) {
			t.Errorf("by %s, without %q:\n%s", by, why, got)
		}
	}
	byAgent := func(command, why string) {
		t.Helper()
		if out := a.does("tmux -S " + d.socket + " " + command); !strings.HasSuffix(out, "exit 0\n") {
			t.Fatalf("%s:\n%s", command, out)
		}
		refused(command, why)
	}
	byAgent("new-session -d 'sh "+script+"'", "detach first, or come in over ssh")
	byAgent("send-keys -t work:first 'sh "+script+"' Enter", "shows it at no terminal")
	types := d.sitDown()
	byAgent("new-window -d 'sh "+script+"'", "shows it at no terminal")
	byAgent("new-window -t work: 'sh "+script+"; sleep 100'", "by a key that you pressed")
	byAgent("respawn-pane -k -t work: 'sh "+script+"; sleep 100'", "by a key that you pressed")
	byAgent("run-shell -b 'sh "+script+"'", "has no terminal")
	d.run("respawn-pane", "-k", "-t", "work:", "/bin/sh") // in front of the person
	harness.Eventually(t, "a person's own keys to count, once the pane is older than they are", func() bool {
		types("sh " + script + "\r")
		return strings.HasSuffix(answer(t, file), "exit 0\n")
	})
	harness.Eventually(t, "what an agent types there to be refused a while after the person's last key", func() bool {
		a.does("tmux -S " + d.socket + " send-keys -t work: 'sh " + script + "' Enter")
		return strings.Contains(answer(t, file), "by a key that you pressed")
	})
}

// What ran in a pane is below no holder once that was killed.
func TestNothingIsGainedByTheEndOfAPanesHolder(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"script", "setsid"} {
		if _, err := exec.LookPath(program); err != nil {
			need.Missing(t, program)
		}
	}
	m := harness.New(t, "atlas").Start()
	victim := openObedientAgent(t, m)
	m.CLI("walky", "send", address(t, m, "", victim.pane), "for the other one alone")
	a := openObedientAgent(t, m)
	holder := holderOf(t, m, a.pane)
	inbox := filepath.Join(m.Home, "inbox")
	files := map[string]string{}
	var loose strings.Builder
	fmt.Fprintf(&loose, "while kill -0 %d 2>/dev/null; do sleep 0.05; done\n", holder)
	// Until the node has heard of it.
	fmt.Fprintf(&loose, "while test -S %s; do sleep 0.05; done\n", filepath.Join(m.State, "panes", a.pane+".sock"))
	for name, how := range map[string]string{
		"bare": "sh %s", "script": "script -qec 'sh %s' /dev/null",
		"by-another-name": "cp $(command -v script) " + m.Home + "/other && " + m.Home + "/other -qec 'sh %s' /dev/null",
	} {
		files[name] = filepath.Join(m.Home, "asked-"+name)
		file := files[name] + ".sh"
		if err := os.WriteFile(file, []byte(askingLine(t, m, files[name])+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&loose, how+" </dev/null >/dev/null\n", file)
	}
	fmt.Fprintf(&loose, "env COLLIE_STATE_DIR=%s COLLIE_CONFIG_DIR=%s %s walky inbox --json >%s.part; mv %s.part %s\n", m.State, filepath.Join(m.Home, "config"), harness.Program(t), inbox, inbox, inbox)
	left := filepath.Join(m.Home, "left.sh")
	if err := os.WriteFile(left, []byte(loose.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	a.does("(env -i PATH=$PATH setsid sh " + left + " >/dev/null 2>&1 &)")
	m.Run("", "pane", "send", a.pane, fmt.Sprintf("do kill -9 %d", holder), "--enter") // how that ends is not known to anybody
	for name, file := range files {
		if got := answer(t, file); !strings.HasSuffix(got, "exit 4\n") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if got := strings.TrimSpace(answer(t, inbox)); got != "[]" {
		t.Errorf("it reads the messages of others: %s", got)
	}
	// A script that has started the node as well goes on as the operator.
	m.CLI("devices", "list")
}

// holderOf is the process that owns a pane.
func holderOf(t *testing.T, m *harness.Machine, pane string) int {
	t.Helper()
	for _, p := range harness.JSON[[]control.Pane](m, "pane", "list") {
		if p.ID != pane {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
		if err != nil {
			t.Fatal(err)
		}
		parent, err := strconv.Atoi(strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))[1])
		if err != nil {
			t.Fatal(err)
		}
		return parent
	}
	t.Fatalf("pane %s is not listed", pane)
	return 0
}
