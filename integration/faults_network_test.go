package integration_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// counter prints a number after the other, fast enough that a stream of its
// screen never rests.
const counter = `n=0; while :; do n=$((n+1)); echo line $n; sleep 0.05; done`

// lastLine is the newest number that a screen shows of counter.
func lastLine(text string) int {
	newest := 0
	for line := range strings.Lines(text) {
		if number, ok := strings.CutPrefix(strings.TrimSpace(line), "line "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				newest = max(newest, n)
			}
		}
	}
	return newest
}

func TestALiveStreamGoesOnWhenItsMachineMovesToAnotherAddress(t *testing.T) {
	t.Parallel()
	b := startBench(t, "juno")
	juno := b.members["juno"]
	pane := harness.JSON[control.ID](juno.Machine, "pane", "new", "--", "/bin/sh", "-c", counter).ID
	screen := b.phone.Watch("juno", pane)
	newest := 0
	goesOn := func(what string, lines int) time.Duration {
		t.Helper()
		began, from := time.Now(), newest
		screen.Until(t, what, func(text string) bool { newest = lastLine(text); return newest >= from+lines })
		return time.Since(began)
	}
	before := b.keys.usual(t)
	goesOn("the stream", 1)

	began := time.Now()
	for i := range 2 {
		juno.host.Move()
		t.Logf("the stream showed a second's worth of lines %v after move %d to %s", goesOn("the stream after a move", 20).Round(time.Millisecond), i+1, juno.host.Address())
	}
	undelayed(t, before, b.keys.during(t, sampled, func() bool { return time.Since(began) > twoBeats }))
	goesOn("the stream two beats later", 1)
	for _, name := range []string{"juno", "iris"} {
		if shown := b.herd.Since(began, name); len(shown) > 0 {
			t.Errorf("%s was shown as %v", name, shown)
		}
	}
	if log := b.lead.Log(); strings.Contains(log, "an exchange with a member ended") {
		t.Errorf("an exchange on the link did not live through the moves:\n%s", log)
	}
}

// A relayed crew is a lead, a member at the other end of a relay, which only
// dials out, and one that is near.
type relayed struct {
	lead, far, near *harness.Machine
	relay           *harness.Relay
}

func startRelayed(t *testing.T, seed uint64, weather harness.Weather) relayed {
	t.Helper()
	c := relayed{
		lead: harness.New(t, "atlas", "COLLIE_LABEL=atlas", fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))).Start(),
		far:  harness.New(t, "juno", "COLLIE_LABEL=juno").Start(),
		near: harness.New(t, "iris", "COLLIE_LABEL=iris").Start(),
	}
	joinCrew(t, c.lead, c.near)
	link := harness.JSON[control.Status](c.lead, "status").Mesh.Listen
	c.relay = harness.NewRelay(t, string(link), seed)
	c.relay.Set(weather)
	joinCrew(t, c.lead, c.far, c.relay.Address())
	return c
}

func TestALinkThatLosesAFifthOfItsPacketsAndTakesItsTimeStillServes(t *testing.T) {
	t.Parallel()
	const seed = 1
	c := startRelayed(t, seed, harness.Weather{})
	phone := c.lead.Pair("pixel")
	herd := phone.Herd()
	near := typeOn(t, phone, c.near)
	herd.Until(t, "juno is reachable", func() bool { return herd.Shown("juno") == "reachable" })
	before := near.usual(t)

	c.far.Stop()
	herd.Until(t, "juno is away", func() bool { return herd.Shown("juno") == away })
	c.relay.Set(harness.Weather{Loss: 0.2, Delay: 300 * time.Millisecond, Jitter: 100 * time.Millisecond})
	began := time.Now()
	c.far.Start()
	herd.Until(t, "the link comes up", func() bool { return herd.Shown("juno") == "reachable" })
	t.Logf("the link was up %v after the node was started", time.Since(began).Round(time.Millisecond))

	to := address(t, c.near, "juno", openAgent(t, c.far))
	if sent := harness.JSON[control.WalkyReceipt](c.near, "walky", "send", "--wait", "25s", to, "the weather is bad"); sent.State != "delivered" {
		t.Errorf("the message is %s (%s), want delivered", sent.State, sent.Reason)
	}
	far := typeOn(t, phone, c.far)
	t.Logf("key to frame through it: p50 %v", far.during(t, 5, func() bool { return true }).at(50))
	undelayed(t, before, near.usual(t))
	carried, lost := c.relay.Packets()
	t.Logf("of its packets %d were carried and %d lost; since then juno was shown as %v", carried, lost, herd.Since(began, "juno"))
	if lost < 20 || herd.Shown("juno") != "reachable" {
		t.Errorf("juno is %s", herd.Shown("juno"))
	}
	if shown := herd.Since(began, "iris"); len(shown) > 0 {
		t.Errorf("iris was shown as %v", shown)
	}
}
