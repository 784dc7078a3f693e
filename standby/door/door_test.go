package door

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/api"
	"collie/node/site"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A keeper says what a test wants and notes what it was asked.
type keeper struct {
	view  View
	err   error // of a takeover
	asked []string
}

func (k *keeper) View() View { return k.view }

func (k *keeper) Authenticate(token string) (string, error) {
	k.asked = append(k.asked, "token")
	switch token {
	case "good":
		return "pixel", nil
	case "old":
		return "", site.ErrExpired
	}
	return "", site.ErrNotPaired
}

func (k *keeper) TakeOver(_ context.Context, device string, alone bool) (string, error) {
	k.asked = append(k.asked, fmt.Sprintf("takeover by %s, alone %v", device, alone))
	return "https://juno.example", k.err
}

var armed = View{Armed: true, SilentFor: 31 * time.Second, Machine: "juno", Lead: "atlas", Witnesses: 2}

func newDoor(t *testing.T, k *keeper) *Door {
	t.Helper()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	d, err := New(Config{
		Host: "127.0.0.1", Public: func() []string { return []string{"https://door.example"} },
		Build: "test", Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	}, k)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

type change func(*http.Request)

func header(name, value string) change {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// ask sends a request as the door's own page would.
func ask(d *Door, method, path, body string, changes ...change) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://door.example"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:5"
	if method == http.MethodPost {
		r.Header.Set("Origin", "https://door.example")
		r.Header.Set("Authorization", "Bearer good")
	}
	for _, c := range changes {
		c(r)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func want(t *testing.T, what string, w *httptest.ResponseRecorder, status int, part string) {
	t.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), part) {
		t.Errorf("%s: %d %s, want %d with %q", what, w.Code, w.Body, status, part)
	}
	for name, value := range map[string]string{
		"Collie-Version": "test", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
	} {
		if got := w.Header().Get(name); got != value {
			t.Errorf("%s: %s is %q", what, name, got)
		}
	}
	if !strings.Contains(w.Header().Get("Cache-Control"), "no-store") {
		t.Errorf("%s may be stored", what)
	}
}

func TestHealthSaysColdOrArmedAndNamesNobody(t *testing.T) {
	t.Parallel()
	cold := newDoor(t, &keeper{view: View{Machine: "juno", Lead: "atlas", Reason: "secret reason"}})
	w := ask(cold, "GET", "/standby/health", "")
	want(t, "cold", w, 503, "")
	if w.Body.String() != `{"state":"cold"}` {
		t.Errorf("cold: %s", w.Body)
	}
	w = ask(newDoor(t, &keeper{view: armed}), "GET", "/standby/health", "")
	want(t, "armed", w, 200, "")
	if w.Body.String() != `{"state":"armed","silentForMs":31000}` {
		t.Errorf("armed: %s", w.Body)
	}
}

func TestAColdDoorLooksAtNoToken(t *testing.T) {
	t.Parallel()
	k := &keeper{view: View{Machine: "juno", Lead: "atlas", Reason: "The lead is well."}}
	d := newDoor(t, k)
	for range 20 { // nor does it count
		want(t, "cold", ask(d, "POST", "/standby/takeover", `{}`, header("Authorization", "Bearer good")), 409, `"code":"standby_cold","detail":"The lead is well."`)
	}
	if len(k.asked) != 0 {
		t.Errorf("the keeper was asked %q", k.asked)
	}
}

func TestAPairedTokenInTheHeaderAloneTakesOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, body string
		change           change
		status           int
		part             string
	}{
		{"a tap", "/standby/takeover", `{"alone":false}`, header("X", "y"), 200, `{"url":"https://juno.example"}`},
		{"a tap without a body", "/standby/takeover", "", header("X", "y"), 200, `{"url":"https://juno.example"}`},
		{"no token", "/standby/takeover", `{}`, header("Authorization", ""), 403, "device_not_paired"},
		{"an unknown token", "/standby/takeover", `{}`, header("Authorization", "Bearer bad"), 403, "device_not_paired"},
		{"an expired token", "/standby/takeover", `{}`, header("Authorization", "Bearer old"), 403, "device_expired"},
		{"a token of another scheme", "/standby/takeover", `{}`, header("Authorization", "Basic good"), 403, "device_not_paired"},
		{"a token in the address", "/standby/takeover?token=good", `{}`, header("Authorization", ""), 403, "device_not_paired"},
		{"another page", "/standby/takeover", `{}`, header("Origin", "https://evil.example"), 403, "origin_refused"},
		{"no page", "/standby/takeover", `{}`, func(r *http.Request) { r.Header.Del("Origin") }, 403, "origin_refused"},
		{"another name", "/standby/takeover", `{}`, func(r *http.Request) { r.Host = "evil.example" }, 403, "host_refused"},
		{"an unknown field", "/standby/takeover", `{"force":true}`, header("X", "y"), 400, "bad_request"},
		{"a large body", "/standby/takeover", strings.Repeat(" ", maxBodyBytes+1), header("X", "y"), 413, "too_large"},
	} {
		k := &keeper{view: armed}
		want(t, c.name, ask(newDoor(t, k), "POST", c.path, c.body, c.change), c.status, c.part)
		if took := len(k.asked) == 2; took != (c.status == 200) {
			t.Errorf("%s: the keeper was asked %q", c.name, k.asked)
		}
	}
}

func TestTheKeepersRefusalIsAnsweredAndTheSecondTapMayGoOnAlone(t *testing.T) {
	t.Parallel()
	k := &keeper{view: armed, err: &api.Error{Status: 409, Code: "no_witness", Message: "nobody answered"}}
	d := newDoor(t, k)
	want(t, "refused", ask(d, "POST", "/standby/takeover", `{}`), 409, "no_witness")
	k.err = nil
	want(t, "alone", ask(d, "POST", "/standby/takeover", `{"alone":true}`), 200, "juno.example")
	if got := k.asked[len(k.asked)-1]; got != "takeover by pixel, alone true" {
		t.Errorf("the keeper was asked %q", got)
	}
	k.err = errors.New("disk gone")
	want(t, "failed", ask(d, "POST", "/standby/takeover", `{}`), 500, `"code":"internal"`)
}

func TestTenTriesAMinuteFromOneAddress(t *testing.T) {
	t.Parallel()
	d := newDoor(t, &keeper{view: armed})
	try := func(from string) *httptest.ResponseRecorder {
		return ask(d, "POST", "/standby/takeover", `{}`, header("Authorization", "Bearer bad"), header("X-Forwarded-For", from))
	}
	for range 10 {
		want(t, "a try", try("203.0.113.9"), 403, "device_not_paired")
	}
	w := try("203.0.113.9")
	want(t, "the eleventh", w, 429, "rate_limited")
	if w.Header().Get("Retry-After") != "60" {
		t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	want(t, "another address", try("203.0.113.10"), 403, "device_not_paired")
	want(t, "a proxy elsewhere is not believed", ask(d, "POST", "/standby/takeover", `{}`, header("X-Forwarded-For", "203.0.113.9"),
		func(r *http.Request) { r.RemoteAddr = "192.0.2.1:5" }), 200, "")
}

func TestEverythingElseIsABare404(t *testing.T) {
	t.Parallel()
	d := newDoor(t, &keeper{view: armed})
	for _, c := range [][2]string{
		{"GET", "/"},
		{"GET", "/api/health"},
		{"GET", "/standby/"},
		{"GET", "/standby/takeover"},
		{"POST", "/standby"},
		{"POST", "/standby/health"},
		{"DELETE", "/standby"},
		{"OPTIONS", "/standby/takeover"},
		{"GET", "/crew/v1/hello"},
		{"GET", "/Standby"},
	} {
		w := ask(d, c[0], c[1], "")
		want(t, c[0]+" "+c[1], w, 404, "")
		if w.Body.Len() != 0 {
			t.Errorf("%v has the body %s", c, w.Body)
		}
	}
}

func TestThePageRunsItsOneScriptAndEscapesEveryValue(t *testing.T) {
	t.Parallel()
	evil := `</script><script>alert(1)</script>"'<b>`
	view := armed
	view.Machine, view.Lead, view.Reason = evil, evil, evil
	for name, v := range map[string]View{"armed": view, "cold": {Machine: evil, Lead: evil, Reason: evil}, "leads": {Machine: evil, URL: "https://juno.example/" + evil}} {
		w := ask(newDoor(t, &keeper{view: v}), "GET", "/standby", "", header("Sec-Fetch-Site", "cross-site"))
		want(t, name, w, 200, "<main>")
		body := w.Body.String()
		if strings.Count(body, "<script") != 1 || strings.Count(body, "<style") != 1 || strings.Contains(body, "<b>\"") || strings.Contains(body, "alert(1)</script>") {
			t.Errorf("%s is not escaped: %s", name, body)
		}
		_, rest, _ := strings.Cut(body, "<script>")
		run, _, _ := strings.Cut(rest, "</script>")
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "script-src "+pinned(run)+";") || strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s has the policy %s", name, policy)
		}
		for _, outside := range []string{"src=", "@import", "url(", "<link", "<img"} {
			if strings.Contains(body, outside) {
				t.Errorf("%s asks for something else: %s", name, outside)
			}
		}
	}
}

func TestTheScriptTakesTheTokenOutOfTheAddressFirst(t *testing.T) {
	t.Parallel()
	taken, next := strings.Index(script, "history.replaceState(null, \"\", location.pathname);"), strings.Index(script, "document")
	if taken < 0 || taken > next || strings.Contains(script[:taken], "fetch") {
		t.Error("something comes before the token leaves the address")
	}
}

func TestThePageSaysWhatThereIsToSay(t *testing.T) {
	t.Parallel()
	two := armed
	two.Witnesses = 0
	for _, c := range []struct {
		name string
		view View
		part string
		not  string
	}{
		{"armed", armed, "atlas has been silent for 31s", "no other machine, so nobody"},
		{"a crew of two", two, "no other machine, so nobody can say", "If no other machine answers"},
		{"cold", View{Machine: "juno", Lead: "atlas", Reason: "The lead is well."}, "The lead is well.", `id="take"`},
		{"leads", View{Machine: "juno", URL: "https://juno.example"}, `href="https://juno.example"`, `id="take"`},
	} {
		body := ask(newDoor(t, &keeper{view: c.view}), "GET", "/standby", "").Body.String()
		if !strings.Contains(body, template.HTMLEscapeString(c.part)) && !strings.Contains(body, c.part) || strings.Contains(body, c.not) {
			t.Errorf("%s: %s", c.name, body)
		}
	}
}

func TestADoorThatStopsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	d := newDoor(t, &keeper{view: armed})
	listener, err := Listen(t.Context(), d.config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, listener) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get("http://" + listener.Addr().String() + "/standby/health")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	stop()
	if err := <-done; err != nil || response.StatusCode != 200 {
		t.Errorf("%d, %v", response.StatusCode, err)
	}
	if _, err := Listen(t.Context(), Config{Host: "0.0.0.0"}); !errors.Is(err, site.ErrNotLoopback) {
		t.Errorf("beyond loopback: %v", err)
	}
}
