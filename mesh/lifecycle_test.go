package mesh_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/need"
	"collie/crypto/secret"
	"collie/mesh"
	"collie/mesh/trust"
)

func TestPeerThatWasStartedAgainIsNoticedAndServedAgain(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	before := member.endpoint.LinkState(lead.fp())
	lead.stop()
	member.await(lead, "down", down)
	lead.processID = "another one"
	lead.run()
	after := member.await(lead, "up", up)
	if !after.Since.After(before.Since) {
		t.Errorf("since %v, before %v", after.Since, before.Since)
	}
	lead.await(member, "up", up)
	if got := member.get(lead, "/x"); got != "200 true member atlas /x" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestPeerThatDiedWithoutAWordIsNoticedAtTheNextBeat kills the lead's sockets without a close, as a
// loss of power does, and starts it again on the same port: the stored reset key
// tells the member at its next beat.
func TestPeerThatDiedWithoutAWordIsNoticedAtTheNextBeat(t *testing.T) {
	need.Time(t, "a beat of 5 s")
	t.Parallel()
	proxy := newProxy(t)
	lead, member := linkedThrough(t, proxy)
	proxy.drop(true) // the close of the old process is lost
	lead.stop()
	proxy.flush(t)
	lead.processID = "another one"
	lead.run()
	proxy.drop(false)
	began := time.Now()
	link := member.await(lead, "down", down)
	if took := time.Since(began); took > 7*time.Second || !strings.HasPrefix(link.Reason, "the node was started again") {
		t.Errorf("it was noticed after %v: %s", took, link.Reason)
	}
	member.await(lead, "up again", up)
}

// linkedThrough is linked, with a proxy on the way from the member to the lead.
func linkedThrough(t testing.TB, proxy *proxy) (lead, member *node) {
	t.Helper()
	lead = newLead(t)
	proxy.to(t, lead.address())
	member = newMember(t, lead, "atlas")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	endpoint := member.endpoint
	go func() {
		defer close(done)
		endpoint.Maintain(ctx, lead.fp(), func() []string { return []string{proxy.address()} })
	}()
	t.Cleanup(func() { cancel(); <-done })
	member.await(lead, "up", up)
	lead.await(member, "up", up)
	return lead, member
}

func TestLinkLivesThroughANewPort(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t)
	lead, member := linkedThrough(t, proxy)
	before := lead.endpoint.LinkState(member.fp())
	for i := range 3 {
		proxy.rebind(t)
		if got := member.get(lead, "/x"); got != "200 true member atlas /x" {
			t.Errorf("after change %d: %s", i, got)
		}
		if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
			t.Errorf("the other way after change %d: %s", i, got)
		}
	}
	if after := lead.endpoint.LinkState(member.fp()); !after.Since.Equal(before.Since) {
		t.Errorf("it is another link: %+v, before %+v", after, before)
	}
}

// TestLinkFollowsAMoveAtOnce has an answer under way to a node that has moved and
// says nothing: its other end would learn that at the next beat.
func TestLinkFollowsAMoveAtOnce(t *testing.T) {
	t.Parallel()
	proxy := newProxy(t)
	lead, member := linkedThrough(t, proxy)
	before := lead.endpoint.LinkState(member.fp())
	for range 3 {
		proxy.rebind(t)
		began := time.Now()
		member.endpoint.NetworkChanged()
		if got := lead.get(member, "/x"); got != "200 true lead lead /x" {
			t.Errorf("lead to member: %s", got)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
	}
	if after := lead.endpoint.LinkState(member.fp()); !after.Since.Equal(before.Since) {
		t.Errorf("it is another link: %+v, before %+v", after, before)
	}
}

func TestTwoProcessesUnderOnePinAreAConflict(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	before := lead.endpoint.LinkState(member.fp())
	twin := newNode(t)
	twin.id, twin.store = member.id, member.store
	twin.run()
	twin.maintain(lead)
	link := lead.await(member, "conflicted", func(l mesh.Link) bool { return l.State == mesh.StateConflicted })
	if !link.Up || !link.Since.Equal(before.Since) || link.Reason != "duplicate identity" {
		t.Errorf("the lead sees %+v, before %+v", link, before)
	}
	twin.await(lead, "conflicted", func(l mesh.Link) bool { return !l.Up && l.State == mesh.StateConflicted })
	if got := member.get(lead, "/x"); got != "200 true member atlas /x" {
		t.Errorf("the first one is served with %s", got)
	}
}

func TestPairKeepsTheConnectionThatTheMemberDialled(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	// The member is confirmed by its first hello, so the lead may dial it.
	lead.maintain(member)
	member.await(lead, "up", up)
	lead.await(member, "up by its own dial", func(l mesh.Link) bool { return up(l) && l.Dialled })
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := member.endpoint.Dial(ctx, lead.fp(), []string{lead.address()}); err != nil {
		t.Fatal(err)
	}
	lead.await(member, "up by the member's dial", func(l mesh.Link) bool { return up(l) && !l.Dialled })
	member.await(lead, "up by its own dial", func(l mesh.Link) bool { return up(l) && l.Dialled })
	if err := lead.endpoint.Dial(ctx, member.fp(), []string{member.address()}); err != nil {
		t.Fatal(err)
	}
	if l := lead.endpoint.LinkState(member.fp()); l.Dialled {
		t.Errorf("the lead's own dial took the place: %+v", l)
	}
	if got := lead.get(member, "/x"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("a call afterwards: %s", got)
	}
}

func TestOldSecretIsShownAsUnenrolled(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		next := *old
		next.Secret, next.SecretGeneration = secret.NewKey(strings.NewReader(strings.Repeat("k", 32))), 2
		return &next, nil
	})
	member.maintain(lead)
	unenrolled := func(l mesh.Link) bool { return !l.Up && l.State == mesh.StateUnenrolled }
	member.await(lead, "unenrolled", unenrolled)
	lead.await(member, "unenrolled", unenrolled)
}

// TestAnotherProtocolIsShownAsIncompatible puts a lead of the future behind the
// real lead's certificate.
func TestAnotherProtocolIsShownAsIncompatible(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "atlas")
	end := answering(t, lead, `{"error":"x","code":"protocol_mismatch","expected":7,"received":1}`)
	stop := member.maintain(lead)
	link := member.await(lead, "incompatible", func(l mesh.Link) bool { return l.State == mesh.StateIncompatible })
	if !strings.Contains(link.Reason, "this node speaks version 1, the other one version 7") {
		t.Errorf("the reason is %q", link.Reason)
	}
	stop()
	member.stop()
	end()
}

// answering puts in the place of a node something with its certificate that
// answers every request with a 409 and a body, until end is called.
func answering(t *testing.T, n *node, body string) (end func()) {
	t.Helper()
	n.stop()
	other, err := quic.ListenAddr(n.address(), serverTLS(n), nil)
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	serve := func(conn *quic.Conn) {
		for {
			stream, err := conn.AcceptStream(context.Background())
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(stream)); err == nil {
				fmt.Fprintf(stream, "HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			_ = stream.Close()
		}
	}
	done.Go(func() {
		for {
			conn, err := other.Accept(context.Background())
			if err != nil {
				return
			}
			done.Go(func() { serve(conn) })
		}
	})
	return func() { _ = other.Close(); done.Wait() }
}

func TestUnconfirmedMemberIsGoneAfterItsMinute(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		token := secret.NewToken(strings.NewReader(strings.Repeat("t", 32)))
		next, _, err := trust.AddInvite(old, secret.Hash(token), time.Now())
		if err != nil {
			return nil, err
		}
		// It joined long enough ago that a second is left.
		at := time.Now().Add(time.Second - trust.ConfirmWithin)
		next, _, err = trust.Admit(next, trust.Admission{Token: token, Certificate: parsed(t, newNode(t)), Label: "late"}, at)
		return next, err
	})
	changed, stop := lead.store.Watch()
	defer stop()
	deadline := time.After(limit)
	for len(lead.store.Crew().Members) > 0 {
		select {
		case <-changed:
		case <-deadline:
			t.Fatal("it is still there")
		}
	}
}
