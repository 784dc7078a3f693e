package simulated

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/api"
	"collie/node/walky"
)

// scripted is a machine whose events a test sends.
type scripted struct {
	panes
	events chan api.Event
	said   int
}

func (s *scripted) Events(ctx context.Context, send func(api.Event) error) error {
	for {
		select {
		case event := <-s.events:
			if err := send(event); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// says has the machine send an event, and one more that shows in the herd of the
// lead once the first was dealt with.
func (s *scripted) says(lead *Node, host string, event api.Event) {
	s.said++
	id := fmt.Sprint("said-", s.said)
	s.events <- event
	s.events <- api.Event{Change: &api.Change{Panes: []api.PaneInfo{{ID: id, Workspace: "w1", Tab: "t1"}}}}
	lead.AwaitHerd("shows "+id, func(h api.Snapshot) bool {
		return slices.ContainsFunc(h.Panes, func(p api.PaneInfo) bool { return p.Host == host && p.ID == id })
	})
}

// withALiar is a crew whose member atlas is live and whose other one, the liar, says
// what a test has it say.
func withALiar(t *testing.T) (lead *Node, liar *scripted) {
	t.Helper()
	var network Network
	lead, liar = NewLead(t, &network, "barn"), &scripted{events: make(chan api.Event)}
	NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
	NewMember(t, &network, lead, "liar", Options{Panes: liar})
	lead.Await("live", func() bool { return live(lead, "atlas") })
	return lead, liar
}

func TestAMemberReportsOnNoMessageOfAnotherOne(t *testing.T) {
	t.Parallel()
	network, lead, atlas, juno := newCrew(t, Options{})
	liar := &scripted{events: make(chan api.Event)}
	NewMember(t, network, lead, "liar", Options{Panes: liar})
	sent := send(t, atlas, openAgent(t, juno), "for juno")
	liar.says(lead, "liar", api.Event{Receipt: &walky.Receipt{ID: sent.ID, State: walky.Read}})
	for _, n := range []*Node{lead, atlas, juno} {
		if got := state(n, sent.ID); got != walky.Delivered {
			t.Errorf("%s knows the message as %s", n.Name, got)
		}
	}
}

func TestWhatAMemberSaysAboutOthersIsAboutItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lead, liar := withALiar(t)
		before := MachineOf(lead.Herd(), "atlas").State
		liar.says(lead, "liar", api.Event{Change: &api.Change{
			Machines: []api.MachineInfo{{ID: "atlas", State: "unreachable"}},
			Panes:    []api.PaneInfo{{ID: "p1", Host: "atlas", Workspace: "w1", Tab: "t1", Title: "forged"}},
		}})
		liar.says(lead, "liar", api.Event{Gone: &api.Gone{Machines: []string{"atlas"}, Panes: []api.Ref{{ID: "p1", Host: "atlas"}}}})
		herd := lead.Herd()
		if m := MachineOf(herd, "atlas"); m == nil || m.State != before || !live(lead, "atlas") {
			t.Errorf("atlas is %+v", m)
		}
		for _, p := range herd.Panes {
			if p.Host == "atlas" && p.Title != "shop" || p.Title == "forged" {
				t.Errorf("%+v is shown", p)
			}
		}
	})
}

func TestAFloodOfAMemberCostsNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lead, liar := withALiar(t)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		sent := 0
		for ; ctx.Err() == nil; sent++ {
			change := &api.Change{}
			for i := range 50 {
				id := fmt.Sprintf("%d-%d", sent, i)
				change.Workspaces = append(change.Workspaces, api.Workspace{ID: "w" + id})
				change.Tabs = append(change.Tabs, api.Tab{ID: "t" + id, Workspace: "w" + id})
				change.Panes = append(change.Panes, api.PaneInfo{ID: "p" + id, Workspace: "w" + id, Tab: "t" + id, Title: strings.Repeat("x", 1000)})
			}
			select {
			case liar.events <- api.Event{Change: change}:
			case <-ctx.Done():
			}
			if sent%50 == 0 { // in the midst of it
				began := time.Now()
				if _, err := machine(t, lead, "atlas").History(t.Context(), "p1", 0, 1); err != nil || !live(lead, "atlas") || time.Since(began) > 50*time.Millisecond {
					t.Errorf("atlas: %v after %v", err, time.Since(began))
				}
			}
		}
		if sent*50 < 2*api.MaxPanes {
			t.Errorf("%d events were no flood", sent)
		}
		herd, own := lead.Herd(), map[string]int{}
		for _, p := range herd.Panes {
			own[p.Host]++
		}
		if own["liar"] > api.MaxPanes || own["atlas"] != 1 || len(herd.Tabs) > api.MaxPanes+1 || len(herd.Workspaces) > api.MaxPanes+1 {
			t.Errorf("the herd has the panes %v, %d tabs, %d workspaces", own, len(herd.Tabs), len(herd.Workspaces))
		}
	})
}

// TestGarbageInThePlaceOfEventsCostsNobodyElse has a member answer its lead's
// events with what is none, and go on with it for as long as it is read.
func TestGarbageInThePlaceOfEventsCostsNobodyElse(t *testing.T) {
	t.Parallel()
	const allowed = 64 << 20
	for name, garbage := range map[string]struct{ first, again string }{
		"a line without end":        {"data: ", strings.Repeat("x", 16<<10)},
		"an event without end":      {"event: snapshot\n", "data: {\n"},
		"names without end":         {"", strings.Repeat("n", 8<<10)},
		"empty lines":               {"", strings.Repeat("\n", 4<<10)},
		"comments":                  {"", ": " + strings.Repeat("c", 100) + "\n"},
		"beats and nothing else":    {"", "event: beat\ndata: {}\n\n"},
		"no JSON":                   {"", "event: snapshot\ndata: <html>\n\n"},
		"a deep document":           {"event: change\ndata: ", strings.Repeat("[", 16<<10)},
		"a list of nothing":         {"event: change\ndata: {\"panes\":[", strings.Repeat("{},", 5000)},
		"bytes":                     {"\x00\xff", strings.Repeat("\x00\xfe\r", 5000)},
		"an answer of another type": {"HTTP/1.1 200 OK\r\n\r\n", "<html>"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var network Network
				lead := NewLead(t, &network, "barn")
				NewMember(t, &network, lead, "atlas", Options{Panes: &panes{}})
				liar := NewMember(t, &network, lead, "liar", Options{Panes: &panes{}})
				lead.Await("live", func() bool { return live(lead, "atlas") && live(lead, "liar") })
				liar.Instead("/events", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, err := io.WriteString(w, garbage.first)
					for err == nil && r.Context().Err() == nil {
						_, err = io.WriteString(w, garbage.again)
						select { // a link takes any amount in no simulated time
						case <-time.After(time.Millisecond):
						case <-r.Context().Done():
						}
					}
				}))
				before := held()
				network.Cut(liar)
				lead.Await("away", func() bool { return !live(lead, "liar") })
				time.Sleep(20 * time.Second) // its link is over, and with it the stream of before
				network.Heal(liar)           // and now it answers with garbage
				for range 4 {
					time.Sleep(3 * time.Second)
					began := time.Now()
					if _, err := machine(t, lead, "atlas").History(t.Context(), "p1", 0, 1); err != nil || !live(lead, "atlas") || time.Since(began) > 50*time.Millisecond {
						t.Fatalf("atlas: %v after %v", err, time.Since(began))
					}
					if now := held(); now > before+allowed {
						t.Fatalf("%d MiB are held, %d before", now>>20, before>>20)
					}
				}
				if live(lead, "liar") {
					t.Error("the liar is shown as live")
				}
			})
		})
	}
}

// held returns the bytes of memory that are in use.
func held() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
