package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/api"
	"collie/node/grid"
)

// reads and writes call a client's every method but the streams.
var reads = map[string]func(context.Context, *api.Client) error{
	"snapshot": func(ctx context.Context, c *api.Client) error { _, err := c.Snapshot(ctx); return err },
	"pane":     func(ctx context.Context, c *api.Client) error { _, err := c.Pane(ctx, "p1"); return err },
	"history":  func(ctx context.Context, c *api.Client) error { _, err := c.History(ctx, "p1", 0, 10); return err },
	"files": func(ctx context.Context, c *api.Client) error {
		_, err := c.Files(ctx, "p1", api.FilesAt{})
		return err
	},
	"folders": func(ctx context.Context, c *api.Client) error { _, err := c.Folders(ctx, api.FoldersAt{}); return err },
	"changes": func(ctx context.Context, c *api.Client) error {
		_, err := c.Changes(ctx, "p1", api.ChangesOf{Path: "x"})
		return err
	},
	"walky": func(ctx context.Context, c *api.Client) error { _, err := c.Walky(ctx, "p1"); return err },
	"blob":  func(ctx context.Context, c *api.Client) error { _, err := c.Blob(ctx, pngHash); return err },
	"chat":  func(ctx context.Context, c *api.Client) error { _, err := c.Chat(ctx, "p1", "", 10); return err },
	"sent":  func(ctx context.Context, c *api.Client) error { _, err := c.Sent(ctx); return err },
}

var clientWrites = map[string]func(context.Context, *api.Client) error{
	"reply":  func(ctx context.Context, c *api.Client) error { _, err := c.Reply(ctx, "p1", api.Reply{}); return err },
	"keys":   func(ctx context.Context, c *api.Client) error { return c.Keys(ctx, "p1", api.Keys{}) },
	"rename": func(ctx context.Context, c *api.Client) error { return c.Rename(ctx, "p1", api.Rename{}) },
	"resize": func(ctx context.Context, c *api.Client) error { return c.Resize(ctx, "p1", api.Resize{}) },
	"close":  func(ctx context.Context, c *api.Client) error { return c.Close(ctx, "p1") },
	"forget": func(ctx context.Context, c *api.Client) error {
		_, err := c.SentForget(ctx, api.SentForget{})
		return err
	},
	"clear":     func(ctx context.Context, c *api.Client) error { _, err := c.SentClear(ctx); return err },
	"tab":       func(ctx context.Context, c *api.Client) error { return c.RenameTab(ctx, "t1", api.Rename{}) },
	"workspace": func(ctx context.Context, c *api.Client) error { return c.RenameWorkspace(ctx, "t1", api.Rename{}) },
	"send": func(ctx context.Context, c *api.Client) error {
		_, err := c.WalkySend(ctx, api.WalkySend{})
		return err
	},
}

var streams = map[string]func(context.Context, *api.Client) error{
	"events": func(ctx context.Context, c *api.Client) error {
		return c.Events(ctx, func(api.Event) error { return nil })
	},
	"live": func(ctx context.Context, c *api.Client) error {
		return c.Live(ctx, "p1", func(grid.Frame) error { return nil })
	},
}

// answers is a transport on which the other side answers the same each time.
func answers(status int, body string) http.RoundTripper {
	return roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
	})
}

// silent is a transport on which nothing comes back, or only what comes before
// the silence.
func silent(body string) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		if body == "" {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader(body), waiting{r.Context()}))}, nil
	})
}

// waiting has nothing to read until its context ends.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

func TestAReadHasFiveSecondsAndAWriteTen(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{"} { // without an answer, and in the middle of one
		for name, call := range reads {
			within(t, name, 5*time.Second, api.ErrHostUnreachable, silent(body), call)
		}
		for name, call := range clientWrites {
			within(t, name, 10*time.Second, api.ErrOutcomeUnknown, silent(body), call)
		}
	}
}

func within(t *testing.T, name string, budget time.Duration, want error, transport http.RoundTripper, call func(context.Context, *api.Client) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := call(t.Context(), client(transport))
		if took := time.Since(began); !errors.Is(err, want) || took != budget {
			t.Errorf("%s: %v after %v, want %v after %v", name, err, took, want, budget)
		}
	})
}

func TestAStreamEndsOnceItIsQuiet(t *testing.T) {
	t.Parallel()
	for name, call := range streams {
		within(t, name+" without an answer", 10*time.Second, api.ErrHostUnreachable, silent(""), call)
		within(t, name+" after a beat", 10*time.Second, api.ErrHostUnreachable, silent("event: beat\ndata: {}\n\n"), call)
		within(t, name+" in an event", 10*time.Second, api.ErrHostUnreachable, silent("event: beat\ndata: {"), call)
	}
}

func TestBeatsKeepAStreamAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, writer := io.Pipe()
		go func() {
			for range 10 {
				time.Sleep(9 * time.Second)
				fmt.Fprint(writer, "event: beat\ndata: {}\n\n")
			}
			writer.Close()
		}()
		began := time.Now()
		err := streams["live"](t.Context(), client(roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: body}, nil
		})))
		if took := time.Since(began); !errors.Is(err, api.ErrHostUnreachable) || took != 90*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestAReceiverThatTakesItsTimeIsNotTheOtherSidesSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		body, writer := io.Pipe()
		go func() {
			one, _ := json.Marshal(whole())
			for range 3 {
				fmt.Fprintf(writer, "event: frame\ndata: %s\n\n", one)
			}
			writer.Close()
		}()
		c := client(roundTrip(func(r *http.Request) (*http.Response, error) {
			context.AfterFunc(r.Context(), func() { body.CloseWithError(r.Context().Err()) })
			return &http.Response{StatusCode: 200, Body: body}, nil
		}))
		frames := 0
		err := c.Live(t.Context(), "p1", func(grid.Frame) error {
			time.Sleep(25 * time.Second)
			frames++
			return nil
		})
		if frames != 3 || !errors.Is(err, api.ErrHostUnreachable) {
			t.Errorf("%d frames, then %v", frames, err)
		}
	})
}

func TestAWriteThatWasNotSentIsUnreachable(t *testing.T) {
	t.Parallel()
	refusing := roundTrip(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("dial: %w", errRefused) })
	broken := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("reset by peer") })
	for name, call := range clientWrites {
		if err := call(t.Context(), client(refusing)); err != api.ErrHostUnreachable {
			t.Errorf("%s that was not sent: %v", name, err)
		}
		if err := call(t.Context(), client(broken)); err != api.ErrOutcomeUnknown {
			t.Errorf("%s that broke off: %v", name, err)
		}
	}
	for name, call := range reads {
		if err := call(t.Context(), client(broken)); err != api.ErrHostUnreachable {
			t.Errorf("%s that broke off: %v", name, err)
		}
	}
}

func TestAWriteIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, call := range clientWrites {
		sent := 0
		_ = call(t.Context(), client(roundTrip(func(r *http.Request) (*http.Response, error) {
			sent++
			if r.GetBody != nil {
				t.Errorf("%s: a transport could send it again", name)
			}
			return nil, errors.New("broken pipe")
		})))
		if sent != 1 {
			t.Errorf("%s was sent %d times", name, sent)
		}
	}
}

func TestWhoLeavesHearsOfNoOtherMachine(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for name, call := range merge(reads, streams) {
		if err := call(ctx, client(silent(""))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range clientWrites {
		if err := call(ctx, client(silent(""))); !errors.Is(err, api.ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err) // it may be on its way
		}
	}
}

func merge(all ...map[string]func(context.Context, *api.Client) error) map[string]func(context.Context, *api.Client) error {
	merged := map[string]func(context.Context, *api.Client) error{}
	for _, calls := range all {
		for name, call := range calls {
			merged[name] = call
		}
	}
	return merged
}

func TestTheDeviceGoesWithTheRequest(t *testing.T) {
	t.Parallel()
	var header http.Header
	var path string
	c := client(roundTrip(func(r *http.Request) (*http.Response, error) {
		header, path = r.Header, r.URL.String()
		return nil, errRefused
	}))
	_ = c.Rename(api.WithDevice(t.Context(), "Zoé's phone\r\nX: y"), "../p?1", api.Rename{Label: "x"})
	if got := header.Get("Collie-Device"); got != "Zo%C3%A9%27s%20phone%0D%0AX:%20y" && got != "Zo%C3%A9's%20phone%0D%0AX:%20y" {
		t.Errorf("the header says %q", got)
	}
	if header.Get("Content-Type") != "application/json" || path != "http://crew/crew/v1/pane/..%2Fp%3F1/rename" {
		t.Errorf("sent to %s with %v", path, header)
	}
	_ = c.Close(t.Context(), "p1")
	if _, ok := header["Collie-Device"]; ok {
		t.Error("a request without a device names one")
	}
}
