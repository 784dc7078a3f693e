package frontdoor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func (f *fixture) claim(code, label string, changes ...change) (status int, body string) {
	f.t.Helper()
	data, err := json.Marshal(map[string]string{"code": code, "label": label})
	if err != nil {
		f.t.Fatal(err)
	}
	w := f.ask("POST", "/api/pair", append([]change{withBody(string(data))}, changes...)...)
	if got := w.Result().Header.Get("Retry-After"); (got == "60") != (w.Code == 429) {
		f.t.Errorf("status %d: Retry-After %q", w.Code, got)
	}
	return w.Code, w.Body.String()
}

func (f *fixture) code(lifetime time.Duration) string {
	f.t.Helper()
	code, err := f.devices.NewCode(lifetime, "test")
	if err != nil {
		f.t.Fatal(err)
	}
	return code.Code
}

func TestPairingAnswersTheTokenOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, body := f.claim(f.code(12*time.Hour), " my pixel ")
	var paired struct {
		Token  string
		Device map[string]any
	}
	if err := json.Unmarshal([]byte(body), &paired); err != nil || status != 200 || len(paired.Token) != 43 {
		t.Fatalf("%d %s", status, body)
	}
	if got := fmt.Sprint(paired.Device); got != "map[createdAt:1.79604e+12 expiresAt:1.7960832e+12 label:my pixel]" {
		t.Errorf("device: %s", got)
	}
	want(t, "with the token", f.ask("GET", "/api/snapshot", bearer(paired.Token)), 204, "")
	if log := f.log.String(); strings.Contains(log, paired.Token) {
		t.Errorf("the log holds the token: %s", log)
	}
}

// A17, at the door.
func TestAPastedCodeIsTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	code := f.code(0)
	if status, body := f.claim("\ufeff"+strings.ToLower(code[:4])+"-\u200b"+code[4:]+"\n", "pixel"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := f.claim("1234", "pixel"); status != 400 || !strings.Contains(body, "code_invalid") {
		t.Errorf("%d %s", status, body)
	}
}

// A04, at the door: from fifty addresses behind the proxy.
func TestRacingClaimsEnrolOneDevice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	code := f.code(0)
	counts := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			status, _ := f.claim(code, fmt.Sprint("device ", i), header("X-Forwarded-For", fmt.Sprint("10.0.0.", i)))
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	all.Wait()
	devices, err := f.devices.Devices()
	if counts[200] != 1 || counts[403] != 49 || err != nil || len(devices) != 1 {
		t.Fatalf("answers %v, %d devices, %v", counts, len(devices), err)
	}
}

func TestTriesAreCountedPerSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	spend := func(changes ...change) (last int) {
		for range 11 {
			last, _ = f.claim("no code", "x", changes...)
		}
		return last
	}
	if got := spend(header("X-Forwarded-For", "203.0.113.9, 10.0.0.1")); got != 429 {
		t.Errorf("eleventh try: %d", got)
	}
	if got, _ := f.claim("no code", "x", header("X-Forwarded-For", "203.0.113.10, 10.0.0.1")); got != 429 {
		t.Errorf("only the last entry is the proxy's word: %d", got)
	}
	if got, _ := f.claim("no code", "x", header("X-Forwarded-For", "10.0.0.1, 10.0.0.2")); got != 400 {
		t.Errorf("another source: %d", got)
	}
	if got := spend(from(elsewhere), header("X-Forwarded-For", "10.0.0.3")); got != 429 {
		t.Errorf("eleventh try from elsewhere: %d", got)
	}
	if got, _ := f.claim("no code", "x", from(elsewhere), header("X-Forwarded-For", "10.0.0.4")); got != 429 {
		t.Errorf("what somebody elsewhere says is not believed: %d", got)
	}
}

func TestAClaimIsStrictAndSmall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, body := range []string{`{"code":"x","label":"y","admin":true}`, `[]`, `{} {}`} {
		want(t, fmt.Sprintf("%.20q", body), f.ask("POST", "/api/pair", withBody(body)), 400, "bad_request")
	}
	large := strings.Repeat(" ", maxPairBytes) + "{}"
	want(t, "a large body", f.ask("POST", "/api/pair", withBody(large)), 413, "too_large")
}

func TestDevicesAreListedWithTheCaller(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.pair("tablet", time.Hour)
	f.pass(time.Hour)
	token := f.pair("pixel", 0)
	w := f.ask("GET", "/api/devices", bearer(token))
	want := `[{"label":"tablet","createdAt":1796040000000,"lastSeenAt":1796040000000,"expiresAt":1796043600000,"expired":true,"current":false},` +
		`{"label":"pixel","createdAt":1796043600000,"lastSeenAt":1796043600000,"expiresAt":null,"expired":false,"current":true}]`
	if w.Body.String() != want || w.Result().Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("devices: %s\nwant %s", w.Body, want)
	}
}

func TestRenewingAnswersANewTokenAndEndsTheOld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := f.pair("pixel", 0)
	var renewed struct{ Token string }
	w := f.ask("POST", "/api/token/renew", bearer(old))
	if err := json.Unmarshal(w.Body.Bytes(), &renewed); err != nil || w.Code != 200 {
		t.Fatalf("renew: %d %s", w.Code, w.Body)
	}
	want(t, "old", f.ask("GET", "/api/snapshot", bearer(old)), 403, "device_not_paired")
	want(t, "new", f.ask("GET", "/api/snapshot", bearer(renewed.Token)), 204, "")
}

func TestHealthIsOpenAndConfigIsNot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if w := f.ask("GET", "/api/health", from(elsewhere), header("Origin", "https://evil.example")); w.Code != 200 || w.Body.String() != `{"build":"test"}` {
		t.Errorf("health: %d %s", w.Code, w.Body)
	}
	want(t, "config", f.ask("GET", "/api/config"), 403, "device_not_paired")
	if w := f.ask("GET", "/api/config", bearer(f.pair("pixel", 0))); w.Code != 200 || w.Body.String() != `{"masking":true}` {
		t.Errorf("config: %d %s", w.Code, w.Body)
	}
}

func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, e := range Codes() {
		if seen[e.Code] || e.Message == "" || e.Status < 400 || http.StatusText(e.Status) == "" {
			t.Errorf("refusal %+v", e)
		}
		seen[e.Code] = true
	}
}
