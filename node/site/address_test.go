package site

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestHostNames(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"localhost": "localhost", "LocalHost.:80": "localhost", "127.0.0.1:1": "127.0.0.1", "[::1]": "::1", "[::1]:443": "::1", "::1": "::1",
		"[0:0::1]:2": "::1", "[::ffff:127.0.0.1]:2": "127.0.0.1", "my_host-1.ts.net:65535": "my_host-1.ts.net",
		"": "", ":80": "", ".": "", "..": "", ".a": "", "a..b": "", "a..": "", "a:b:c": "", "a:": "", "a:+1": "", "a:123456": "", "[::1": "", "[]": "", "[]:1": "", "[localhost]": "", "[127.0.0.1]": "",
		"[fe80::1%eth0]": "", "a b": "", "a/b": "", "a@b": "", "a\x00": "", "ａ": "", "lоcalhost": "",
	} {
		if got := HostName(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

func TestTheLastEntryOfAForwardedHeaderCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []string
		want   string
	}{
		{nil, "invalid IP"},
		{[]string{""}, "invalid IP"},
		{[]string{"10.0.0.1"}, "10.0.0.1"},
		{[]string{"10.0.0.1,10.0.0.2 "}, "10.0.0.2"},
		{[]string{"10.0.0.1, 10.0.0.2", "10.0.0.3"}, "10.0.0.3"},
		{[]string{"10.0.0.1,"}, "invalid IP"},
		{[]string{"10.0.0.1:99"}, "10.0.0.1"},
		{[]string{"[2001:db8::1]:99"}, "2001:db8::1"},
		{[]string{"[2001:db8::1]"}, "2001:db8::1"},
		{[]string{"::ffff:10.0.0.1"}, "10.0.0.1"},
		{[]string{"unknown"}, "invalid IP"},
	} {
		h := http.Header{"X-Forwarded-For": test.values}
		if got := AddressOf(Last(h, "X-Forwarded-For")).String(); got != test.want {
			t.Errorf("%q: %s, want %s", test.values, got, test.want)
		}
	}
}

// Whatever a Host header holds, a name that is taken for one of ours is spelled
// like one, and no page of another host is ours.
func FuzzHostAndOrigin(f *testing.F) {
	for _, seed := range [][2]string{
		{"localhost:8787", "http://localhost:8787"},
		{"[::1]:8787", "http://[::1]:8787"},
		{"collie.example.ts.net", "https://collie.example.ts.net:443"},
		{"evil.example", "null"},
		{"[::ffff:7f00:1]", "https://a@b:1/#"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, host, origin string) {
		name := HostName(host)
		if name != "" && HostName(name) != name {
			t.Fatalf("host %q: %q is read as %q", host, name, HostName(name))
		}
		if name != "" && !strings.Contains(strings.ToLower(host), "localhost") && name == "localhost" {
			t.Fatalf("host %q is localhost", host)
		}
		canonical, scheme := parseOrigin(origin)
		if canonical == "" {
			return
		}
		if again, _ := parseOrigin(canonical); again != canonical {
			t.Fatalf("origin %q: %q is read as %q", origin, canonical, again)
		}
		u, err := url.Parse(canonical)
		if err != nil || u.Scheme != scheme || HostName(u.Host) != HostName(u.Hostname()) {
			t.Fatalf("origin %q: %q", origin, canonical)
		}
		if (&Site{}).Same(origin, host, false) && HostName(u.Host) != name {
			t.Fatalf("a page of %q may call %q", origin, host)
		}
	})
}

func FuzzForwarded(f *testing.F) {
	f.Add("10.0.0.1, [::1]:5")
	f.Add(",")
	f.Add("fe80::1%eth0")
	f.Fuzz(func(t *testing.T, value string) {
		address := AddressOf(Last(http.Header{"X": {value}}, "X"))
		if !address.IsValid() {
			return
		}
		if again, err := netip.ParseAddr(address.String()); err != nil || again != address {
			t.Fatalf("%q: %s is read as %s, %v", value, address, again, err)
		}
	})
}

func TestOneSubscriberIsOneHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8::1": "2001:db8::/64", "2001:db8::ffff:1%eth0": "2001:db8::/64", "2001:db8:0:1::1": "2001:db8:0:1::/64",
	} {
		if got := HostOf(AddressOf(address)); got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
}
