package harness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"collie/crypto/need"
)

// A Wire stands between a browser and a front door and keeps every byte that
// the door answered.
type Wire struct {
	URL  string
	mu   sync.Mutex
	seen bytes.Buffer
}

// Tap opens a wire to a front door.
func Tap(t testing.TB, door string) *Wire {
	t.Helper()
	target, err := url.Parse(door)
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{}
	server := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Del("Accept-Encoding") // compressed bytes cannot be searched
		},
		ModifyResponse: func(r *http.Response) error {
			for name, values := range r.Header {
				fmt.Fprintln(w, name, values)
			}
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(r.Body, w), r.Body}
			return nil
		},
	})
	w.URL = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return w
}

// Write keeps what passed.
func (w *Wire) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.Write(data)
}

// Seen returns all that passed so far.
func (w *Wire) Seen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

// A Browser is a phone-sized Chromium.
type Browser struct {
	ctx context.Context
	t   testing.TB

	mu       sync.Mutex
	problems []string
}

// OpenBrowser starts Chromium with a screen of 390 × 844. What the page logs as
// an error, and what its content policy refuses, fails the test.
func OpenBrowser(t testing.TB) *Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		need.Missing(t, "chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(390, 844),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		end()
		endAllocator()
	})
	b := &Browser{ctx: ctx, t: t}
	// The first action starts the browser, which lives as long as its context.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)); err != nil {
		t.Fatal(err)
	}
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.problem(e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				b.problem(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *Browser) problem(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.problems) < 100 {
		b.problems = append(b.problems, text)
	}
}

// Problems are the errors of the page so far.
func (b *Browser) Problems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.problems...)
}

// Do runs browser actions; each waits for what it needs.
func (b *Browser) Do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\npage:\n%s", what, err, b.text())
	}
}

// text is what a person sees, as far as it can still be asked for.
func (b *Browser) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, Patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// Until waits until a JavaScript expression is true.
func (b *Browser) Until(what, expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool]("Boolean("+expression+")")); err != nil {
		b.t.Fatalf("never came: %s: %v\npage:\n%s", what, err, b.text())
	}
}

// Evaluate returns the value of a JavaScript expression as text.
func (b *Browser) Evaluate(expression string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// Dark switches between the dark and the light look of the system.
func (b *Browser) Dark(on bool) {
	b.t.Helper()
	scheme := "light"
	if on {
		scheme = "dark"
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// Shot takes a picture of the screen, kept when COLLIE_TEST_SCREENSHOTS names a
// folder. What just changed its colour has it by then.
func (b *Browser) Shot(name string) {
	b.t.Helper()
	dir := os.Getenv("COLLIE_TEST_SCREENSHOTS")
	if dir == "" {
		return
	}
	b.Until("the end of what fades", `document.getAnimations().every((a) => !(a instanceof CSSTransition))`)
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
