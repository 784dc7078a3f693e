package frontdoor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeCertificate makes a certificate for loopback with a serial number.
func writeCertificate(t *testing.T, folder string, serial int64) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "door"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return cert, key, pool
}

func TestBothProtocolsAreSpokenWithAndWithoutTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := writeCertificate(t, t.TempDir(), 1)
	plain := newFixture(t)
	secure := newFixture(t, func(f *fixture) { f.config.TLSCert, f.config.TLSKey = cert, key })
	plainAt, _ := plain.serve()
	secureAt, _ := secure.serve()
	h1, h2, clear := new(http.Protocols), new(http.Protocols), new(http.Protocols)
	h1.SetHTTP1(true)
	h2.SetHTTP2(true)
	clear.SetUnencryptedHTTP2(true)
	for _, test := range []struct {
		url       string
		protocols *http.Protocols
		major     int
		hsts      string
	}{
		{"http://" + plainAt, h1, 1, ""},
		{"http://" + plainAt, clear, 2, ""},
		{"https://" + secureAt, h1, 1, "max-age=31536000"},
		{"https://" + secureAt, h2, 2, "max-age=31536000"},
	} {
		client := plain.client(&http.Transport{Protocols: test.protocols, TLSClientConfig: &tls.Config{RootCAs: pool}})
		response, err := client.Do(plain.request("GET", test.url+"/api/health", ""))
		if err != nil {
			t.Errorf("%s, HTTP/%d: %v", test.url, test.major, err)
			continue
		}
		_ = response.Body.Close()
		if hsts := response.Header.Get("Strict-Transport-Security"); response.StatusCode != 200 || response.ProtoMajor != test.major || hsts != test.hsts {
			t.Errorf("%s: %d %s, HSTS %q", test.url, response.StatusCode, response.Proto, hsts)
		}
	}
}

func TestTheCertificateIsLoadedAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cert, key, _ := writeCertificate(t, folder, 1)
	loaded, err := loadCertificate(cert, key, discard())
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		loaded.checked = time.Time{}
		got, err := loaded.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("serial %d", got)
	}
	if err := os.WriteFile(cert, []byte("half a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 1 {
		t.Errorf("a broken file put %d in the place of the certificate", got)
	}
	writeCertificate(t, folder, 2)
	if got := serial(); got != 2 {
		t.Errorf("serial %d after the change", got)
	}
	if _, err := loadCertificate(cert, cert, discard()); !errors.Is(err, ErrConfig) {
		t.Errorf("a key file that is none: %v", err)
	}
}
