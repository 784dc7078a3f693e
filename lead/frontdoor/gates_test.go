package frontdoor

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/lead/pairing"
)

// each walks over the table of the router and asks every route.
func (f *fixture) each(refused func(path string, write bool) (status int, code string), changes ...change) {
	f.t.Helper()
	if len(f.Routes()) < 15 {
		f.t.Fatalf("the table has %d routes", len(f.Routes()))
	}
	for _, route := range f.Routes() {
		path := strings.NewReplacer(":id", "7", ":label", "pixel").Replace(route.Path)
		status, code := refused(route.Path, route.Method != http.MethodGet)
		if status == 0 {
			continue
		}
		want(f.t, route.Method+" "+route.Path, f.ask(route.Method, path, changes...), status, code)
	}
	f.untouched("the walk")
}

func butHealth(status int, code string) func(string, bool) (int, string) {
	return func(path string, _ bool) (int, string) {
		if path == "/api/health" {
			return 200, ""
		}
		return status, code
	}
}

func butHealthAndPair(status int, code string) func(string, bool) (int, string) {
	return func(path string, _ bool) (int, string) {
		switch path {
		case "/api/health":
			return 200, ""
		case "/api/pair":
			return 400, "code_invalid" // it is asked
		}
		return status, code
	}
}

// A01: every registered route, from the router's own table.
func TestEveryRouteIsBehindTheGates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token, expired := f.pair("pixel", 0), f.pair("tablet", time.Hour)
	revoked := f.pair("lost", 0)
	f.pass(time.Hour)
	if err := f.devices.Revoke(t.Context(), "lost"); err != nil {
		t.Fatal(err)
	}
	f.each(butHealthAndPair(403, "device_not_paired"))
	f.each(butHealthAndPair(403, "device_not_paired"), header("Authorization", ""), from(elsewhere))
	f.each(butHealthAndPair(403, "device_not_paired"), header("Authorization", token), from("192.168.1.8:1"))
	f.each(butHealthAndPair(403, "device_not_paired"), header("Authorization", "Basic "+token), from("192.168.1.9:1"))
	f.each(butHealthAndPair(403, "device_not_paired"), header("Authorization", "Bearer "+token, "Bearer "+token))
	f.each(butHealthAndPair(403, "device_not_paired"), header("Cookie", "token="+token), from("192.168.1.10:1"))
	f.each(butHealthAndPair(403, "device_not_paired"), bearer(revoked))
	f.each(butHealthAndPair(403, "device_expired"), bearer(expired), from("192.168.1.11:1"))
	f.each(butHealth(403, "origin_refused"), bearer(token), header("Origin", "https://evil.example"), without("Sec-Fetch-Site"))
	f.each(butHealth(403, "origin_refused"), bearer(token), header("Origin", "null"))
	f.each(butHealth(403, "origin_refused"), bearer(token), without("Origin"), header("Sec-Fetch-Site", "cross-site"))
	f.each(butHealth(403, "origin_refused"), bearer(token), header("Sec-Fetch-Site", "same-site"))
	everyHost := func(string, bool) (int, string) { return 403, "host_refused" }
	for _, name := range []string{"evil.example", "", "collie.example.ts.net.evil.example", "192.168.1.1", "localhost@evil.example", "evil.example:8787", "localhost:x"} {
		f.each(everyHost, bearer(token), host(name), header("Origin", "http://"+name))
	}
}

// A10: neither header is no word of a browser's.
func TestAWriteWithoutOriginAndSecFetchSiteIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	f.each(func(path string, write bool) (int, string) {
		if !write {
			return 0, ""
		}
		return 403, "origin_refused"
	}, bearer(token), without("Origin"), without("Sec-Fetch-Site"))
	want(t, "a read", f.ask("GET", "/api/snapshot", bearer(token), without("Sec-Fetch-Site")), 204, "")
	want(t, "a write with one of them", f.ask("POST", "/api/walky/send", bearer(token), without("Origin")), 204, "")
	want(t, "a write with the other", f.ask("POST", "/api/walky/send", bearer(token), without("Sec-Fetch-Site")), 204, "")
}

func TestOwnHostsAndOrigins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	for _, pair := range [][2]string{
		{"collie.example.ts.net", "https://collie.example.ts.net"},
		{"Collie.Example.TS.net.", "https://collie.example.ts.net"},
		{"collie.example.ts.net:8443", "https://collie.example.ts.net:8443"},
		{"127.0.0.1:8787", "http://127.0.0.1:8787"},
		{"localhost:8787", "http://localhost:8787"},
		{"[::1]:8787", "http://[::1]:8787"},
		{"127.0.0.1:8787", "https://collie.example.ts.net"}, // a proxy that sets Host
	} {
		w := f.ask("POST", "/api/walky/send", bearer(token), host(pair[0]), header("Origin", pair[1]), without("Sec-Fetch-Site"))
		want(t, pair[0]+" "+pair[1], w, 204, "")
	}
	for _, pair := range [][2]string{
		{"127.0.0.1:8787", "http://127.0.0.1:8788"},
		{"127.0.0.1:8787", "http://localhost:8787"},
		{"127.0.0.1:8787", "http://127.0.0.1:8787/"},
		{"127.0.0.1:8787", "http://a@127.0.0.1:8787"},
		{"collie.example.ts.net", "http://collie.example.ts.net:81"},
		{"collie.example.ts.net", "ftp://collie.example.ts.net"},
	} {
		w := f.ask("POST", "/api/walky/send", bearer(token), host(pair[0]), header("Origin", pair[1]))
		want(t, pair[0]+" "+pair[1], w, 403, "origin_refused")
	}
	w := f.ask("POST", "/api/walky/send", bearer(token), header("Origin", "http://collie.example.ts.net"), header("X-Forwarded-Proto", "https"))
	want(t, "a page over HTTP and a door over HTTPS", w, 403, "origin_refused")
}

func TestAnyHostOpensTheHostGateAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) { f.config.AllowAnyHost = true })
	token := f.pair("pixel", 0)
	want(t, "read", f.ask("GET", "/api/snapshot", bearer(token), host("any.example")), 204, "")
	want(t, "write", f.ask("POST", "/api/walky/send", bearer(token), host("any.example"), header("Origin", "https://other.example")), 403, "origin_refused")
}

// A06: a token in an address is refused, good or not, and in no log.
func TestATokenInTheAddressIsRefusedAndNotLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := f.pair("pixel", 0)
	want(t, "alone", f.ask("GET", "/api/snapshot?token="+token), 400, "token_in_url")
	want(t, "beside the header", f.ask("GET", "/api/snapshot?x=1&token="+token, bearer(token)), 400, "token_in_url")
	want(t, "unknown", f.ask("GET", "/api/snapshot", bearer("x"+token)), 403, "device_not_paired")
	f.untouched("token in the address")
	if log := f.log.String(); strings.Contains(log, token) || !strings.Contains(log, "token_in_url") {
		t.Errorf("log: %s", log)
	}
}

// A09: one refusal, no redirect.
func TestARevokedDeviceIsRefusedOnItsNextRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token, other := f.pair("pixel", 0), f.pair("tablet", 0)
	want(t, "before", f.ask("GET", "/api/snapshot", bearer(token)), 204, "")
	want(t, "revoke", f.ask("POST", "/api/devices/pixel/revoke", bearer(other)), 200, "")
	want(t, "after", f.ask("GET", "/api/snapshot", bearer(token)), 403, "device_not_paired")
	want(t, "again", f.ask("POST", "/api/devices/pixel/revoke", bearer(other)), 404, "device_not_found")
}

func TestAListThatCannotBeReadIsUnavailable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	folder := t.TempDir()
	f.parts.Devices = pairing.Open(filepath.Join(folder, "devices.json"), pairing.Options{})
	t.Cleanup(f.parts.Devices.Close)
	if err := os.WriteFile(filepath.Join(folder, "devices.json"), []byte(`{"version":1,"dev`), 0o600); err != nil {
		t.Fatal(err)
	}
	door, err := New(f.config, f.parts)
	if err != nil {
		t.Fatal(err)
	}
	f.Door = door
	want(t, "read", f.ask("GET", "/api/snapshot", bearer("x")), 503, "pairing_unavailable")
}

func TestTheTrustedUserComesFromAProxyHereAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) { f.config.TrustedUser = "ann@example.com" })
	token := f.pair("pixel", 0)
	login := func(values ...string) change { return header("Tailscale-User-Login", values...) }
	want(t, "right", f.ask("GET", "/api/snapshot", bearer(token), login("Ann@example.com")), 204, "")
	for what, w := range map[string]int{
		"absent":    f.ask("GET", "/api/snapshot", bearer(token)).Code,
		"other":     f.ask("GET", "/api/snapshot", bearer(token), login("bob@example.com")).Code,
		"two":       f.ask("GET", "/api/snapshot", bearer(token), login("ann@example.com", "ann@example.com")).Code,
		"elsewhere": f.ask("GET", "/api/snapshot", bearer(token), login("ann@example.com"), from(elsewhere)).Code,
		"the app":   f.ask("GET", "/").Code,
		"pair":      f.ask("POST", "/api/pair").Code,
	} {
		if w != 403 {
			t.Errorf("%s: %d", what, w)
		}
	}
	want(t, "health", f.ask("GET", "/api/health"), 200, "")
}

func TestTheDeviceHeaderGuardsWritesFilesAndBrowse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) {
		f.config.DeviceHeader, f.config.DeviceAllowlist = "x-device-id", []string{"pixel-1", "pixel-2"}
	})
	token := f.pair("pixel", 0)
	good := header("X-Device-Id", "pixel-2")
	for _, at := range [][2]string{
		{"POST", "/api/pane/7/keys"},
		{"POST", "/api/pair"},
		{"POST", "/api/walky/send"},
		{"GET", "/api/pane/7/files"},
		{"GET", "/api/folders"},
	} {
		want(t, at[1], f.ask(at[0], at[1], bearer(token)), 403, "device_refused")
		want(t, at[1], f.ask(at[0], at[1], bearer(token), header("X-Device-Id", "pixel-3")), 403, "device_refused")
		want(t, at[1], f.ask(at[0], at[1], bearer(token), good, from(elsewhere)), 403, "device_refused")
		if w := f.ask(at[0], at[1], bearer(token), good); strings.Contains(w.Body.String(), "device_refused") {
			t.Errorf("%s with the header: %d", at[1], w.Code)
		}
	}
	want(t, "a read", f.ask("GET", "/api/snapshot", header("Authorization", "Bearer "+f.pair("tablet", 0))), 204, "")
}

// A15: the command line reads its own node, whatever login is required.
func TestTheLocalSecretReadsAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) { f.config.TrustedUser = "ann@example.com" })
	secret := header(LocalHeader, secretOf)
	plain := []change{secret, host("127.0.0.1:8787"), without("Sec-Fetch-Site")}
	ask := func(method, path string, more ...change) int {
		return f.ask(method, path, append(plain[:len(plain):len(plain)], more...)...).Code
	}
	if got := ask("GET", "/api/snapshot"); got != 204 {
		t.Fatalf("read: %d", got)
	}
	for what, got := range map[string]int{
		"write":           ask("POST", "/api/pane/7/keys", header("Origin", "http://127.0.0.1:8787")),
		"pair":            ask("POST", "/api/pair", header("Origin", "http://127.0.0.1:8787")),
		"files":           ask("GET", "/api/pane/7/files"),
		"browse":          ask("GET", "/api/folders"),
		"forwarded":       ask("GET", "/api/snapshot", header("X-Forwarded-For", "10.0.0.1")),
		"forwarded proto": ask("GET", "/api/snapshot", header("X-Forwarded-Proto", "https")),
		"rfc 7239":        ask("GET", "/api/snapshot", header("Forwarded", "for=10.0.0.1")),
		"via":             ask("GET", "/api/snapshot", header("Via", "1.1 proxy")),
		"elsewhere":       ask("GET", "/api/snapshot", from(elsewhere)),
		"wrong":           ask("GET", "/api/snapshot", header(LocalHeader, "x")),
		"empty":           ask("GET", "/api/snapshot", header(LocalHeader, "")),
		"twice":           ask("GET", "/api/snapshot", header(LocalHeader, secretOf, secretOf)),
		"foreign page":    ask("GET", "/api/snapshot", header("Origin", "https://evil.example")),
		"other host":      ask("GET", "/api/snapshot", host("evil.example")),
	} {
		if got != 403 {
			t.Errorf("%s: %d, want 403", what, got)
		}
	}
}

func TestTheLocalSecretIsTakenFromAnOwnAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) { f.config.Host, f.config.AllowNonLoopback = "0.0.0.0", true })
	at := func(address string) change {
		return func(r *http.Request) {
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(address), Port: 8787})))
		}
	}
	ask := func(ours, peer string) int {
		return f.ask("GET", "/api/snapshot", header(LocalHeader, secretOf), at(ours), host(ours), from(peer)).Code
	}
	if got := ask("192.168.1.7", elsewhere); got != 204 {
		t.Errorf("from this machine: %d", got)
	}
	if got := ask("192.168.1.1", elsewhere); got != 403 {
		t.Errorf("from another: %d", got)
	}
}

func TestWithoutALocalSecretNoneIsRight(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(f *fixture) { f.parts.LocalSecret = "" })
	want(t, "empty", f.ask("GET", "/api/snapshot", header(LocalHeader, "")), 403, "device_not_paired")
}

func TestAMemberHasHealthAndOnePage(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"member", "deposed"} {
		f := newFixture(t, func(f *fixture) { f.mode = Mode{Name: mode, Lead: "lounge <b>"} })
		token := f.pair("pixel", 0)
		f.each(func(path string, _ bool) (int, string) {
			if path == "/api/health" {
				return 200, ""
			}
			return 404, "not_found"
		}, bearer(token))
		w := f.ask("GET", "/")
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "<strong>lounge &lt;b&gt;</strong>") {
			t.Errorf("page: %d %s", w.Code, body)
		}
		if policy := w.Result().Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") {
			t.Errorf("policy: %q", policy)
		}
		want(t, "the app", f.ask("GET", "/sw.js"), 404, "not_found")
		want(t, "write", f.ask("POST", "/"), 405, "method_not_allowed")
		want(t, "rebinding", f.ask("GET", "/", host("evil.example")), 403, "host_refused")
		f.mu.Lock()
		f.mode = Mode{Name: "solo"}
		f.mu.Unlock()
		want(t, "solo again", f.ask("GET", "/api/snapshot", bearer(token)), 204, "")
	}
}

func TestTransportSecurityIsPromisedOverHTTPSAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, test := range []struct {
		want    string
		changes []change
	}{
		{"", nil},
		{"", []change{header("X-Forwarded-Proto", "http")}},
		{"", []change{header("X-Forwarded-Proto", "https"), from(elsewhere)}},
		{"max-age=31536000", []change{header("X-Forwarded-Proto", "https")}},
		{"max-age=31536000", []change{header("X-Forwarded-Proto", "https"), host("evil.example")}},
		{"", []change{header("X-Forwarded-Proto", "https, http")}},
	} {
		if got := f.ask("GET", "/api/health", test.changes...).Result().Header.Get("Strict-Transport-Security"); got != test.want {
			t.Errorf("HSTS %q, want %q", got, test.want)
		}
	}
}
