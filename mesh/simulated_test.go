package mesh_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go/testutils/simnet"

	"collie/mesh"
	"collie/mesh/trust"
)

// network is a simulated one: packets arrive at once, or not at all while it is
// cut. Its time is the bubble's.
type network struct {
	simnet.PerfectRouter
	cut  atomic.Bool
	sent atomic.Int64
	seen func(simnet.Packet) (pass bool) // optional
}

func (n *network) SendPacket(p simnet.Packet) error {
	n.sent.Add(1)
	if n.cut.Load() || n.seen != nil && !n.seen(p) {
		return nil
	}
	return n.PerfectRouter.SendPacket(p)
}

// socket returns a socket of a host of its own.
func (n *network) socket(host byte) net.PacketConn {
	return simnet.NewBlockingSimConn(&net.UDPAddr{IP: net.IPv4(10, 0, 0, host).To4(), Port: 8788}, n)
}

// linkedOver is linked over a simulated network.
func linkedOver(t *testing.T, network *network) (lead, member *node) {
	t.Helper()
	lead = unstartedLead(t)
	lead.socket = network.socket(1)
	lead.run()
	member = joinedOver(t, network, lead)
	member.await(lead, "up", up)
	lead.await(member, "up", up)
	return lead, member
}

// joinedOver is a new member of a lead, which dials it.
func joinedOver(t *testing.T, network *network, lead *node) *node {
	t.Helper()
	member := newNode(t)
	config := member.joinConfig(lead, "atlas")
	config.PacketConn = network.socket(3)
	result, err := mesh.Join(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	member.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined("atlas")) })
	member.socket = network.socket(2)
	member.run()
	member.maintain(lead)
	return member
}

// TestLinkComesBackAfterTheNetwork is trial C11: after a network change the link
// hung or never came back.
func TestLinkComesBackAfterTheNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedOver(t, network)
		network.cut.Store(true)
		began := time.Now()
		// A read within its budget fails and does not hang.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.endpoint.RoundTripper(lead.fp()).RoundTrip(req); !errors.Is(err, mesh.ErrNoAnswer) || time.Since(began) > 5*time.Second {
			t.Errorf("a read while the network is cut: %v after %v", err, time.Since(began))
		}
		for _, side := range []struct{ n, other *node }{{lead, member}, {member, lead}} {
			side.n.await(side.other, "down", down)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("it was noticed after %v", took)
		}
		time.Sleep(6 * time.Minute)
		network.cut.Store(false)
		began = time.Now()
		member.await(lead, "up again", up)
		lead.await(member, "up again", up)
		// The longest wait, and a dial that began before.
		if took := time.Since(began); took > 35*time.Second {
			t.Errorf("it came back after %v", took)
		}
		if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
			t.Errorf("afterwards: %s", got)
		}
	})
}

func TestWakingDialsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedOver(t, network)
		network.cut.Store(true)
		member.await(lead, "down", down)
		time.Sleep(6 * time.Minute)
		network.cut.Store(false)
		for range 2 { // the first may find a dial under way that was cut off
			member.endpoint.Wake()
			time.Sleep(5 * time.Second)
		}
		if l := member.endpoint.LinkState(lead.fp()); !l.Up {
			t.Errorf("the link is %+v", l)
		}
	})
}

func TestShortCutOfTheNetworkIsSurvived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedOver(t, network)
		before := member.endpoint.LinkState(lead.fp())
		network.cut.Store(true)
		time.Sleep(8 * time.Second)
		network.cut.Store(false)
		time.Sleep(20 * time.Second)
		if after := member.endpoint.LinkState(lead.fp()); !after.Up || !after.Since.Equal(before.Since) {
			t.Errorf("the link is %+v, before %+v", after, before)
		}
	})
}

// A cut is shown within two beats, whenever it comes, and a short one ends no
// link though it was shown.
func TestCutOfTheNetworkIsShownWithinTwoBeatsAndALinkThatComesBackIsTheSame(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{10 * time.Millisecond, 1300 * time.Millisecond, 2500 * time.Millisecond, 4900 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			network := &network{}
			lead, member := linkedOver(t, network)
			time.Sleep(mesh.BeatEvery + after)
			began := time.Now()
			network.cut.Store(true)
			lead.await(member, "down", down)
			member.await(lead, "down", down)
			if took := time.Since(began); took > 2*mesh.BeatEvery-500*time.Millisecond {
				t.Errorf("cut %v after a beat it is shown after %v", after, took)
			}
			network.cut.Store(false)
			lead.await(member, "up", up)
			member.await(lead, "up", up)
			if took := time.Since(began); took > 15*time.Second { // then the link would be over
				t.Errorf("it was shown as up %v after the cut, on another link", took)
			}
		})
	}
}

// TestIdleLinkIsQuiet holds the cost of a link that nobody uses: a hello each
// way every 5 s, and what QUIC needs to carry them.
func TestIdleLinkIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedOver(t, network)
		time.Sleep(30 * time.Second)
		before := network.sent.Load()
		time.Sleep(time.Minute)
		if packets := network.sent.Load() - before; packets > 12*2*10 {
			t.Errorf("an idle minute took %d packets", packets)
		}
		if l := lead.endpoint.LinkState(member.fp()); time.Since(l.SeenAt) > 6*time.Second || time.Since(l.CalledAt) > 6*time.Second {
			t.Errorf("the beats are %v and %v old", time.Since(l.SeenAt), time.Since(l.CalledAt))
		}
	})
}

// TestSecondProcessUnderOnePinDoesNotHammer holds that a link which is refused
// as soon as it is up counts as a failed dial.
func TestSecondProcessUnderOnePinDoesNotHammer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedOver(t, network)
		twin := newNode(t)
		twin.id, twin.store, twin.socket = member.id, member.store, network.socket(4)
		twin.run()
		twin.maintain(lead)
		time.Sleep(time.Minute)
		before := network.sent.Load()
		time.Sleep(10 * time.Minute)
		// About 40 dials of some 40 packets, and the beats of the first process.
		if packets := network.sent.Load() - before; packets > 6000 {
			t.Errorf("ten minutes took %d packets", packets)
		}
		if l := member.endpoint.LinkState(lead.fp()); !l.Up {
			t.Errorf("the first process has the link %+v", l)
		}
	})
}

func TestMemberWithAnotherClockTellsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead := unstartedLead(t)
		lead.socket = network.socket(1)
		lead.clock = func() time.Time { return time.Now().Add(-time.Hour) }
		lead.run()
		member := joinedOver(t, network, lead)
		l := member.await(lead, "up", up)
		if got := l.ClockAhead.Round(time.Second); got != -time.Hour {
			t.Errorf("the lead's clock is ahead by %v", got)
		}
	})
}

// The clock that Go measures with stands still while a machine sleeps. What a peer
// said of its clock before is as much older by then.
func TestThePeersClockGoesOnWhileThisMachineSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead := unstartedLead(t)
		lead.socket = network.socket(1)
		var slept atomic.Int64
		began := time.Now()
		lead.uptime = func() time.Duration { return time.Since(began) + time.Duration(slept.Load()) }
		lead.run()
		member := joinedOver(t, network, lead)
		ahead := func() time.Duration {
			return time.Until(lead.endpoint.LinkState(member.fp()).PeerNow).Round(time.Second)
		}
		if now := lead.endpoint.LinkState(lead.fp()).PeerNow; !now.IsZero() {
			t.Errorf("one that said nothing has the clock %v", now)
		}
		lead.await(member, "up", up)
		time.Sleep(12 * time.Second) // between two beats
		if got := ahead(); got != 0 {
			t.Errorf("before the sleep the member's clock is ahead by %v", got)
		}
		slept.Store(int64(8 * time.Hour))
		if got := ahead(); got != 8*time.Hour {
			t.Errorf("after a sleep of 8 hours it is ahead by %v", got)
		}
		time.Sleep(5 * time.Second)
		if got := ahead(); got != 0 {
			t.Errorf("after a beat it is ahead by %v", got)
		}
	})
}
