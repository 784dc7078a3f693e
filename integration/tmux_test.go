package integration_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/crypto/need"
	"collie/integration/harness"
	"collie/node/api"
)

// A desk is a tmux server that a person has started.
type desk struct {
	t      *testing.T
	socket string
	record string // what the program in its first pane was given
}

func newDesk(t *testing.T) desk {
	t.Helper()
	need.Program(t, "tmux")
	folder, err := os.MkdirTemp("", "desk")
	if err != nil {
		t.Fatal(err)
	}
	d := desk{t, filepath.Join(folder, "s"), filepath.Join(folder, "record")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", d.socket, "kill-server").Run()
		_ = os.RemoveAll(folder)
	})
	d.run("new-session", "-d", "-s", "work", "-n", "first", "printf 'ready> '; while IFS= read -r line; do printf '%s\\n' \"$line\" >> "+d.record+"; printf 'ready> '; done")
	return d
}

func (d desk) run(arguments ...string) {
	d.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", d.socket}, arguments...)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("tmux %q: %v, %s", arguments, err, out)
	}
}

func (d desk) got() string {
	data, _ := os.ReadFile(d.record)
	return string(data)
}

func TestTheTmuxOfTwoMachinesIsOneHerdAndTheirSameIdsAreNotMixed(t *testing.T) {
	t.Parallel()
	desks := map[string]desk{"atlas": newDesk(t), "juno": newDesk(t)}
	machine := func(name string) *harness.Machine {
		mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
		return harness.New(t, name, mesh, "COLLIE_LABEL="+name, "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+desks[name].socket).Start()
	}
	c := crew{lead: machine("atlas"), juno: machine("juno")}
	c.join(t, c.juno)
	phone := c.lead.Pair("pixel")
	herd := phone.Herd()
	defer herd.Close()
	row := func(name string) (found api.MachineInfo) {
		for _, m := range herd.Now().Machines {
			if m.Label == name {
				found = m
			}
		}
		return found
	}
	has := func(host, id string) bool {
		for _, p := range herd.Now().Panes {
			if p.Host == host && p.ID == id {
				return true
			}
		}
		return false
	}
	herd.Until(t, "both panes", func() bool { return has(row("atlas").ID, "%0") && has("juno", "%0") })

	// Both have a pane %0: what is sent to one reaches no other.
	typeLine(t, phone, "juno", "%0", "for juno")
	harness.Eventually(t, "the line on juno", func() bool { return desks["juno"].got() == "for juno\n" })
	if got := desks["atlas"].got(); got != "" {
		t.Errorf("atlas was given %q", got)
	}
	status, data := phone.Do(http.MethodPost, harness.PanePath("hera", "%0", "/reply"), api.Reply{Text: "stray", Submit: true, Screen: "none"})
	if status != http.StatusNotFound || harness.Code(data) != "host_unknown" {
		t.Errorf("a machine that is none: %d %s", status, data)
	}

	// Names and sizes of a member's tmux, from the phone.
	write := func(path string, body any) (int, string) {
		status, data := phone.Do(http.MethodPost, path, body)
		return status, harness.Code(data)
	}
	for path, body := range map[string]any{
		"/api/tab?host=juno": api.Relabel{ID: "@0", Label: "build"}, "/api/workspace?host=juno": api.Relabel{ID: "s0", Label: "shop"},
		harness.PanePath("juno", "%0", "/resize"): api.Resize{Cols: 44, Rows: 18}, harness.PanePath("juno", "%0", "/rename"): api.Rename{Label: "mine"},
	} {
		if status, code := write(path, body); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, code)
		}
	}
	herd.Until(t, "the names and the size", func() bool {
		now := herd.Now()
		named := 0
		for _, w := range now.Workspaces {
			if w.Host == "juno" && w.Label == "shop" {
				named++
			}
		}
		for _, tab := range now.Tabs {
			if tab.Host == "juno" && tab.Label == "build" {
				named++
			}
		}
		for _, p := range now.Panes {
			if p.Host == "juno" && p.ID == "%0" && p.Label == "mine" && p.Cols == 44 && p.Rows == 18 {
				named++
			}
		}
		return named == 3
	})
	if status, code := write("/api/workspace?host=juno", api.Relabel{ID: "s0", Label: "a.b"}); status != http.StatusConflict || code != "multiplexer_refused" {
		t.Errorf("a name that tmux does not take: %d %s", status, code)
	}

	// A multiplexer that is down, and then a machine that is: two states, on that
	// machine's row alone.
	desks["juno"].run("kill-server")
	herd.Until(t, "juno's panes gone, with the reason", func() bool {
		m := row("juno")
		return m.State == "reachable" && strings.Contains(m.Trouble, "tmux") && !has("juno", "%0")
	})
	if status, code := write(harness.PanePath("juno", "%0", "/reply"), api.Reply{Text: "stray", Submit: true, Screen: "none"}); status != http.StatusNotFound || code != "pane_not_found" {
		t.Errorf("a pane of a tmux that is down: %d %s", status, code)
	}
	desks["juno"].run("new-session", "-d", "-s", "again", "cat")
	herd.Until(t, "juno's tmux back", func() bool { return row("juno").Trouble == "" && has("juno", "%0") })
	c.juno.Stop()
	herd.Until(t, "juno away", func() bool { return row("juno").State == "unreachable" && row("juno").Trouble == "" })
	if atlas := row("atlas"); atlas.State != "reachable" || atlas.Trouble != "" || !has(atlas.ID, "%0") {
		t.Errorf("atlas is %+v", atlas)
	}
}
