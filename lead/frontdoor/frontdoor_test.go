package frontdoor

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"go.uber.org/goleak"

	"collie/lead/pairing"
	"collie/node/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	here      = "127.0.0.1:50000"  // a peer on this machine
	elsewhere = "192.168.1.7:1234" // one that is not
	secretOf  = "the local secret"
)

// fixture is a door whose routes only count that they were reached.
type fixture struct {
	*Door
	t       *testing.T
	config  Config
	parts   Parts
	devices *pairing.Store

	mu      sync.Mutex
	now     time.Time
	mode    Mode
	reached int
	device  string
	log     bytes.Buffer
}

func newFixture(t *testing.T, adjust ...func(*fixture)) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), mode: Mode{Name: "lead"}}
	f.devices = pairing.Open(filepath.Join(t.TempDir(), "devices.json"), pairing.Options{
		Now: f.clock, Audit: func(pairing.Entry) error { return nil },
	})
	t.Cleanup(f.devices.Close)
	f.config = Config{Host: "127.0.0.1", Port: 8787, PublicURL: "https://collie.example.ts.net"}
	f.parts = Parts{
		Devices: f.devices,
		App: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "the app")
		}),
		Mode: func() Mode {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.mode
		},
		Health:      func() any { return map[string]string{"build": "test"} },
		Settings:    func() any { return map[string]bool{"masking": true} },
		LocalSecret: secretOf,
		Now:         f.clock,
		Log:         slog.New(slog.NewTextHandler(&lockedWriter{f: f}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	handlers := api.Handlers{}
	for _, route := range handlers.Routes() {
		route.Handle = f.reach
		f.parts.Routes = append(f.parts.Routes, route)
	}
	for _, change := range adjust {
		change(f)
	}
	door, err := New(f.config, f.parts)
	if err != nil {
		t.Fatal(err)
	}
	f.Door = door
	return f
}

type lockedWriter struct{ f *fixture }

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	return w.f.log.Write(data)
}

func (f *fixture) reach(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reached++
	f.device = api.Device(r.Context())
	w.WriteHeader(http.StatusNoContent)
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// pair returns the token of a new device.
func (f *fixture) pair(label string, lifetime time.Duration) string {
	f.t.Helper()
	code, err := f.devices.NewCode(lifetime, "test")
	if err != nil {
		f.t.Fatal(err)
	}
	token, _, err := f.devices.Claim(context.Background(), label, code.Code, label)
	if err != nil {
		f.t.Fatal(err)
	}
	return token
}

// A change of a request.
type change func(*http.Request)

func header(name string, values ...string) change {
	return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
}

func from(peer string) change    { return func(r *http.Request) { r.RemoteAddr = peer } }
func host(name string) change    { return func(r *http.Request) { r.Host = name } }
func bearer(token string) change { return header("Authorization", "Bearer "+token) }
func without(name string) change { return func(r *http.Request) { r.Header.Del(name) } }
func withBody(body string) change {
	return func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(body)) }
}

// ask sends what the app itself would send, as changed.
func (f *fixture) ask(method, path string, changes ...change) *httptest.ResponseRecorder {
	f.t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.RemoteAddr, r.Host = here, "collie.example.ts.net"
	if method != http.MethodGet && method != http.MethodHead {
		r.Header.Set("Origin", "https://collie.example.ts.net")
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, change := range changes {
		change(r)
	}
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	checkHeaders(f.t, w)
	return w
}

// checkHeaders holds for every answer.
func checkHeaders(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Permissions-Policy":     "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
	} {
		if got := w.Result().Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("status %d: header %s: %q", w.Code, name, got)
		}
	}
	for _, name := range []string{"Clear-Site-Data", "Access-Control-Allow-Origin", "Location", "Server"} {
		if got := w.Result().Header.Get(name); got != "" {
			t.Errorf("status %d: header %s: %q", w.Code, name, got)
		}
	}
}

// want checks the status and the stable code of an answer.
func want(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	var refused struct{ Error, Code string }
	if code != "" {
		if err := json.Unmarshal(w.Body.Bytes(), &refused); err != nil || refused.Error == "" {
			t.Errorf("%s: the refusal is no JSON: %q", what, w.Body)
		}
		if got := w.Result().Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("%s: Cache-Control %q", what, got)
		}
	}
	if w.Code != status || refused.Code != code {
		t.Errorf("%s: %d %q, want %d %q: %.120s", what, w.Code, refused.Code, status, code, w.Body)
	}
}

func (f *fixture) untouched(what string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reached != 0 {
		f.t.Errorf("%s: a handler was reached", what)
		f.reached = 0
	}
}

func TestARouteKnowsItsDevice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	want(t, "snapshot", f.ask("GET", "/api/snapshot", bearer(token)), 204, "")
	want(t, "reply", f.ask("POST", "/api/pane/7/reply", bearer(token)), 204, "")
	if f.reached != 2 || f.device != "pixel" {
		t.Fatalf("reached %d, device %q", f.reached, f.device)
	}
}

func TestTheAppIsServedForTheRest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"/", "/sw.js", "/apis"} {
		if w := f.ask("GET", path); w.Code != 200 || w.Body.String() != "the app" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	want(t, "a link to the app", f.ask("GET", "/", header("Sec-Fetch-Site", "cross-site")), 200, "")
	want(t, "post to the app", f.ask("POST", "/"), 404, "not_found")
}

func TestWhatOnlyThisMachineCanIsNotAskedOfAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	want(t, "devices of another machine", f.ask("GET", "/api/devices?host=juno", bearer(token)), 501, "route_not_federated")
	want(t, "renewal on another machine", f.ask("POST", "/api/token/renew?host=juno", bearer(token)), 501, "route_not_federated")
}

func TestUnknownRoutesAndMethodsAreRefusedAsJSON(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	for _, path := range []string{"/api", "/api/", "/api/nothing", "/api/snapshot/", "/api/Snapshot", "/api//snapshot", "/api/pane/7/live/x", "/api/../api/snapshot"} {
		want(t, path, f.ask("GET", path, bearer(token)), 404, "not_found")
	}
	for _, method := range []string{"POST", "PUT", "HEAD", "OPTIONS", "DELETE", "TRACE", "PROPFIND"} {
		want(t, method, f.ask(method, "/api/snapshot", bearer(token)), 405, "method_not_allowed")
	}
	f.untouched("unknown routes")
	for _, target := range []string{"*", ""} {
		w := f.ask("OPTIONS", "/", func(r *http.Request) { r.URL.Path = target })
		if w.Code != 404 && w.Code != 405 {
			t.Errorf("OPTIONS %q: %d %s", target, w.Code, w.Body)
		}
	}
}

func TestAPanicIsAnsweredAndItsTextStaysOutOfTheLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) {
		f.parts.Routes = []api.Route{{Method: "GET", Path: "/broken", Handle: func(http.ResponseWriter, *http.Request, httprouter.Params) {
			panic("hunter2")
		}}}
	})
	want(t, "panic", f.ask("GET", "/api/broken", bearer(f.pair("pixel", 0))), 500, "internal")
	if log := f.log.String(); strings.Contains(log, "hunter2") || !strings.Contains(log, "a value of type string") {
		t.Errorf("log: %s", log)
	}
}

func TestSettingsThatContradictAreRefused(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]Config{
		"certificate alone": {TLSCert: "cert.pem"},
		"key alone":         {TLSKey: "key.pem"},
		"team alone":        {AccessTeam: "team"},
		"audience alone":    {AccessAUD: "aud"},
		"a team's address":  {AccessTeam: "evil.example/x", AccessAUD: "aud"},
		"header alone":      {DeviceHeader: "X-Device"},
		"allowlist alone":   {DeviceAllowlist: []string{"pixel"}},
		"address":           {PublicURL: "collie.example"},
		"scheme":            {PublicURL: "ftp://collie.example"},
	} {
		if _, err := New(config, Parts{}); err == nil || !strings.Contains(err.Error(), ErrConfig.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
