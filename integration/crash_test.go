package integration_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

func TestPanesOutliveANodeThatIsKilled(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	counter := harness.JSON[control.ID](m, "pane", "new", "--", "/bin/sh", "-c", "n=0; while read -r _; do n=$((n+1)); echo count $n; done").ID
	m.CLI("pane", "keys", counter, "Enter", "Enter", "Enter")
	harness.Eventually(t, "count 3", func() bool { return strings.Contains(screenOf(m, counter), "count 3") })
	before := harness.JSON[[]control.Pane](m, "pane", "list")
	screens := map[string]string{}
	for _, p := range before {
		screens[p.ID] = screenOf(m, p.ID)
	}

	m.Kill()
	m.Start()

	after := harness.JSON[[]control.Pane](m, "pane", "list")
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the panes are %v, want %v", after, before)
	}
	for id, screen := range screens {
		if got := screenOf(m, id); got != screen {
			t.Errorf("the screen of %s is\n%s\nwant\n%s", id, got, screen)
		}
	}
	m.CLI("pane", "keys", counter, "Enter")
	harness.Eventually(t, "count 4 from the same program", func() bool { return strings.Contains(screenOf(m, counter), "count 4") })
}

func TestTheSecondNodeOfAFolderSaysWhoHoldsIt(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	second := m.Run("", "up")
	if second.Exit != 3 || !strings.Contains(second.Stderr, fmt.Sprint(m.PID())) {
		t.Errorf("exit %d, %q; want 3 and the process id %d", second.Exit, second.Stderr, m.PID())
	}
}

func TestASoloNodeWritesNoKeyOpensNoUDPPortAndSendsNoHost(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	phone := m.Pair("pixel")
	paneOf(t, phone, "")
	_, data := phone.Do(http.MethodGet, "/api/snapshot", nil)
	for _, field := range []string{`"host"`, `"machines"`} {
		if strings.Contains(string(data), field) {
			t.Errorf("the snapshot of a solo node has a field %s: %s", field, data)
		}
	}
	if listen := harness.JSON[control.Status](m, "status").Mesh.Listen; listen != "" {
		t.Errorf("a solo node says that its crew link listens on %s", listen)
	}
	if n := udpSockets(t, m.PID()); n != 0 {
		t.Errorf("a solo node has %d UDP sockets", n)
	}
	err := filepath.WalkDir(m.State, func(path string, entry os.DirEntry, err error) error {
		if name := entry.Name(); err == nil && (strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key") || name == "crew.json") {
			t.Errorf("a solo node wrote %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// udpSockets counts the UDP sockets of a process.
func udpSockets(t *testing.T, pid int) int {
	t.Helper()
	udp := map[string]bool{}
	for _, table := range []string{"udp", "udp6"} {
		text, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if fields := strings.Fields(line); len(fields) > 9 {
				udp["socket:["+fields[9]+"]"] = true
			}
		}
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, entry := range entries {
		if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, entry.Name())); err == nil && udp[target] {
			count++
		}
	}
	return count
}

func TestAStateFileThatIsCutIsRefusedByNameAndLeftAlone(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	path := filepath.Join(c.juno.State, "crew.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if exit := c.juno.Stop(); exit != 0 {
		t.Errorf("SIGTERM ended the node with %d, want 0", exit)
	}
	half := whole[:len(whole)/2]
	if err := os.WriteFile(path, half, 0o600); err != nil {
		t.Fatal(err)
	}
	c.juno.Start()
	status := harness.JSON[control.Status](c.juno, "status")
	if len(status.Trouble) != 1 || !strings.Contains(status.Trouble[0].What, "crew.json") {
		t.Errorf("the status names the trouble %v, want crew.json", status.Trouble)
	}
	refused := c.juno.Run("", "crew", "invite")
	if refused.Exit == 0 {
		t.Error("a node whose crew file cannot be read founded another crew")
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(half) {
		t.Errorf("the file was changed (%v)", err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	c.juno.Stop()
	c.juno.Start()
	harness.Eventually(t, "juno is back", func() bool { return c.state("juno") == "reachable" })
}

func TestRemovingAMemberClosesItsOpenConnectionWithinASecond(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	phone := c.lead.Pair("pixel")
	pane := paneOf(t, phone, "juno")
	screen := phone.Watch("juno", pane)
	screen.Until(t, "a prompt", func(text string) bool { return text != "" })
	c.lead.CLI("crew", "remove", "juno")
	began := time.Now()
	screen.End(t)
	stream := time.Since(began)
	harness.Eventually(t, "juno has lost its lead", func() bool { return leadOf(c.juno) != "reachable" })
	link := time.Since(began)
	t.Logf("after the command returned, the live stream of its pane ended within %v and juno knew within %v",
		stream.Round(time.Millisecond), link.Round(time.Millisecond))
	if max(stream, link) > time.Second {
		t.Error("its connection was open for longer than a second")
	}
	var s api.Snapshot
	phone.Get("/api/snapshot", &s)
	for _, m := range s.Machines {
		if m.ID == "juno" {
			t.Error("a removed member is still in the herd")
		}
	}
	status, data := phone.Do(http.MethodGet, harness.PanePath("juno", pane, ""), nil)
	if status != http.StatusNotFound || harness.Code(data) != "host_unknown" {
		t.Errorf("a pane of a removed member is answered %d %s", status, data)
	}
}

func TestAMemberThatLeavesIsSoloAndGoneFromTheHerd(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	c.iris.CLI("crew", "leave")
	harness.Eventually(t, "iris is gone from the crew", func() bool { return c.state("iris") == "" })
	if mode := harness.JSON[control.Status](c.iris, "status").Mode; mode != "solo" {
		t.Errorf("iris is %s, want solo", mode)
	}
	if _, err := os.Stat(filepath.Join(c.iris.State, "identity.pem")); !os.IsNotExist(err) {
		t.Errorf("the key of the crew that was left is still there (%v)", err)
	}
	if n := udpSockets(t, c.iris.PID()); n != 0 {
		t.Errorf("iris still has %d UDP sockets", n)
	}
}
