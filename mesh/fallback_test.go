package mesh_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
)

// linkedWithTCP is linkedOver for hosts that can speak TCP as well. UDP may be
// cut before.
func linkedWithTCP(t *testing.T, network *network, handler http.Handler) (lead, member *node) {
	t.Helper()
	var tcp tcpNetwork
	lead = unstartedLead(t)
	lead.socket, lead.tcp, lead.dialTCP = network.socket(1), tcp.listen(1), tcp.dialFrom(1)
	if handler != nil {
		lead.handler = handler
	}
	lead.run()
	member = newNode(t)
	config := member.joinConfig(lead, "atlas")
	config.PacketConn, config.DialTCP = network.socket(3), tcp.dialFrom(3)
	result, err := mesh.Join(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	member.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined("atlas")) })
	member.socket, member.tcp, member.dialTCP = network.socket(2), tcp.listen(2), tcp.dialFrom(2)
	member.run()
	member.maintain(lead)
	member.await(lead, "up", up)
	lead.await(member, "up", up)
	return lead, member
}

func via(way string) func(mesh.Link) bool {
	return func(l mesh.Link) bool { return up(l) && l.Via == way }
}

func TestWhereUDPDoesNotPassALinkGoesOverTCP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		network.cut.Store(true)
		began := time.Now()
		lead, member := linkedWithTCP(t, network, nil)
		// It joined and dialled, each with a head start of 3 s for QUIC.
		if took := time.Since(began); took < 6*time.Second || took > 7*time.Second {
			t.Errorf("it took %v", took)
		}
		for _, side := range []struct{ n, other *node }{{lead, member}, {member, lead}} {
			if l := side.n.endpoint.LinkState(side.other.fp()); l.Via != "tcp" || !up(l) {
				t.Errorf("the link is %+v", l)
			}
		}
		if got := member.get(lead, "/x"); got != "200 true member atlas /x" {
			t.Errorf("member to lead: %s", got)
		}
		if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
			t.Errorf("lead to member: %s", got)
		}
	})
}

func TestQUICThatWorksIsNotRacedByTCP(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, member := linkedWithTCP(t, &network{}, http.NotFoundHandler())
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		_ = member
	})
}

func TestLinkLeavesTCPWhenQUICWorks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		network.cut.Store(true)
		lead, member := linkedWithTCP(t, network, nil)
		time.Sleep(10 * time.Minute) // by now it tries once in a minute
		network.cut.Store(false)
		time.Sleep(time.Minute + 5*time.Second) // and a try that began before takes 3 s
		for _, side := range []struct{ n, other *node }{{lead, member}, {member, lead}} {
			if l := side.n.endpoint.LinkState(side.other.fp()); l.Via != "quic" || !up(l) {
				t.Errorf("the link is %+v", l)
			}
		}
	})
}

func TestExchangeThatRunsOverTCPEndsInPeace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		network.cut.Store(true)
		reached, release := make(chan struct{}, 1), make(chan struct{})
		lead, member := linkedWithTCP(t, network, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reached <- struct{}{}
			<-release
			fmt.Fprint(w, "done")
		}))
		answer := make(chan string)
		go func() { answer <- member.get(lead, "/slow") }()
		<-reached
		network.cut.Store(false)
		for !via("quic")(member.endpoint.LinkState(lead.fp())) {
			member.endpoint.Wake() // it need not wait for its next try
			time.Sleep(time.Second)
		}
		time.Sleep(5 * time.Second)
		close(release)
		if got := <-answer; got != "200 done" {
			t.Errorf("the exchange that ran ended with %s", got)
		}
	})
}

func TestLinkTurnsToTCPWhenUDPStopsPassing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := &network{}
		lead, member := linkedWithTCP(t, network, nil)
		network.cut.Store(true)
		began := time.Now()
		member.await(lead, "over TCP", via("tcp"))
		lead.await(member, "over TCP", via("tcp"))
		// Two beats are missed, then comes the head start of QUIC.
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
		if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
			t.Errorf("afterwards: %s", got)
		}
	})
}

func TestPortThatIsTakenForTCPIsNoFailure(t *testing.T) {
	t.Parallel()
	lead := unstartedLead(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	lead.bind(taken.Addr().String())
	lead.run()
	if addr, err := lead.endpoint.Fallback(); addr != nil || err == nil {
		t.Errorf("the fallback listens on %v, %v", addr, err)
	}
	member := newMember(t, lead, "atlas")
	member.maintain(lead)
	member.await(lead, "up", via("quic"))
	if addr, err := member.endpoint.Fallback(); err != nil || addr.String() != member.address() {
		t.Errorf("the member's fallback listens on %v, %v", addr, err)
	}
}
