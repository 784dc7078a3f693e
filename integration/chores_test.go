package integration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// Chores are all that has a node write: messages on it, to it and from it,
// deliveries, schedules, wakes, and the audit lines of them.
type chores struct {
	t    *testing.T
	m    *harness.Machine
	peer *harness.Machine // of the same crew, or nil
	disk *harness.Disk    // of m, or nil
	all  []chore

	pane  string                                 // of the session on m
	ask   func(command string) (id, code string) // has an agent on m run a command
	typed string                                 // the file with all that the session was typed
	kept  map[string]string                      // the state of what was acknowledged, by id
	known map[string]bool                        // the ids that a chore was told, also of what then waits
	ids   int
}

// A chore is done and acknowledged with an id, or there is a code why not.
type chore struct {
	name string
	do   func() (id, code string)
	kept string // what it is then
	// refused are the codes that it may have on a disk that refuses.
	refused []string
}

// newChores starts a machine of a role: solo, lead or member. disk is called before
// it starts.
func newChores(t *testing.T, role string, disk func(*harness.Machine) *harness.Disk) *chores {
	t.Helper()
	port := harness.FreePort(t)
	machine := func(name string) *harness.Machine {
		return harness.New(t, name, "COLLIE_LABEL="+name, fmt.Sprintf("COLLIE_HOOKS_PORT=%d", port), fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t)))
	}
	c := &chores{t: t, m: machine(role), kept: map[string]string{}, known: map[string]bool{}}
	c.disk = disk(c.m)
	c.m.Start()
	self := ""
	if role != "solo" {
		self, c.peer = role, harness.New(t, "peer", "COLLIE_LABEL=peer", fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))).Start()
		if role == "lead" {
			joinCrew(t, c.m, c.peer)
		} else {
			joinCrew(t, c.peer, c.m)
		}
	}
	c.typed = filepath.Join(c.m.Home, "typed")
	// It says nothing itself: what it says may come in the middle of a line.
	c.pane = session(c.m, "/bin/sh", "-c", "exec cat >>"+c.typed)
	c.ask = c.askAgent()
	c.all = []chore{
		{"a message on it", c.send(c.m, address(t, c.m, self, c.pane)), "delivered", []string{"audit_unavailable"}},
		{"a delivery", c.deliver(openHook(t, c.m, port, "ci", c.pane)), "delivered", []string{"webhook_not_taken"}},
		{"a schedule", c.book(c.pane), "booked", []string{"audit_unavailable"}},
		{"a wake", func() (string, string) { return c.ask("wake --in 10m 'look at the build'") }, "booked", []string{"audit"}},
	}
	if c.peer != nil {
		there := address(t, c.m, "peer", session(c.peer, "cat"))
		c.all = append(c.all,
			chore{"a message to it", c.send(c.peer, address(t, c.peer, role, c.pane)), "delivered", []string{"refused unrecorded", "held ", "accepted "}},
			chore{"a message from it", func() (string, string) { return c.ask("walky send '" + there + "' 'the build is green'") }, "delivered", []string{"audit"}})
	}
	return c
}

// session opens a pane whose program is said to be an agent.
func session(m *harness.Machine, command ...string) string {
	return harness.JSON[control.ID](m, append([]string{"pane", "new", "--harness", "agent", "--cols", "200", "--"}, command...)...).ID
}

func (c *chores) wantDone(when string) {
	c.t.Helper()
	for _, one := range c.all {
		var code string
		harness.Eventually(c.t, one.name+", "+when, func() bool { code = c.try(one); return code == "" })
	}
}

// entered enters what a node that was killed may have left in the line of a session:
// until then what comes next waits, as it does behind a person's half line.
func entered(t *testing.T, m *harness.Machine, pane string) {
	t.Helper()
	client := control.Dial(m.State)
	harness.Eventually(t, "an Enter in "+pane, func() bool {
		return client.Call(t.Context(), http.MethodPost, "/panes/"+pane+"/keys", control.PaneKeys{Keys: []string{"Enter"}}, nil) == nil
	})
}

// try does a chore and notes what was acknowledged.
func (c *chores) try(one chore) (code string) {
	id, code := one.do()
	c.known[id] = true
	if code == "" {
		c.kept[id] = one.kept
	}
	return code
}

// wantRefused says that the disk refuses by now: every chore is refused by its
// code, nothing is typed, and the node says it.
func (c *chores) wantRefused(why string) {
	c.t.Helper()
	for _, one := range c.all[:3] { // a file may have some room left, which they may use
		_ = c.try(one)
	}
	client := control.Dial(c.m.State)
	harness.Eventually(c.t, "an audit log without room", func() bool {
		return codeOf(client.Call(c.t.Context(), http.MethodPost, "/schedules/none/remove", struct{}{}, nil)) == "audit_unavailable"
	})
	// What the session has read it may write to its file at any time later: what
	// counts is that nothing of which the node said yes only now is among it.
	before := maps.Clone(c.known)
	for _, one := range c.all {
		code := c.try(one)
		if !slices.ContainsFunc(one.refused, func(want string) bool { return code != "" && strings.Contains(code, want) }) {
			c.t.Errorf("%s, when %s: %q, want %q", one.name, why, code, one.refused)
		}
	}
	for _, id := range c.wasTyped() {
		if !before[id] {
			c.t.Errorf("when %s: %q was typed", why, id)
		}
	}
	if said := c.said(); !strings.Contains(said, "the state folder cannot be written") || !strings.Contains(said, "nothing is typed or changed here: audit log cannot be written") {
		c.t.Errorf("when %s the node says only %q", why, said)
	}
}

// said is what the node says of its disk, in collie doctor and collie status.
func (c *chores) said() (said string) {
	c.t.Helper()
	for _, check := range c.doctor().Checks {
		if check.ID == "disk" && strings.Contains(check.Reason, "cannot be written") {
			said = check.Reason
		}
	}
	var status control.Status
	_ = json.Unmarshal([]byte(c.m.Run("", "status", "--json").Stdout), &status) // no node, no status
	for _, trouble := range status.Trouble {
		said += "; " + trouble.What
	}
	return said
}

// doctor is the document of collie doctor, which fails where something is wrong.
func (c *chores) doctor() (doctor control.Doctor) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.m.Run("", "doctor", "--json").Stdout), &doctor); err != nil {
		c.t.Fatal(err)
	}
	return doctor
}

var announced = regexp.MustCompile(`collie walky inbox ([0-9A-Z]{26})`)

// wasTyped is the ids of the messages that were typed into the session on m.
func (c *chores) wasTyped() (ids []string) {
	c.t.Helper()
	text, err := os.ReadFile(c.typed)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, found := range announced.FindAllStringSubmatch(string(text), -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// wantKept says that all that was acknowledged is there, and that what was typed
// was typed once and is in the journal.
func (c *chores) wantKept() {
	c.t.Helper()
	states := map[string]string{}
	for _, e := range harness.JSON[[]control.WalkyEntry](c.m, "walky", "log") {
		states[e.ID] = e.State
	}
	for id, typed := range counted(c.wasTyped()) {
		if typed > 1 || states[id] == "" {
			c.t.Errorf("%s was typed %d times, and is %q", id, typed, states[id])
		}
	}
	for _, s := range harness.JSON[[]control.Schedule](c.m, "schedule", "list") {
		states[s.Name] = "booked"
	}
	for _, w := range harness.JSON[[]control.Wake](c.m, "wake", "list") {
		states[w.ID] = "booked"
	}
	for id, state := range c.kept {
		if states[id] != state {
			c.t.Errorf("%s was %s, and is %q", id, state, states[id])
		}
	}
}

func counted(ids []string) map[string]int {
	times := map[string]int{}
	for _, id := range ids {
		times[id]++
	}
	return times
}

// codeOf is the code of a refusal.
func codeOf(err error) string {
	var refused *api.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return refused.Code
	}
	return err.Error()
}

// send sends a message from a machine, as its operator, and waits for its receipt.
func (c *chores) send(from *harness.Machine, to string) func() (id, code string) {
	client := control.Dial(from.State)
	return func() (string, string) {
		var receipt control.WalkyReceipt
		err := client.Call(c.t.Context(), http.MethodPost, "/walky/send", control.WalkySend{To: to, Body: "the build is green", WaitMs: 2000}, &receipt)
		if err == nil && receipt.State != "delivered" {
			return receipt.ID, receipt.State + " " + string(receipt.Reason)
		}
		return receipt.ID, codeOf(err)
	}
}

// deliver posts a new delivery.
func (c *chores) deliver(h *hook) func() (id, code string) {
	return func() (string, string) {
		c.ids++
		return h.deliver(fmt.Sprint("delivery-", c.ids), "body")
	}
}

// book adds a schedule.
func (c *chores) book(pane string) func() (id, code string) {
	client := control.Dial(c.m.State)
	return func() (string, string) {
		c.ids++
		name := fmt.Sprint("schedule-", c.ids)
		return name, codeOf(client.Call(c.t.Context(), http.MethodPost, "/schedules", control.ScheduleAdd{Name: name, Cron: "0 0 1 1 *", To: pane, Text: "a new year"}, nil))
	}
}

// askAgent starts an agent that runs what it is asked to by a pipe: nothing has to
// be typed for that. The code of a command that failed is its output.
func (c *chores) askAgent() (ask func(command string) (id, code string)) {
	c.t.Helper()
	pipe, answer := filepath.Join(c.m.Home, "ask"), filepath.Join(c.m.Home, "answer")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		c.t.Fatal(err)
	}
	session(c.m, "/bin/sh", "-c", fmt.Sprintf(`while IFS= read -r line; do sh -c "$line" >%[2]s.part 2>&1; mv %[2]s.part %[2]s; done <>%[1]s`, pipe, answer))
	return func(command string) (string, string) {
		if err := os.WriteFile(pipe, []byte(harness.Program(c.t)+" --json "+command+"\n"), 0); err != nil {
			c.t.Fatal(err)
		}
		var text []byte
		harness.Eventually(c.t, "an answer to "+command, func() (done bool) {
			var err error
			text, err = os.ReadFile(answer)
			return err == nil && os.Remove(answer) == nil
		})
		var done struct{ ID, Name, State string }
		if json.Unmarshal(text, &done) != nil || done.State != "" && done.State != "delivered" {
			return "", string(text)
		}
		return done.ID + done.Name, ""
	}
}
