package site

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"testing"
)

func TestTheNamesOfAListenerAreTheOnlyOnesKnown(t *testing.T) {
	t.Parallel()
	s, err := New("192.168.7.7", false, "https://collie.example:8443/x", "")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddr("10.1.1.1")
	for host, known := range map[string]bool{
		"localhost:1": true, "127.9.9.9": true, "[::1]:5": true, "192.168.7.7:80": true, "collie.example": true, "10.1.1.1:2": true,
		"": false, "evil.example": false, "10.1.1.2": false, "collie.example.evil": false,
	} {
		if got := s.CheckHost(host, at) == nil; got != known {
			t.Errorf("%q is known: %v, want %v", host, got, known)
		}
	}
	open, err := New("0.0.0.0", true)
	if err != nil || open.CheckHost("anything", at) != nil {
		t.Errorf("any host: %v", err)
	}
	for _, address := range []string{"collie.example", "ftp://collie.example", "https://", "://"} {
		if _, err := New("127.0.0.1", false, address); !errors.Is(err, ErrURL) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestAWriteNeedsABrowsersWordThatThePageIsOurs(t *testing.T) {
	t.Parallel()
	s, err := New("127.0.0.1", false, "https://collie.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		header http.Header
		kind   Kind
		passes bool
	}{
		{"a write without a word", http.Header{}, Write, false},
		{"a write of our page", http.Header{"Origin": {"http://localhost:8790"}}, Write, true},
		{"a write of the published page", http.Header{"Origin": {"https://collie.example"}}, Write, true},
		{"a write of another page", http.Header{"Origin": {"https://evil.example"}}, Write, false},
		{"a write of another page that claims ours", http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"same-origin"}}, Write, false},
		{"a write by the browser's word", http.Header{"Sec-Fetch-Site": {"same-origin"}}, Write, true},
		{"a write from another site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, Write, false},
		{"two origins", http.Header{"Origin": {"http://localhost:8790", "http://localhost:8790"}}, Write, false},
		{"a read without a word", http.Header{}, Read, true},
		{"a read of another site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, Read, false},
		{"a link from another site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, Page, true},
		{"no origin at all", http.Header{"Origin": {"null"}}, Read, false},
	} {
		err := s.CheckOrigin(&http.Request{Host: "localhost:8790", Header: c.header}, false, c.kind)
		if (err == nil) != c.passes || err != nil && !errors.Is(err, ErrOriginRefused) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestALoopbackAddressIsBoundAndNoOtherWithoutLeave(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::", "192.168.1.1", "", "collie.example"} {
		if _, err := Listen(t.Context(), host, 0, false); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%q: %v", host, err)
		}
	}
	first, err := Listen(t.Context(), "localhost", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	if _, err := Listen(t.Context(), "127.0.0.1", first.Addr().(*net.TCPAddr).Port, false); !errors.Is(err, ErrPortInUse) {
		t.Errorf("a port in use: %v", err)
	}
}
