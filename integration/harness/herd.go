package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/api/sse"
)

// A Herd is what a phone shows of the crew: the stream of its events, added up,
// and when which machine was shown how.
type Herd struct {
	phone  *Phone
	cancel context.CancelFunc
	done   chan struct{}
	moved  chan struct{} // holds one element when something is new

	mu    sync.Mutex // guards what follows
	now   api.Snapshot
	seen  []Sight
	err   error
	shown map[string]string // of each machine, the last Sight's Shown
}

// A Sight is how a machine was shown from a moment on.
type Sight struct {
	At      time.Time
	Machine string
	Shown   string // its state, then "stale" and its hint, where it has them
}

// Herd follows the crew until the test ends, and calls each with every event as
// it comes.
func (p *Phone) Herd(each ...func(api.Event)) *Herd {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	h := &Herd{phone: p, cancel: cancel, done: make(chan struct{}), moved: make(chan struct{}, 1), shown: map[string]string{}}
	request := p.request(ctx, http.MethodGet, "/api/events", nil)
	go func() {
		defer close(h.done)
		err := h.follow(request, each)
		h.mu.Lock()
		h.err = err
		h.mu.Unlock()
		h.move()
	}()
	p.t.Cleanup(h.Close)
	return h
}

// Close ends the stream.
func (h *Herd) Close() { h.cancel(); <-h.done }

func (h *Herd) follow(request *http.Request, each []func(api.Event)) error {
	response, err := h.phone.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	events := sse.NewReader(h.phone.record(response.Body), api.MaxAnswerBytes)
	for {
		event, err := events.Next()
		if err != nil {
			return err
		}
		parsed, err := parseEvent(event)
		if err != nil {
			return err
		}
		for _, call := range each {
			call(parsed)
		}
		h.take(parsed)
	}
}

// parseEvent reads an event of the herd; of any other one the result is empty.
func parseEvent(event sse.Event) (parsed api.Event, err error) {
	var into any
	switch event.Name {
	case "snapshot":
		parsed.Snapshot = &api.Snapshot{}
		into = parsed.Snapshot
	case "change":
		parsed.Change = &api.Change{}
		into = parsed.Change
	case "gone":
		parsed.Gone = &api.Gone{}
		into = parsed.Gone
	default:
		return parsed, nil
	}
	if err := json.Unmarshal(event.Data, into); err != nil {
		return parsed, fmt.Errorf("the event %s %s: %w", event.Name, event.Data, err)
	}
	return parsed, nil
}

func (h *Herd) take(event api.Event) {
	h.mu.Lock()
	h.now = api.Apply(h.now, event)
	at := time.Now()
	for _, m := range h.now.Machines {
		if shown := ShownAs(m); h.shown[m.ID] != shown {
			h.shown[m.ID] = shown
			h.seen = append(h.seen, Sight{at, m.ID, shown})
		}
	}
	h.mu.Unlock()
	h.move()
}

// ShownAs is how a machine is shown, in the words of Sight.
func ShownAs(m api.MachineInfo) string {
	words := []string{m.State}
	if m.Stale {
		words = append(words, "stale")
	}
	if m.Hint != "" {
		words = append(words, m.Hint)
	}
	return strings.Join(words, " ")
}

func (h *Herd) move() {
	select {
	case h.moved <- struct{}{}:
	default:
	}
}

// Now is the herd as it is shown.
func (h *Herd) Now() api.Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// Shown is how a machine is shown, in the words of Sight.
func (h *Herd) Shown(machine string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shown[machine]
}

// Since lists how a machine was shown after a moment, as a person would have
// seen it: the changes, not how it was at first.
func (h *Herd) Since(moment time.Time, machine string) []Sight {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Sight
	for _, s := range h.seen {
		if s.Machine == machine && s.At.After(moment) {
			found = append(found, s)
		}
	}
	return found
}

// Until waits for a herd.
func (h *Herd) Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for !holds() {
		h.mu.Lock()
		err, shown := h.err, fmt.Sprint(h.shown)
		h.mu.Unlock()
		if err != nil {
			t.Fatalf("waiting for %s: the events ended: %v", what, err)
		}
		select {
		case <-h.moved:
		case <-deadline.C:
			t.Fatalf("never came: %s; the machines are shown as %s", what, shown)
		}
	}
}
