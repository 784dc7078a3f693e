package identity_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"collie/crypto/identity"
)

// counting is a source of "randomness" that yields 0, 1, 2, …
type counting struct{ next byte }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.next
		c.next++
	}
	return len(p), nil
}

var moment = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func fixed(t testing.TB, first byte) *identity.Identity {
	t.Helper()
	id, err := identity.Generate(&counting{next: first}, moment)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestIdentityIsTheOneInTheVector(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/identity.pem")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fixed(t, 0).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("Marshal gave\n%s\nwant\n%s", got, want)
	}
}

func TestFingerprintForms(t *testing.T) {
	t.Parallel()
	f := fixed(t, 0).Fingerprint()
	const (
		full   = "b95cda22f6235511909752bfdc43a5505f9ee9e98b8d8c61c1bcc8f5d87a37dd"
		groups = "b95c da22 f623 5511 9097 52bf dc43 a550 5f9e e9e9 8b8d 8c61 c1bc c8f5 d87a 37dd"
		short  = "XFON-UIXW-ENKR-DEEX-KK75-YQ5F-KBPZ-52PJ"
	)
	if f.String() != full || f.Groups() != groups || f.Short() != short {
		t.Errorf("forms are\n%s\n%s\n%s", f, f.Groups(), f.Short())
	}
	for _, text := range []string{full, groups, strings.ToUpper(full)} {
		if parsed, err := identity.ParseFingerprint(text); err != nil || !parsed.Equal(f) {
			t.Errorf("ParseFingerprint(%q) = %v, %v", text, parsed, err)
		}
	}
	if got := slog.AnyValue(f).Resolve().String(); got != short {
		t.Errorf("in a log it reads %q", got)
	}
	data, err := json.Marshal(f)
	if err != nil || string(data) != `"`+full+`"` {
		t.Errorf("as JSON it is %s, %v", data, err)
	}
	var back identity.Fingerprint
	if err := json.Unmarshal(data, &back); err != nil || back != f {
		t.Errorf("from JSON it is %v, %v", back, err)
	}
}

func TestFingerprintRefusesOtherText(t *testing.T) {
	t.Parallel()
	full := fixed(t, 0).Fingerprint().String()
	for _, text := range []string{
		"", "00", full[1:], full + "0", "g" + full[1:], " " + full[1:], full[:63] + " ",
		full[:60] + "    ", full[:4] + "  " + full[4:], strings.Repeat(" ", 79), fixed(t, 0).Fingerprint().Short(),
	} {
		if _, err := identity.ParseFingerprint(text); !errors.Is(err, identity.ErrFingerprint) {
			t.Errorf("ParseFingerprint(%q): %v", text, err)
		}
	}
	var f identity.Fingerprint
	if err := f.UnmarshalText([]byte(strings.ToUpper(full))); !errors.Is(err, identity.ErrFingerprint) {
		t.Errorf("a stored fingerprint in upper case: %v", err)
	}
}

func TestCertificateSaysNothingAboutTheNode(t *testing.T) {
	t.Parallel()
	cert, err := x509.ParseCertificate(fixed(t, 0).Certificate())
	if err != nil {
		t.Fatal(err)
	}
	if got := cert.Subject.String(); got != "CN=collie node" {
		t.Errorf("subject is %q", got)
	}
	if want := moment.AddDate(10, 0, 0); !cert.NotAfter.Equal(want) {
		t.Errorf("it ends at %v, want %v", cert.NotAfter, want)
	}
	if len(cert.DNSNames)+len(cert.IPAddresses)+len(cert.URIs)+len(cert.EmailAddresses) != 0 {
		t.Error("it names an address")
	}
}

func TestTwoIdentitiesDiffer(t *testing.T) {
	t.Parallel()
	a, b := fixed(t, 0), fixed(t, 1)
	if a.Fingerprint().Equal(b.Fingerprint()) {
		t.Error("same fingerprint")
	}
	message := []byte("message")
	if !ed25519.Verify(a.PublicKey(), message, a.Sign(message)) || ed25519.Verify(b.PublicKey(), message, a.Sign(message)) {
		t.Error("a signature verifies under the wrong key, or not under its own")
	}
}

func TestGenerateSaysThatRandomnessFailed(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 31, 47} {
		if _, err := identity.Generate(bytes.NewReader(make([]byte, size)), moment); err == nil {
			t.Errorf("an identity from %d random bytes", size)
		}
	}
}

func TestUnmarshalTakesBackMarshalAlone(t *testing.T) {
	t.Parallel()
	id := fixed(t, 0)
	good, err := id.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := identity.Unmarshal(good)
	if err != nil || back.Fingerprint() != id.Fingerprint() {
		t.Fatalf("Unmarshal: %v", err)
	}
	other, err := fixed(t, 1).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	key, certificate, _ := bytes.Cut(good, []byte("-----BEGIN CERT"))
	_, otherCertificate, _ := bytes.Cut(other, []byte("-----BEGIN CERT"))
	certificate = append([]byte("-----BEGIN CERT"), certificate...)
	otherCertificate = append([]byte("-----BEGIN CERT"), otherCertificate...)
	for name, data := range map[string][]byte{
		"nothing":             nil,
		"the key alone":       key,
		"the other way round": append(bytes.Clone(certificate), key...),
		"another certificate": append(bytes.Clone(key), otherCertificate...),
		"text before":         append([]byte("x\n"), good...),
		"text after":          append(bytes.Clone(good), 'x'),
		"twice":               append(bytes.Clone(good), good...),
		"cut":                 good[:len(good)-20],
		"too large":           bytes.Repeat([]byte{'\n'}, identity.MaxPEMSize+1),
	} {
		if _, err := identity.Unmarshal(data); !errors.Is(err, identity.ErrIdentity) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseCertificateRefuses(t *testing.T) {
	t.Parallel()
	good := fixed(t, 0).Certificate()
	changed := bytes.Clone(good)
	changed[len(changed)-1] ^= 1
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}}
	}
	longer := named("collie node")
	longer.Subject.Organization = []string{"alice"}
	make509 := func(template, parent *x509.Certificate, public, private any) []byte {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, public, private)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	for name, der := range map[string][]byte{
		"nothing":           nil,
		"trailing bytes":    append(bytes.Clone(good), 0),
		"a wrong signature": changed,
		"another subject":   make509(named("alice"), named("alice"), key.Public(), key),
		"a longer subject":  make509(longer, longer, key.Public(), key),
		"another issuer":    make509(named("collie node"), named("alice"), key.Public(), key),
		"another kind":      make509(named("collie node"), named("collie node"), ec.Public(), ec),
		"too large":         make([]byte, identity.MaxCertificateSize+1),
	} {
		if _, err := identity.ParseCertificate(der); !errors.Is(err, identity.ErrCertificate) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoFormattingShowsTheKey(t *testing.T) {
	t.Parallel()
	id := fixed(t, 0)
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("minted", "identity", id)
	if want := fmt.Sprintf("identity=%s\n", id.Fingerprint().Short()); !strings.HasSuffix(out.String(), want) {
		t.Errorf("the log line is %q", out.String())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, id); got != id.Fingerprint().Short() {
			t.Errorf("%s shows %q", verb, got)
		}
	}
}

func FuzzParseFingerprint(f *testing.F) {
	f.Add(fixed(f, 0).Fingerprint().String())
	f.Add(fixed(f, 0).Fingerprint().Groups())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := identity.ParseFingerprint(text)
		if err != nil {
			return
		}
		if lower := strings.ToLower(text); lower != parsed.String() && lower != parsed.Groups() {
			t.Errorf("%q was read as %v", text, parsed)
		}
	})
}

func FuzzParseCertificate(f *testing.F) {
	f.Add(fixed(f, 0).Certificate())
	f.Fuzz(func(t *testing.T, der []byte) {
		cert, err := identity.ParseCertificate(der)
		if err == nil && (!bytes.Equal(cert.DER, der) || cert.Fingerprint != identity.FingerprintOf(der)) {
			t.Error("the certificate is not the bytes that were read")
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	good, err := fixed(f, 0).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		id, err := identity.Unmarshal(data)
		if err != nil {
			return
		}
		if again, err := id.Marshal(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("it was read from\n%s\nand is written as\n%s", data, again)
		}
	})
}
