package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"collie/crypto/need"
)

// inTmux starts a node that shows a tmux server of its own, and returns how a
// person at the desk runs tmux there.
func inTmux(t *testing.T) (m *machine, tmux func(args ...string) string, sitDown func(session string)) {
	t.Helper()
	need.Program(t, "tmux")
	folder, err := os.MkdirTemp("", "tmux") // a socket's path has a bound
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", socket}, args...)...)
		cmd.Env = append(m.environ, "TERM=xterm")
		return cmd
	}
	m = &machine{environ: environ(t.TempDir())}
	t.Cleanup(func() {
		_ = command("kill-server").Run()
		_ = os.RemoveAll(folder)
	})
	m = begin(t, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+socket)
	tmux = func(args ...string) string {
		t.Helper()
		out, err := command(args...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v, %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	sitDown = func(session string) {
		t.Helper()
		cmd := command("attach-session", "-t", session)
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			terminal.Close()
		})
	}
	return m, tmux, sitDown
}

// Through tmux's own socket every program of this user opens a pane, brings it to
// the front and types into it: there nobody is told from an agent.
func TestNobodyIsTheOperatorInAPaneOfTmux(t *testing.T) {
	t.Parallel()
	m, tmux, sitDown := inTmux(t)
	out := t.TempDir()
	file := func(name string) string { return filepath.Join(out, name) }
	asks := func(name string) string {
		return "collie pair --json > " + file(name) + " 2> " + file(name+".err")
	}
	said := func(name string) func() bool {
		return func() bool {
			for _, path := range []string{file(name), file(name + ".err")} {
				if data, _ := os.ReadFile(path); strings.Contains(string(data), "}") || strings.Contains(string(data), "collie:") {
					return true
				}
			}
			return false
		}
	}
	read := func(name string) string {
		data, _ := os.ReadFile(file(name))
		errs, _ := os.ReadFile(file(name + ".err"))
		return string(data) + string(errs)
	}
	tmux("new-session", "-d", "-s", "desk", "-e", "PATH="+os.Getenv("PATH"),
		"-e", "COLLIE_STATE_DIR="+filepath.Join(m.home, "state"), "-e", "COLLIE_CONFIG_DIR="+filepath.Join(m.home, "config"), "sh")
	at := func(pane string) func() bool {
		return func() bool {
			stdout, _, _ := m.run(t, "", "pane", "list", "--json")
			return strings.Contains(stdout, `"`+pane+`"`)
		}
	}
	pane := tmux("display-message", "-p", "-t", "desk:", "#{pane_id}")
	eventually(t, "the pane of the desk", at(pane))

	if said, _, _ := m.run(t, "", "doctor"); !strings.Contains(said, "in tmux every agent can type into every pane") {
		t.Errorf("the doctor says\n%s", said)
	}
	answered := func(name string, want ...string) {
		t.Helper()
		eventually(t, "an answer", said(name))
		got := read(name)
		for _, part := range append(want, "only the operator", "outside of tmux you are told from an agent: detach first") {
			if !strings.Contains(got, part) {
				t.Errorf("from %s, without %q: %s", name, part, got)
			}
		}
	}
	environment := []string{"-e", "PATH=" + os.Getenv("PATH"), "-e", "COLLIE_STATE_DIR=" + filepath.Join(m.home, "state"), "-e", "COLLIE_CONFIG_DIR=" + filepath.Join(m.home, "config")}
	sitDown("desk")
	eventually(t, "a person at the desk", func() bool { return tmux("list-clients", "-F", "#{client_control_mode}") != "" })
	tmux("send-keys", "-t", "desk:", asks("typed"), "Enter")
	answered("typed", "is in a pane of tmux, where any program may type")
	tmux(append(append([]string{"new-window", "-t", "desk:"}, environment...), asks("window"))...)
	answered("window", "tmux")
	tmux(append(append([]string{"split-window", "-t", "desk:"}, environment...), asks("split"))...)
	answered("split", "tmux")
	tmux(append(append([]string{"new-session", "-d"}, environment...), "env -u TMUX -u TMUX_PANE sh -c '"+asks("unset")+"'")...)
	answered("unset", "tmux")
	// Not even in a pane that the operator opened through Collie.
	stdout, _, _ := m.run(t, "", "pane", "new", "--json", "--", "env", "PATH="+os.Getenv("PATH"), "COLLIE_STATE_DIR="+filepath.Join(m.home, "state"), "sh")
	opened := strings.Split(stdout, `"`)
	tmux("send-keys", "-t", opened[len(opened)-2], asks("opened"), "Enter")
	answered("opened", "is in a pane of tmux")

	// A process that left the pane keeps the environment, and one that only forked
	// keeps the terminal.
	for name, how := range map[string]string{"left": "setsid setsid sh -c ", "forked": "sh -c "} {
		tmux("send-keys", "-t", "desk:", "("+how+`'sleep 0.2; `+asks(name)+`' &)`, "Enter")
		answered(name, "pane")
	}
	// With no variables and a terminal of its own it is told by being younger than tmux.
	script := file("ask.sh")
	text := "export COLLIE_STATE_DIR=" + filepath.Join(m.home, "state") + " COLLIE_CONFIG_DIR=" + filepath.Join(m.home, "config") + "\nsleep 0.2\n" + asks("cleared") + "\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tmux("send-keys", "-t", "desk:", "cp $(command -v script) "+file("other")+"; (env -i PATH=$PATH setsid setsid "+file("other")+" -qec 'sh "+script+"' /dev/null >/dev/null 2>&1 </dev/null &)", "Enter")
	eventually(t, "an answer", said("cleared"))
	if got := read("cleared"); !strings.Contains(got, "only the operator") || !strings.Contains(got, "which nothing holds") {
		t.Errorf("from a terminal that an agent has made: %s", got)
	}
}

func TestTheDoctorAsksTheTmuxThatKeepsThePanes(t *testing.T) {
	t.Parallel()
	m, tmux, _ := inTmux(t)
	tmux("new-session", "-d", "-s", "desk", "cat")
	eventually(t, "that it answers", func() bool {
		out, _, _ := m.run(t, "", "doctor")
		return strings.Contains(out, "ok    tmux-server      tmux ") && strings.Contains(out, " answers\n")
	})
}
