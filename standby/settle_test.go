package standby_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/mesh/trust"
	"collie/standby"
)

func TestTheInheritedDevicesAreAdoptedOnceHoweverManySettleThem(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	adopt, adopted := juno.standby.Adopt, 0
	juno.standby.Adopt = func(devices []trust.Device) error {
		juno.mu.Lock()
		adopted++
		juno.mu.Unlock()
		time.Sleep(50 * time.Millisecond) // a slow disk
		return adopt(devices)
	}
	juno.full = true // so that the tap leaves it to those below
	_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	refused(t, "the tap", err, standby.ErrNotOpen)
	juno.mu.Lock()
	juno.full, adopted = false, 0
	juno.mu.Unlock()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := juno.standby.SettleDevices(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if adopted != 1 { // a device that was revoked after the first would be back
		t.Errorf("the list was written %d times", adopted)
	}
}

func TestAFormerLeadThatRanOnIsParkedWhenTheSecretWasReplaced(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	w.sever("atlas", "juno")
	w.sever("atlas", "iris")
	w.pass(arm + beat)
	if _, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	w.mend("atlas", "juno")
	atlas.turnedAway = true
	w.pass(beat)
	if crew := atlas.crew(); crew.Role != trust.RoleMember {
		t.Fatalf("the old lead is %s", crew.Role)
	}
	atlas.standby.End() // another role is played from now on
	atlas.standby.Begin(standby.Node{Identity: atlas.id, Peers: peers{atlas}})
	w.pass(4 * beat)
	if crew := atlas.crew(); crew.Role != trust.RoleDeposed || crew.Parked != trust.ParkedStranded {
		t.Errorf("the old lead is %s, %s", crew.Role, crew.Parked)
	}
}

func TestAnUnapprovedClaimHearsNothingOfABrokenListOfDevices(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	atlas.standby.Devices = func() ([]trust.Device, error) { return nil, errors.New("/home/me/devices.json is broken") }
	_, err := w.calls(w.nodes["iris"], atlas, standby.RouteHandover, struct{}{})
	refused(t, "the claim", err, standby.ErrNotApproved)
}

func TestADeviceThatIsRevokedBeforeTheHandoverIsNotHandedOver(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	audit := atlas.standby.Audit
	atlas.standby.Audit = func(e standby.Entry) error { // while the claim is looked at
		atlas.mu.Lock()
		atlas.devices = atlas.devices[:1]
		atlas.mu.Unlock()
		return audit(e)
	}
	if _, err := iris.standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(iris.devices) != 1 {
		t.Errorf("the new lead has %d devices", len(iris.devices))
	}
}

func TestAMemberStopsNoTakeoverWithTheWarrantThatStands(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	w.silence("atlas")
	juno := w.nodes["juno"]
	juno.standby.End()
	juno.standby.Begin(standby.Node{Identity: juno.id, Peers: liar{peers{juno}, w.nodes["iris"], standby.TakeoverAnswer{Higher: juno.crew().Warrant}}})
	if _, err := juno.standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Error(err)
	}
}

// liar is a network in which one machine answers a probe as it likes.
type liar struct {
	peers
	who    *machine
	answer standby.TakeoverAnswer
}

func (l liar) Call(ctx context.Context, fp identity.Fingerprint, route string, in, out any) error {
	if answer, probed := out.(*standby.TakeoverAnswer); probed && fp == l.who.fp() {
		*answer = l.answer
		return nil
	}
	return l.peers.Call(ctx, fp, route, in, out)
}
