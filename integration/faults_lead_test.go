package integration_test

import (
	"slices"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// leadOf is how a member sees its lead.
func leadOf(m *harness.Machine) string {
	members := harness.JSON[control.CrewStatus](m, "crew", "status").Members
	i := slices.IndexFunc(members, func(c control.CrewMember) bool { return c.Role == "lead" })
	return members[i].State
}

func TestALeadThatWasGoneIsFollowedAgainWithoutAHand(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct {
		begin, end func(*bench)
		blind      bool // the phone goes with the lead
	}{
		"its packets vanish": {func(b *bench) { b.lead.host.Drop("") }, func(b *bench) { b.lead.host.Pass("") }, false},
		"it is killed":       {func(b *bench) { b.lead.Kill() }, func(b *bench) { b.lead.Start() }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBench(t, "juno")
			began := time.Now()
			fault.begin(b)
			if !fault.blind {
				b.herd.Until(t, "the phone shows that both are away", func() bool { return b.all(away, "juno", "iris") })
				if took := time.Since(began); took > twoBeats {
					t.Errorf("the phone was told after %v", took)
				}
			}
			for _, m := range b.members {
				harness.Eventually(t, m.Name+" knows", func() bool { return leadOf(m.Machine) == "unreachable" })
			}
			if took := time.Since(began); took > idleOut {
				t.Errorf("it took %v until all of them knew", took)
			}
			time.Sleep(time.Until(began.Add(idleOut))) // nothing is left of the links then

			fault.end(b)
			ended := time.Now()
			if fault.blind {
				b.watch(t)
			}
			b.herd.Until(t, "both are back", func() bool { return b.all("reachable", "juno", "iris") })
			t.Logf("both were back after %v", time.Since(ended).Round(time.Millisecond))
			for _, m := range b.members {
				harness.Eventually(t, m.Name+" follows", func() bool { return leadOf(m.Machine) == "reachable" })
			}
			for _, m := range b.members {
				typeOn(t, b.phone, m.Machine).press(t)
			}
		})
	}
}
