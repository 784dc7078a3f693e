package lead

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"collie/mesh"
	"collie/node/api"
	"collie/node/walky"
)

// following is a lead that follows atlas, without a link.
func following(t *testing.T, log *slog.Logger, member *machine) (*Lead, *remote) {
	t.Helper()
	l := New(openNode(t, slog.New(slog.DiscardHandler)), time.Now, log)
	l.herd.lead(crewOf("atlas"), "build")
	l.herd.update("atlas", func(f *follower) { show(f, mesh.Link{State: mesh.StateReachable}) })
	return l, l.remote("atlas", member)
}

func (l *Lead) atlas() follower {
	l.herd.mu.Lock()
	defer l.herd.mu.Unlock()
	return *l.herd.followers["atlas"]
}

func TestAMemberThatInventsObjectsWithoutEndKeepsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		member := newMachine()
		for i := range 40 {
			var change api.Change
			for j := range 100 {
				change.Workspaces = append(change.Workspaces, api.Workspace{ID: fmt.Sprintf("w%d-%d", i, j)})
				change.Tabs = append(change.Tabs, api.Tab{ID: fmt.Sprintf("t%d-%d", i, j), Workspace: "w1"})
				change.Panes = append(change.Panes, paneOf(fmt.Sprintf("p%d-%d", i, j)))
			}
			member.events = append(member.events, api.Event{Change: &change})
		}
		member.err = api.ErrInternal // its events end
		l, machine := following(t, slog.New(slog.DiscardHandler), member)
		_ = l.readEvents(t.Context(), machine) // how it ends is another test's
		copied := l.atlas().snapshot
		if len(copied.Workspaces) != api.MaxPanes || len(copied.Tabs) != api.MaxPanes || len(copied.Panes) != api.MaxPanes {
			t.Errorf("%d workspaces, %d tabs, %d panes", len(copied.Workspaces), len(copied.Tabs), len(copied.Panes))
		}
	})
}

func TestAFloodOfEventsIsTakenAtAPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		member := newMachine()
		for i := range 1100 {
			member.events = append(member.events, api.Event{Change: &api.Change{Panes: []api.PaneInfo{paneOf(fmt.Sprint("p", i%7))}}})
		}
		member.err = api.ErrInternal
		l, machine := following(t, slog.New(slog.DiscardHandler), member)
		began := time.Now()
		_ = l.readEvents(t.Context(), machine)
		if took := time.Since(began); took < 19*time.Second || took > 21*time.Second {
			t.Errorf("1100 events at 50 a second took %v", took)
		}
	})
}

func TestWhatEndedTheEventsOfAMemberIsToldApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err           error
		state, reason string
	}{
		{api.ErrHostUnreachable, "unreachable", missedBeats},
		{api.ErrInternal, "reachable", unreadable},
		{api.ErrHostAnswer, "reachable", unreadable},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := snapshotOf("p1")
			l, machine := following(t, slog.New(slog.DiscardHandler), &machine{events: []api.Event{{Snapshot: &s}}, err: c.err})
			if err := l.readEvents(t.Context(), machine); !errors.Is(err, c.err) {
				t.Errorf("got %v, want %v", err, c.err)
			}
			got := merged(l.herd, "atlas")
			if m := got.Machines[0]; m.State != c.state || m.Reason != c.reason || !m.Stale || len(got.Panes) != 1 {
				t.Errorf("%v: %+v", c.err, got)
			}
			l.herd.update("atlas", func(f *follower) { f.machine = machine })
			if _, err := l.Machine("atlas"); errors.Is(err, api.ErrHostUnreachable) != (c.state == "unreachable") {
				t.Errorf("%v: a write afterwards is met with %v", c.err, err)
			}
		})
	}
}

func TestAMemberReportsOnNothingThatWasNotSentToItAndFillsNoLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		member := newMachine()
		for range 200 {
			member.events = append(member.events, api.Event{Receipt: &walky.Receipt{ID: "01JZZZZZZZZZZZZZZZZZZZZZZZ", State: walky.Read}})
		}
		member.err = api.ErrInternal
		var log bytes.Buffer
		l, machine := following(t, slog.New(slog.NewTextHandler(&log, nil)), member)
		_ = l.readEvents(t.Context(), machine)
		if n := strings.Count(log.String(), "receipt was refused"); n != 1 {
			t.Errorf("200 receipts of nothing wrote %d lines:\n%.500s", n, &log)
		}
	})
}

func TestTheLeadsOwnPanesAreFollowedAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := snapshotOf("p1")
		local := &flaky{machine: machine{events: []api.Event{{Snapshot: &s}}}, failures: 3}
		l := &Lead{herd: newHerd(local, time.Now), now: time.Now, log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.FollowLocal(ctx) }()
		time.Sleep(4 * retryFirst)
		if got := merged(l.herd, ""); len(got.Panes) != 1 {
			t.Errorf("the herd is %+v", got)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
}

// flaky fails to follow its panes a few times.
type flaky struct {
	machine
	failures int
}

func (f *flaky) Events(ctx context.Context, send func(api.Event) error) error {
	if f.failures--; f.failures >= 0 {
		return errors.New("the disk is full")
	}
	return f.machine.Events(ctx, send)
}

func TestAllAnswersOfAMemberTogetherArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := &paced{next: endless{}, pace: rate.NewLimiter(memberRate, memberBurst)}
		began, done := time.Now(), make(chan error)
		for range 2 {
			go func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
				var response *http.Response
				if err == nil {
					response, err = transport.RoundTrip(request)
				}
				if err == nil {
					_, err = io.CopyN(io.Discard, response.Body, 2*memberRate)
					err = errors.Join(err, response.Body.Close())
				}
				done <- err
			}()
		}
		must(t, errors.Join(<-done, <-done))
		if took := time.Since(began); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("four seconds' worth of text took %v", took)
		}
	})
}

// endless answers without end, at once.
type endless struct{}

func (endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(endless{})}, nil
}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAnAnswerThatOutlastsItsRequestEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody)
		must(t, err)
		response, err := newPaced(endless{}).RoundTrip(request)
		must(t, err)
		defer response.Body.Close()
		began := time.Now()
		if _, err := io.Copy(io.Discard, response.Body); err == nil {
			t.Error("an endless answer was read to its end")
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
