package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/api"
	"collie/node/grid"
)

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := handlers(&machine{stay: true}, false)
		ctx, leave := context.WithCancel(t.Context())
		var streams sync.WaitGroup
		for range 192 {
			streams.Go(func() { ask(h, "/events", "", func(r *http.Request) { *r = *r.WithContext(ctx) }) })
		}
		synctest.Wait()
		if w := ask(h, "/pane/p1/live", ""); w.Code != 503 || !strings.Contains(w.Body.String(), `"too_many_streams"`) {
			t.Errorf("one more is answered %d %s", w.Code, w.Body)
		}
		if w := ask(h, "/snapshot", ""); w.Code != 200 {
			t.Errorf("a read is answered %d %s", w.Code, w.Body)
		}
		leave()
		streams.Wait()
		h.Machine = func(*http.Request) (api.Machine, error) { return nil, api.ErrHostUnknown }
		if w := ask(h, "/events", ""); w.Code != 404 {
			t.Errorf("once they have ended one is answered %d %s", w.Code, w.Body)
		}
	})
}

func TestOneDeviceOrPaneDoesNotUseUpTheStreamsOfTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := handlers(&machine{stay: true}, false)
		h.Here = func(host string) string { return strings.TrimPrefix(host, "atlas") }
		ctx, leave := context.WithCancel(t.Context())
		var streams sync.WaitGroup
		defer streams.Wait()
		defer leave()
		watch := func(path, device string) (code int) {
			code = 200 // and goes on
			streams.Go(func() {
				code = ask(h, path, "", func(r *http.Request) { *r = *r.WithContext(api.WithDevice(ctx, device)) }).Code
			})
			synctest.Wait()
			return code
		}
		for range 32 {
			if code := watch("/pane/p1/live", "phone"); code != 200 {
				t.Fatal(code)
			}
		}
		for range 16 {
			if code := watch("/events", "phone"); code != 200 {
				t.Fatal(code)
			}
		}
		for _, c := range []struct {
			path, device string
			want         int
		}{
			{"/pane/p1/live", "tablet", 503},
			{"/pane/p1/live?host=atlas", "tablet", 503}, // which is this machine
			{"/pane/p1/live?host=iris", "tablet", 200},
			{"/events", "phone", 503},
			{"/events", "tablet", 200},
			{"/pane/p2/live", "tablet", 200},
		} {
			if got := watch(c.path, c.device); got != c.want {
				t.Errorf("%s of the %s is answered %d, want %d", c.path, c.device, got, c.want)
			}
		}
	})
}

func TestAStreamThatSaysNothingBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := handlers(&machine{stay: true}, false)
		h.Beat = 2 * time.Second
		ctx, leave := context.WithTimeout(t.Context(), 5*time.Second)
		defer leave()
		began := time.Now().UnixMilli()
		w := ask(h, "/events", "", func(r *http.Request) { *r = *r.WithContext(ctx) })
		want := fmt.Sprintf("event: beat\ndata: {\"at\":%d}\n\nevent: beat\ndata: {\"at\":%d}\n\n", began+2000, began+4000)
		if got := w.Body.String(); got != want {
			t.Errorf("wrote %q, want %q", got, want)
		}
	})
}

func TestAPhoneThatLeavesEndsItsStream(t *testing.T) {
	t.Parallel()
	m := &machine{stay: true, frames: []grid.Frame{whole()}}
	h := handlers(m, true)
	h.Log = func(_ *http.Request, err error) { t.Errorf("logged %v", err) }
	c := dial(t, h)
	ctx, leave := context.WithCancel(t.Context())
	err := c.Live(ctx, "p1", func(grid.Frame) error { leave(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	} // and closing the server waits for the handler
}

func TestFramesCarryTheirNumber(t *testing.T) {
	t.Parallel()
	w := ask(handlers(&machine{frames: []grid.Frame{whole()}}, false), "/pane/p1/live", "")
	first, _ := bufio.NewReader(w.Body).ReadString('\n')
	if first != "id: 3\n" {
		t.Errorf("the first line is %q", first)
	}
}
