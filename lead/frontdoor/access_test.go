package frontdoor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// team signs as Cloudflare Access would.
type team struct {
	t    *testing.T
	rsa  *rsa.PrivateKey
	ec   *ecdsa.PrivateKey
	evil *rsa.PrivateKey
}

func newTeam(t *testing.T) *team {
	t.Helper()
	made := &team{t: t}
	var err1, err2, err3 error
	made.rsa, err1 = rsa.GenerateKey(rand.Reader, 2048)
	made.ec, err2 = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	made.evil, err3 = rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return made
}

func (m *team) certs() []byte {
	data, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{KeyID: "r", Key: m.rsa.Public(), Algorithm: "RS256", Use: "sig"},
		{KeyID: "e", Key: m.ec.Public(), Algorithm: "ES256", Use: "sig"},
		{KeyID: "x", Key: m.rsa.Public(), Use: "enc"},
	}})
	if err != nil {
		m.t.Fatal(err)
	}
	return data
}

func (m *team) sign(algorithm jose.SignatureAlgorithm, key any, id string, claims any) string {
	m.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		m.t.Fatal(err)
	}
	return token
}

func TestAnAccessTokenIsVerified(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	f := newFixture(t, func(f *fixture) {
		f.config.AccessTeam, f.config.AccessAUD = "kennel", "the-audience"
		f.parts.Fetch = func(_ context.Context, address string) ([]byte, error) {
			if address != "https://kennel.cloudflareaccess.com/cdn-cgi/access/certs" {
				t.Errorf("fetched %s", address)
			}
			return m.certs(), nil
		}
	})
	token := f.pair("pixel", 0)
	want(t, "before the keys are here", f.ask("GET", "/api/snapshot", bearer(token)), 503, "access_unavailable")
	want(t, "health", f.ask("GET", "/api/health"), 200, "")
	want(t, "the command line", f.ask("GET", "/api/snapshot", header(LocalHeader, secretOf)), 204, "")
	if err := f.keys.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	claims := func(change func(*jwt.Claims)) jwt.Claims {
		c := jwt.Claims{
			Issuer: "https://kennel.cloudflareaccess.com", Audience: jwt.Audience{"other", "the-audience"},
			Expiry: jwt.NewNumericDate(f.clock().Add(time.Hour)), IssuedAt: jwt.NewNumericDate(f.clock().Add(-time.Hour)),
			NotBefore: jwt.NewNumericDate(f.clock().Add(-time.Hour)),
		}
		if change != nil {
			change(&c)
		}
		return c
	}
	ask := func(assertion string) int {
		return f.ask("GET", "/api/snapshot", bearer(token), header(assertionHeader, assertion)).Code
	}
	good := m.sign(jose.RS256, m.rsa, "r", claims(nil))
	for what, assertion := range map[string]string{"RS256": good, "ES256": m.sign(jose.ES256, m.ec, "e", claims(nil))} {
		if got := ask(assertion); got != 204 {
			t.Errorf("%s: %d", what, got)
		}
	}
	for what, assertion := range map[string]string{
		"none":            "",
		"noise":           "a.b.c",
		"unsigned":        "eyJhbGciOiJub25lIiwia2lkIjoiciJ9." + "e30.",
		"another key":     m.sign(jose.RS256, m.evil, "r", claims(nil)),
		"unknown key":     m.sign(jose.RS256, m.rsa, "z", claims(nil)),
		"no key id":       m.sign(jose.RS256, m.rsa, "", claims(nil)),
		"encryption key":  m.sign(jose.RS256, m.rsa, "x", claims(nil)),
		"other algorithm": m.sign(jose.PS256, m.rsa, "r", claims(nil)),
		"shared secret":   m.sign(jose.HS256, m.rsa.N.Bytes(), "r", claims(nil)),
		"issuer":          m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.Issuer = "https://evil.cloudflareaccess.com" })),
		"audience":        m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.Audience = jwt.Audience{"other"} })),
		"no audience":     m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.Audience = nil })),
		"expired":         m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.Expiry = jwt.NewNumericDate(f.clock().Add(-2 * time.Minute)) })),
		"for ever":        m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.Expiry = nil })),
		"too early":       m.sign(jose.RS256, m.rsa, "r", claims(func(c *jwt.Claims) { c.NotBefore = jwt.NewNumericDate(f.clock().Add(2 * time.Minute)) })),
		"cut":             good[:len(good)-4],
	} {
		if got := ask(assertion); got != 403 {
			t.Errorf("%s: %d", what, got)
		}
	}
	want(t, "twice", f.ask("GET", "/", header(assertionHeader, good, good)), 403, "access_refused")
	want(t, "the app", f.ask("GET", "/", header(assertionHeader, good)), 200, "")
	want(t, "no pairing token", f.ask("GET", "/api/snapshot", header(assertionHeader, good)), 403, "device_not_paired")
}

func TestKeysAreFetchedAtStartAndHourlyAndKeptThroughFailures(t *testing.T) {
	t.Parallel()
	m := newTeam(t)
	certs := m.certs()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		answers := []func() ([]byte, error){
			func() ([]byte, error) { return nil, errors.New("no network") },
			func() ([]byte, error) { return []byte("<html>"), nil },
			func() ([]byte, error) { return []byte(`{"keys":[]}`), nil },
			func() ([]byte, error) { return certs, nil },
			func() ([]byte, error) { return nil, errors.New("no network") },
			func() ([]byte, error) { return certs, nil },
		}
		keys := newAccessKeys("kennel", "aud", Parts{Now: time.Now, Log: discard(), Fetch: func(context.Context, string) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(start))
			return answers[len(at)-1]()
		}})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { keys.keep(ctx) })
		time.Sleep(89 * time.Second)
		if err := keys.verify(""); !errors.Is(err, ErrAccessUnavailable) {
			t.Errorf("without keys: %v", err)
		}
		time.Sleep(time.Second + 30*time.Minute)
		if err := keys.verify(""); !errors.Is(err, ErrAccessRefused) {
			t.Errorf("with keys: %v", err)
		}
		time.Sleep(time.Hour)
		if err := keys.verify(""); !errors.Is(err, ErrAccessRefused) {
			t.Errorf("after a fetch that failed: %v", err)
		}
		stop()
		running.Wait()
		want := []time.Duration{0, 30 * time.Second, time.Minute, 90 * time.Second, 90*time.Second + time.Hour, 2*time.Minute + time.Hour}
		if len(at) != len(want) {
			t.Fatalf("fetched at %v, want %v", at, want)
		}
		for i := range at {
			if at[i] != want[i] {
				t.Errorf("fetched at %v, want %v", at, want)
			}
		}
	})
}
