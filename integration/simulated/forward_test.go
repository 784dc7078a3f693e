package simulated

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/api"
)

func TestAMemberThatOnlyDialsOutIsServedLikeAnyOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var network Network
		network.Delay(80 * time.Millisecond) // one way
		lead := NewLead(t, &network, "barn")
		atlas := NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		if crew := lead.Store.Crew(); len(crew.Members[0].Addresses) != 0 || lead.Link(atlas).Dialled {
			t.Fatalf("the lead could dial: %+v", crew.Members[0])
		}
		lead.Await("live", func() bool { return live(lead, "atlas") })
		history, err := machine(t, lead, "atlas").History(t.Context(), "p1", 3, 1)
		if err != nil || history.Total != 7 || history.From != 3 {
			t.Errorf("a read through the lead: %+v, %v", history, err)
		}
	})
}

func TestAReplyWhoseAnswerIsCutHasAnUnknownOutcomeAndIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := &panes{}
		network, lead, atlas := newPair(t, Options{Panes: kept})
		lead.Await("live", func() bool { return live(lead, "atlas") })
		atlas.Around("/pane/p1/reply", func(serve func(), _ *httptest.ResponseRecorder) {
			serve()
			network.Cut(atlas)
		})
		began := time.Now()
		_, err := machine(t, lead, "atlas").Reply(t.Context(), "p1", api.Reply{Text: "yes", Submit: true})
		if refused := api.AsError(err); refused.Status != 504 || refused.Code != "write_outcome_unknown" || refused.Host != "atlas" {
			t.Errorf("the phone is told %v", err)
		}
		if took := time.Since(began); took > api.WriteBudget {
			t.Errorf("it took %v", took)
		}
		lines, err := lead.Audit.Tail(1)
		if err != nil || lines[0].Action != "pane.reply" || lines[0].Outcome != "write_outcome_unknown" {
			t.Errorf("the audit log ends in %+v, %v", lines, err)
		}
		network.Heal(atlas)
		time.Sleep(time.Minute)
		if got := kept.got(); !slices.Equal(got, []string{"p1 yes"}) || !live(lead, "atlas") {
			t.Errorf("the pane got %q", got)
		}
	})
}

// TestAThousandForwardsLeaveNothingBehind is trial C13: sockets and goroutines
// stayed after a close. It runs alone, because it counts goroutines.
func TestAThousandForwardsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network Network
		lead := NewLead(t, &network, "barn")
		NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
		stuck := &panes{stuck: true}
		NewMember(t, &network, lead, "juno", Options{Panes: stuck})
		lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "juno") })
		synctest.Wait()
		before := runtime.NumGoroutine()
		for range 50 {
			var forwards sync.WaitGroup
			for i := range 20 {
				forwards.Go(func() {
					if i%2 == 0 {
						if _, err := machine(t, lead, "atlas").History(t.Context(), "p1", 0, 1); err != nil {
							t.Errorf("a read: %v", err)
						}
						return
					}
					ctx, cancel := context.WithCancel(t.Context())
					time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
					if _, err := machine(t, lead, "juno").History(ctx, "p1", 0, 1); err == nil {
						t.Error("a cancelled read has an answer")
					}
				})
			}
			forwards.Wait()
		}
		time.Sleep(time.Second) // what was abandoned is told to the other side
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+20 { // the runtime has some of its own
			t.Errorf("goroutines grew from %d to %d", before, after)
		}
		if !live(lead, "atlas") || !live(lead, "juno") {
			t.Error("a link did not live through it")
		}
	})
}

func TestNeitherSideReachesARouteOfTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{})
		for _, c := range []struct {
			transport    http.RoundTripper
			method, path string
		}{
			{lead.Transport(atlas), http.MethodPost, "/walky/send"},
			{lead.Transport(atlas), http.MethodPost, "/walky/who"},
			{lead.Transport(atlas), http.MethodPost, "/leave"},
			{atlas.Transport(lead), http.MethodGet, "/snapshot"},
			{atlas.Transport(lead), http.MethodGet, "/events"},
			{atlas.Transport(lead), http.MethodPost, "/pane/p1/reply"},
			{atlas.Transport(lead), http.MethodPost, "/walky/deliver"},
			{atlas.Transport(lead), http.MethodPost, "/walky/result"},
		} {
			request, err := http.NewRequestWithContext(t.Context(), c.method, "http://crew/crew/v1"+c.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := c.transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			if response.Body.Close() != nil || response.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s is answered %s", c.method, c.path, response.Status)
			}
		}
	})
}
