package integration_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/control"
)

// A refusal is a way in which the kernel refuses to write what a node has to keep.
type refusal struct {
	name       string
	begin, end func(*chores)
	stays      bool // also when the node is started again
}

var (
	limited = refusal{
		"no file may grow", // which needs no right
		func(c *chores) { c.m.FileLimit(0) }, func(c *chores) { c.m.FileLimit(harness.NoLimit) }, false,
	}
	full      = refusal{"the disk is full", func(c *chores) { c.disk.Fill() }, func(c *chores) { c.disk.Free() }, true}
	immutable = refusal{"no file may change", func(c *chores) { c.immutable(true) }, func(c *chores) { c.immutable(false) }, false}
)

func (c *chores) immutable(on bool) {
	c.t.Helper()
	if on { // nobody could remove them else
		c.t.Cleanup(func() { _ = c.m.Immutable(false) })
	}
	if err := c.m.Immutable(on); err != nil {
		c.t.Fatal(err)
	}
}

func TestADiskThatRefusesIsSaidAndNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	if !harness.Mounting(t) {
		return
	}
	for _, role := range []string{"solo", "lead", "member"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			c := newChores(t, role, func(m *harness.Machine) *harness.Disk { return m.OnDisk(1 << 20) })
			c.refuse(limited, full)
		})
	}
}

// This one runs everywhere: a limit needs no right. Immutable files need one, and a
// file system that knows them; what is open is refused there as well.
func TestFilesThatMayNotChangeAreSaidAndNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	c := newChores(t, "solo", func(*harness.Machine) *harness.Disk { return nil })
	ways := []refusal{limited}
	if err := errors.Join(c.m.Immutable(true), c.m.Immutable(false)); err != nil {
		t.Logf("without immutable files: %v", err)
	} else {
		ways = append(ways, immutable)
	}
	c.refuse(ways...)
}

// refuse goes through ways in which the disk of a running node refuses, and kills
// it at last.
func (c *chores) refuse(ways ...refusal) {
	c.t.Helper()
	c.wantDone("at first")
	for _, way := range ways {
		way.begin(c)
		c.wantRefused(way.name)
		if way.stays {
			c.m.Kill()
			c.m.Start()
			c.wantRefused(way.name + ", and the node was started again")
		}
		way.end(c)
		entered(c.t, c.m, c.pane)
		c.wantDone("after " + way.name)
		if said := c.said(); said != "" {
			c.t.Errorf("after %s: %s", way.name, said)
		}
	}
	c.m.Kill()
	c.m.Start()
	entered(c.t, c.m, c.pane)
	c.wantKept()
	c.wantDone("after it was killed")
}

// What the last run left open is unknown from then on. That this cannot be written
// down is no reason not to start.
func TestANodeStartsOnADiskThatIsFull(t *testing.T) {
	t.Parallel()
	if !harness.Mounting(t) {
		return
	}
	c := newChores(t, "member", func(m *harness.Machine) *harness.Disk { return m.OnDisk(1 << 20) })
	to := address(t, c.m, "peer", session(c.peer, "cat"))
	c.peer.Freeze()
	defer c.peer.Thaw()
	var sent control.WalkyReceipt
	err := control.Dial(c.m.State).Call(t.Context(), http.MethodPost, "/walky/send", control.WalkySend{To: to, Body: "x", WaitMs: 1}, &sent)
	if err != nil || sent.State != "accepted" {
		t.Fatalf("%+v, %v", sent, err)
	}
	c.m.Kill()
	c.sealJournal()
	c.disk.Fill()
	c.m.Start()
	if state := stateOf(c.m, sent.ID); state != "unknown" {
		t.Errorf("on a full disk the message is %q", state)
	}
	c.m.Kill()
	c.disk.Free()
	c.m.Start()
	if state := stateOf(c.m, sent.ID); state != "unknown" {
		t.Errorf("the message is %q", state)
	}
}

// sealJournal damages the end of the journal, so that the next line needs a file of
// its own, and with it room.
func (c *chores) sealJournal() {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.m.State, "walky", "journal", "*"))
	if err != nil || len(files) == 0 {
		c.t.Fatal(files, err)
	}
	file, err := os.OpenFile(files[len(files)-1], os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("damaged\n"); err != nil {
		c.t.Fatal(err)
	}
}

// The kernel makes the disk read-only under the running node, as it does when one
// dies. It stays that until it is mended and mounted again.
func TestADiskThatDiesUnderANodeLosesNothingThatItAcknowledged(t *testing.T) {
	t.Parallel()
	c := newChores(t, "solo", (*harness.Machine).OnExt4)
	c.wantDone("at first")
	c.disk.Break()
	c.wantRefused("the disk died")
	c.m.Kill()
	c.disk.Mend()
	c.m.Start()
	c.wantKept()
}

func TestANodeWhoseDiskIsReadOnlyDoesNotStartAndSaysWhy(t *testing.T) {
	t.Parallel()
	if !harness.Mounting(t) {
		return
	}
	c := newChores(t, "solo", func(m *harness.Machine) *harness.Disk { return m.OnDisk(1 << 20) })
	c.wantDone("at first")
	c.m.Kill()
	c.disk.ReadOnly()
	up := c.m.Run("", "up")
	if up.Exit != 1 || !strings.Contains(up.Stderr, "read-only file system\nhint: make that disk writable, and start the node again") {
		t.Errorf("collie up: exit %d, %s", up.Exit, up.Stderr)
	}
	if said := c.said(); !strings.Contains(said, "the state folder cannot be written: read-only file system") {
		t.Errorf("collie doctor says %q", said)
	}
	c.disk.Writable()
	c.m.Start()
	c.wantKept()
	for _, check := range c.doctor().Checks {
		if check.ID == "audit" && check.Verdict != "ok" {
			t.Errorf("the audit log: %s", check.Reason)
		}
	}
}
