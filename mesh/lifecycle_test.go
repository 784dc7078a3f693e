package mesh_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

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
	if testing.Short() {
		t.Skip("it waits for a beat of 5 s")
	}
	t.Parallel()
	proxy := newProxy(t)
	lead := newLead(t)
	proxy.to(lead.address())
	member := newNode(t)
	config := member.joinConfig(lead, "atlas")
	result, err := mesh.Join(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	member.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined("atlas")) })
	member.run()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		member.endpoint.Maintain(ctx, lead.fp(), func() []string { return []string{proxy.address()} })
	}()
	t.Cleanup(func() { cancel(); <-done })
	member.await(lead, "up", up)
	proxy.drop(true) // the close of the old process is lost
	lead.stop()
	<-proxy.dropped
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
	lead.stop()
	future, err := quic.ListenAddr(lead.address(), serverTLS(lead), nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := future.Accept(context.Background())
		for err == nil {
			var stream *quic.Stream
			if stream, err = conn.AcceptStream(context.Background()); err == nil {
				if _, err := http.ReadRequest(bufio.NewReader(stream)); err == nil {
					const body = `{"error":"x","code":"protocol_mismatch","expected":7,"received":1}`
					fmt.Fprintf(stream, "HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				}
				_ = stream.Close()
			}
		}
	}()
	stop := member.maintain(lead)
	link := member.await(lead, "incompatible", func(l mesh.Link) bool { return l.State == mesh.StateIncompatible })
	if !strings.Contains(link.Reason, "this node speaks version 1, the other one version 7") {
		t.Errorf("the reason is %q", link.Reason)
	}
	stop()
	member.stop()
	_ = future.Close()
	<-done
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

// streaming answers with a line, and another one for everything that a test puts
// into more; it counts how many of its answers are under way.
type streaming struct {
	more  chan struct{}
	alive atomic.Int64
}

func (s *streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.alive.Add(1)
	defer s.alive.Add(-1)
	flusher := w.(http.Flusher)
	for {
		if _, err := io.WriteString(w, "line\n"); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-s.more:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *streaming) awaitAlive(t testing.TB, want int64) {
	t.Helper()
	for deadline := time.Now().Add(limit); s.alive.Load() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d answers are under way, want %d", s.alive.Load(), want)
		}
	}
}

func linkedTo(t testing.TB, handler http.Handler) (lead, member *node) {
	t.Helper()
	lead = newLead(t)
	member = newNode(t)
	member.handler = handler
	member.joined(lead, "atlas").maintain(lead)
	lead.await(member, "up", up)
	member.await(lead, "up", up)
	return lead, member
}

func TestLiveAnswerPassesAtOnceAndEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s := &streaming{more: make(chan struct{})}
	lead, member := linkedTo(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := lead.endpoint.RoundTripper(member.fp()).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(resp.Body)
	for i := range 3 {
		if line, err := lines.ReadString('\n'); err != nil || line != "line\n" {
			t.Fatalf("line %d is %q, %v", i, line, err)
		}
		if i < 2 {
			s.more <- struct{}{}
		}
	}
	s.awaitAlive(t, 1)
	cancel()
	s.awaitAlive(t, 0)
	_ = resp.Body.Close()
}

func TestLiveAnswerEndsWhenItsServerCloses(t *testing.T) {
	t.Parallel()
	s := &streaming{more: make(chan struct{})}
	lead, member := linkedTo(t, s)
	resp, err := lead.call(member, http.MethodGet, "/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	member.stop()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the answer ended as if it were whole")
	}
	_ = resp.Body.Close()
	if s.alive.Load() != 0 {
		t.Error("Close did not wait for the handler")
	}
}

func TestAnswerThatNeverComesIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	lead, member := linkedTo(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	}))
	done := make(chan error)
	go func() {
		_, err := lead.call(member, http.MethodPost, "/write", strings.NewReader("x"))
		done <- err
	}()
	<-reached
	lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, "atlas") })
	if err := <-done; !errors.Is(err, mesh.ErrNoAnswer) || !errors.Is(err, mesh.ErrRevoked) || errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("the caller got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	lead, member := linkedTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	}))
	client := http.Client{Transport: lead.endpoint.RoundTripper(member.fp())}
	if _, err := client.Get("http://member/x"); !errors.Is(err, mesh.ErrNoAnswer) {
		t.Errorf("a redirect gave %v", err)
	}
	if calls.Load() != 1 {
		t.Errorf("the member was called %d times", calls.Load())
	}
}

func TestNothingIsAddedToARequestNorTakenFromAnAnswer(t *testing.T) {
	t.Parallel()
	lead, member := linkedTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"User-Agent", "Accept-Encoding", "Cookie", "Authorization"} {
			if r.Header.Get(name) != "" {
				t.Errorf("the handler sees %s: %s", name, r.Header.Get(name))
			}
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = io.WriteString(w, "not really gzip")
	}))
	for range 2 {
		if got := lead.get(member, "/x"); got != "200 not really gzip" {
			t.Errorf("the answer is %q", got)
		}
	}
}

func TestRequestsThatWouldBeRefusedAreNotSent(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	for name, change := range map[string]func(*http.Request){
		"CONNECT":  func(r *http.Request) { r.Method = http.MethodConnect },
		"trailers": func(r *http.Request) { r.Trailer = http.Header{"X": nil} },
		"upgrade":  func(r *http.Request) { r.Header.Set("Upgrade", "h2c") },
		"repeated": func(r *http.Request) { r.Header["Collie-Device"] = []string{"a", "b"} },
	} {
		req, err := http.NewRequest(http.MethodGet, "/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		if _, err := lead.endpoint.RoundTripper(member.fp()).RoundTrip(req); !errors.Is(err, mesh.ErrRequest) || !errors.Is(err, mesh.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelledExchangesLeaveNothing is trial C13: sockets and goroutines stayed
// after a close of one half only.
func TestCancelledExchangesLeaveNothing(t *testing.T) {
	// Not parallel: it counts goroutines.
	s := &streaming{more: make(chan struct{})}
	lead, member := linkedTo(t, s)
	transport := lead.endpoint.RoundTripper(member.fp())
	before := runtime.NumGoroutine()
	const exchanges, together = 1000, 50
	slots := make(chan struct{}, together)
	var group sync.WaitGroup
	var failed atomic.Int64
	for i := range exchanges {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "/live", strings.NewReader("body"))
			if err != nil {
				failed.Add(1)
				return
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				failed.Add(1)
				return
			}
			if i%2 == 0 {
				cancel() // the other half is closed by its reader
			}
			_ = resp.Body.Close()
		})
	}
	group.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d exchanges failed", n)
	}
	s.awaitAlive(t, 0)
	for deadline := time.Now().Add(limit); runtime.NumGoroutine() > before+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	// More than twice the streams that may be open at a time went through, so
	// none of them is held.
	s.more = make(chan struct{})
	if l := lead.endpoint.LinkState(member.fp()); !l.Up {
		t.Errorf("the link is %+v", l)
	}
}
