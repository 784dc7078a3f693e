package mesh_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
)

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
	lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RemoveMember(old, "atlas", lead.id, time.Now())
	})
	if err := <-done; !errors.Is(err, mesh.ErrNoAnswer) || !errors.Is(err, mesh.ErrRevoked) || errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("the caller got %v", err)
	}
}

func TestLiveAnswersLeaveRoomForTheRest(t *testing.T) {
	t.Parallel()
	s := &streaming{more: make(chan struct{})}
	lead, member := linkedTo(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/live" {
			w.Header().Set("Content-Type", "text/event-stream")
			s.ServeHTTP(w, r)
		}
	}))
	var open []*http.Response
	for range mesh.MaxLong {
		resp, err := lead.call(member, http.MethodGet, "/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, resp)
	}
	if _, err := lead.call(member, http.MethodGet, "/live", nil); !errors.Is(err, mesh.ErrBusy) {
		t.Errorf("one more: %v", err)
	}
	if got := lead.get(member, "/short"); got != "200 " {
		t.Errorf("a short one beside them: %s", got)
	}
	if err := open[0].Body.Close(); err != nil {
		t.Fatal(err)
	}
	resp, err := lead.call(member, http.MethodGet, "/live", nil)
	if err != nil {
		t.Fatalf("once there is room: %v", err)
	}
	for _, r := range append(open[1:], resp) {
		_ = r.Body.Close()
	}
	s.awaitAlive(t, 0)
}

// TestFullLinkStillBeats opens as many exchanges as may be, none of which is
// answered: they must not cost the link its hellos.
func TestFullLinkStillBeats(t *testing.T) {
	t.Parallel()
	var reached sync.WaitGroup
	reached.Add(mesh.MaxExchanges)
	lead, member := linkedTo(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached.Done()
		<-r.Context().Done()
	}))
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for range mesh.MaxExchanges {
		group.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "/x", nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := lead.endpoint.RoundTripper(member.fp()).RoundTrip(req); !errors.Is(err, context.Canceled) {
				t.Errorf("an exchange ended with %v", err)
			}
		})
	}
	reached.Wait()
	before := lead.endpoint.LinkState(member.fp()).SeenAt
	lead.await(member, "seen again", func(l mesh.Link) bool { return up(l) && l.SeenAt.After(before) })
	short, cancelShort := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancelShort()
	req, err := http.NewRequestWithContext(short, http.MethodGet, "/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lead.endpoint.RoundTripper(member.fp()).RoundTrip(req); !errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("one more: %v", err)
	}
	cancel()
	group.Wait()
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

func TestAnswerWithALongHeaderIsRefused(t *testing.T) {
	t.Parallel()
	lead, member := linkedTo(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("a", mesh.MaxHeader))
	}))
	if _, err := lead.call(member, http.MethodGet, "/x", nil); !errors.Is(err, mesh.ErrNoAnswer) {
		t.Errorf("the caller got %v", err)
	}
	if !lead.endpoint.LinkState(member.fp()).Up {
		t.Error("it cost the link")
	}
}

func TestHandlerThatPanicsEndsItsOwnExchangeAlone(t *testing.T) {
	t.Parallel()
	lead, member := linkedTo(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("a bug")
		}
	}))
	if _, err := lead.call(member, http.MethodGet, "/panic", nil); !errors.Is(err, mesh.ErrNoAnswer) {
		t.Errorf("the caller got %v", err)
	}
	if got := lead.get(member, "/x"); got != "200 " {
		t.Errorf("afterwards: %s", got)
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
