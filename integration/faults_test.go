package integration_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/mesh"
	"collie/node/api"
	"collie/node/control"
)

const (
	// twoBeats is how long the phone may be shown what is not so any more.
	twoBeats = 2 * mesh.BeatEvery
	// idleOut is longer than a link lives without a packet.
	idleOut = 16 * time.Second
)

// A bench is a crew on which faults strike, each machine a process on a host of
// its own: atlas leads, iris is healthy all the time, and the others are not. A
// phone, which is where atlas is, watches the herd and a pane of iris.
type bench struct {
	lead    place
	members map[string]place
	phone   *harness.Phone
	herd    *harness.Herd
	keys    *typist // on iris
}

// A place is a machine and where it is on the network.
type place struct {
	*harness.Machine
	host *harness.Host
}

// startBench starts a crew with iris and these members.
func startBench(t *testing.T, members ...string) *bench {
	t.Helper()
	network := harness.NewNetwork(t)
	start := func(name string) place {
		host := network.Host()
		m := harness.New(t, name, "COLLIE_LABEL="+name, "COLLIE_MESH_LISTEN=:8788").On(host).Start()
		return place{m, host}
	}
	b := &bench{lead: start("atlas"), members: map[string]place{}}
	for _, name := range append(members, "iris") {
		b.members[name] = start(name)
		joinCrew(t, b.lead.Machine, b.members[name].Machine)
	}
	b.phone = b.lead.Pair("pixel")
	b.watch(t)
	return b
}

func joinCrew(t *testing.T, lead, m *harness.Machine, addresses ...string) {
	t.Helper()
	args := []string{"crew", "invite"}
	for _, address := range addresses {
		args = append(args, "--address", address)
	}
	invite := harness.JSON[control.Invite](lead, args...)
	if result := m.Run(invite.Token, "crew", "join", invite.Addresses[0], "-"); result.Exit != 0 {
		t.Fatalf("%s did not join: %s\n%s", m.Name, result.Stderr, m.Log())
	}
}

// watch follows the herd until it is shown healthy, and types on iris.
func (b *bench) watch(t *testing.T) {
	t.Helper()
	b.phone.URL = b.lead.URL // another port after a restart
	b.herd = b.phone.Herd()
	for name := range b.members {
		b.await(t, name, "reachable")
	}
	b.keys = typeOn(t, b.phone, b.members["iris"].Machine)
}

// await waits until the phone shows a machine in some way, and until
// /api/snapshot says the same as the stream of events.
func (b *bench) await(t *testing.T, machine, shown string) {
	t.Helper()
	b.herd.Until(t, machine+" is "+shown, func() bool { return b.herd.Shown(machine) == shown })
	var plain api.Snapshot
	b.phone.Get("/api/snapshot", &plain)
	for _, m := range plain.Machines {
		if m.ID == machine && harness.ShownAs(m) != shown {
			t.Errorf("%s is %q in a plain snapshot and %q in the stream", machine, harness.ShownAs(m), shown)
		}
	}
}

// away is how a machine is shown while its lead tries to reach it.
const away = "unreachable stale reconnecting"

// all says whether the phone shows all of these machines in some way.
func (b *bench) all(shown string, machines ...string) bool {
	return !slices.ContainsFunc(machines, func(m string) bool { return b.herd.Shown(m) != shown })
}

// A typist presses keys in a pane of a machine and watches the echo.
type typist struct {
	phone      *harness.Phone
	host, pane string
	screen     *harness.Mirror
	pressed    int
}

func typeOn(t *testing.T, phone *harness.Phone, m *harness.Machine) *typist {
	t.Helper()
	p := &typist{phone: phone, host: m.Name, pane: harness.JSON[control.ID](m, "pane", "new", "--", "cat").ID}
	p.screen = phone.Watch(p.host, p.pane)
	p.screen.Until(t, "a first frame of "+m.Name, func(string) bool { return p.screen.Head().Cols > 0 })
	return p
}

// press presses one key and returns how long its echo took.
func (p *typist) press(t *testing.T) time.Duration {
	t.Helper()
	if p.pressed++; p.pressed%60 == 0 { // a line that never grows out of its row
		p.phone.Post(harness.PanePath(p.host, p.pane, "/keys"), api.Keys{Keys: []string{"Enter"}}, nil)
	}
	before := p.screen.Head().Seq
	began := time.Now()
	if status := p.phone.Post(harness.PanePath(p.host, p.pane, "/keys"), api.Keys{Keys: []string{"x"}, Typed: true}, nil); status != http.StatusOK {
		t.Fatalf("a key on %s was answered %d", p.host, status)
	}
	p.screen.Until(t, "the echo on "+p.host, func(string) bool { return p.screen.Head().Seq > before })
	return time.Since(began)
}

// during presses keys until a condition holds, at least so often.
func (p *typist) during(t *testing.T, least int, over func() bool) delays {
	t.Helper()
	var took delays
	for deadline := time.Now().Add(harness.Patience); len(took) < least || !over(); {
		if time.Now().After(deadline) {
			t.Fatal("it is not over after so long")
		}
		took = append(took, p.press(t))
		time.Sleep(pressEvery)
	}
	return took
}

// delays are times from key to frame.
type delays []time.Duration

func (d delays) at(percent int) time.Duration {
	return slices.Sorted(slices.Values(d))[(len(d)-1)*percent/100].Round(10 * time.Microsecond)
}

// sampled is how many keys say what is usual.
const sampled = 60

// usual is how long the echo takes while nothing is wrong.
func (p *typist) usual(t *testing.T) delays {
	t.Helper()
	return p.during(t, sampled, func() bool { return true })
}

// undelayed compares the delays of a healthy member during a fault with those
// from before. What waits for a member that does not answer waits for seconds;
// the rest of the room is for a machine that runs other tests as well.
func undelayed(t *testing.T, before, during delays) {
	t.Helper()
	t.Logf("key to frame on the healthy member: p50 %v before and %v during the fault (%.2f times), p99 %v and %v, of %d and %d keys",
		before.at(50), during.at(50), float64(during.at(50))/float64(before.at(50)), before.at(99), during.at(99), len(before), len(during))
	if during.at(50) > 3*before.at(50)+20*time.Millisecond || during.at(99) > 3*before.at(99)+time.Second {
		t.Errorf("a healthy member is delayed")
	}
}

func TestFaultsOfMembersAreShownWithinTwoBeatsDelayNobodyAndNeedNoHand(t *testing.T) {
	t.Parallel()
	faults := map[string]struct{ begin, end func(place) }{
		"unplugged": {func(m place) { m.host.Unplug() }, func(m place) { m.host.Plug() }},
		"unheard":   {func(m place) { m.host.Drop("") }, func(m place) { m.host.Pass("") }},
		"killed":    {func(m place) { m.Kill() }, func(m place) { m.Start() }},
		"frozen":    {func(m place) { m.Freeze() }, func(m place) { m.Thaw() }},
	}
	names := slices.Sorted(maps.Keys(faults))
	b := startBench(t, names...)
	panes := map[string]string{}
	for _, name := range names {
		panes[name] = paneOf(t, b.phone, name)
	}
	before := b.keys.usual(t)

	began := time.Now()
	for _, name := range names {
		faults[name].begin(b.members[name])
	}
	during := b.keys.during(t, 1, func() bool { return b.all(away, names...) })
	for _, name := range names {
		seen := b.herd.Since(began, name)
		if took := seen[len(seen)-1].At.Sub(began); took > twoBeats || len(seen) != 1 {
			t.Errorf("%s was shown as %v, at last after %v", name, seen, took)
		}
		b.await(t, name, away)
		if !slices.ContainsFunc(b.herd.Now().Panes, func(p api.PaneInfo) bool { return p.Host == name && p.ID == panes[name] }) {
			t.Errorf("the panes of %s have left the herd", name)
		}
		status, data := b.phone.Do(http.MethodPost, harness.PanePath(name, panes[name], "/keys"), api.Keys{Keys: []string{"x"}})
		if status != http.StatusServiceUnavailable || harness.Code(data) != "host_unreachable" {
			t.Errorf("a write to %s is answered %d %s", name, status, data)
		}
	}
	during = append(during, b.keys.during(t, 1, func() bool { return time.Since(began) > idleOut })...)

	ended := time.Now()
	for _, name := range names {
		faults[name].end(b.members[name])
	}
	during = append(during, b.keys.during(t, 1, func() bool { return b.all("reachable", names...) })...)
	undelayed(t, before, during)
	if shown := b.herd.Since(began, "iris"); len(shown) > 0 {
		t.Errorf("iris was shown as %v", shown)
	}
	for _, name := range names {
		b.await(t, name, "reachable")
		t.Logf("%s was shown as reachable %v after its fault", name, b.herd.Since(ended, name)[0].At.Sub(ended).Round(time.Millisecond))
		typeLine(t, b.phone, name, panes[name], "echo back again")
		screen := b.phone.Watch(name, panes[name])
		screen.Until(t, "the pane of "+name+" works", func(text string) bool { return strings.Contains(text, "\nback again") })
	}
}
