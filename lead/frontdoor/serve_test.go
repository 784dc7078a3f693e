package frontdoor

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
	"collie/node/api/sse"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// serve opens the door on a port of its own until the test ends or stop is
// called, which returns how long it took.
func (f *fixture) serve() (address string, stop func() time.Duration) {
	f.t.Helper()
	f.config.Port = 0
	listener, err := Listen(f.t.Context(), f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx, listener) }()
	var took time.Duration
	stopped := false
	stop = func() time.Duration {
		if !stopped {
			stopped = true
			start := time.Now()
			cancel()
			if err := <-served; err != nil {
				f.t.Errorf("serve: %v", err)
			}
			took = time.Since(start)
		}
		return took
	}
	f.t.Cleanup(func() { stop() })
	return listener.Addr().String(), stop
}

func (f *fixture) client(transport *http.Transport) *http.Client {
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// request is one as a page at address would send it.
func (f *fixture) request(method, url, token string) *http.Request {
	f.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, url, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// beating is a route that streams beats until its request ends, and says so.
func beating(ended chan<- error) api.Route {
	return api.Route{Method: "GET", Path: "/beats", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		out := sse.NewWriter(w)
		if out.Send("snapshot", 1, []byte("{}")) == nil {
			_ = out.Beat(r.Context(), time.Hour, func() []byte { return []byte("{}") })
		}
		ended <- r.Context().Err()
	}}
}

// flooding is a route that sends as much as is taken.
func flooding(ended chan<- error) api.Route {
	return api.Route{Method: "GET", Path: "/flood", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		out, data := sse.NewWriter(w), []byte(strings.Repeat("x", 64<<10))
		for r.Context().Err() == nil {
			if err := out.Send("frame", 1, data); err != nil {
				break
			}
		}
		ended <- r.Context().Err()
	}}
}

func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing happened", what)
		panic("unreachable")
	}
}

func TestAStreamEndsWhenItsDeviceIsRevoked(t *testing.T) {
	t.Parallel()
	h1, h2 := new(http.Protocols), new(http.Protocols)
	h1.SetHTTP1(true)
	h2.SetUnencryptedHTTP2(true)
	for _, test := range []struct {
		path      string
		protocols *http.Protocols
	}{{"/api/beats", h1}, {"/api/flood", h1}, {"/api/beats", h2}, {"/api/flood", h2}} { // the phone takes nothing of the flood
		path, ended := test.path, make(chan error, 1)
		f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended), flooding(ended)} })
		address, _ := f.serve()
		token := f.pair("pixel", 0)
		response, err := f.client(&http.Transport{Protocols: test.protocols}).Do(f.request("GET", "http://"+address+path, token))
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil || line != "id: 1\n" {
			t.Fatalf("%s: %q, %v", path, line, err)
		}
		if err := f.devices.Revoke(t.Context(), "pixel"); err != nil {
			t.Fatal(err)
		}
		await(t, path, ended)
		_ = response.Body.Close()
	}
}

func TestAStreamEndsWhenTheNodeBecomesAMember(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended)} })
	address, _ := f.serve()
	response, err := f.client(&http.Transport{}).Do(f.request("GET", "http://"+address+"/api/beats", f.pair("pixel", 0)))
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.mode = Mode{Name: "member", Lead: "lounge"}
	f.mu.Unlock()
	await(t, "stream", ended)
	_ = response.Body.Close()
}

func TestTheDoorClosesThoughStreamsAreOpen(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 2)
	f := newFixture(t, func(f *fixture) { f.parts.Routes = []api.Route{beating(ended), flooding(ended)} })
	address, stop := f.serve()
	client := f.client(&http.Transport{})
	for _, path := range []string{"/api/beats", "/api/flood"} {
		response, err := client.Do(f.request("GET", "http://"+address+path, f.pair(path[5:], 0)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
	}
	if took := stop(); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
	for range 2 {
		if err := await(t, "stream", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a stream ended with %v", err)
		}
	}
}

func TestAWriteComesToItsAnswerWhileTheDoorCloses(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	f := newFixture(t, func(f *fixture) {
		f.parts.Routes = []api.Route{{Method: "POST", Path: "/slow", Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
			close(begun)
			<-goOn
			if err := r.Context().Err(); err != nil {
				api.WriteError(w, err)
				return
			}
			api.WriteJSON(w, api.Done{OK: true})
		}}}
	})
	address, stop := f.serve()
	token := f.pair("pixel", 0)
	status := make(chan int, 1)
	client := f.client(&http.Transport{})
	go func() {
		response, err := client.Do(f.request("POST", "http://"+address+"/api/slow", token))
		if err != nil {
			status <- 0
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	await(t, "begin", begun)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	for { // until nobody is let in any more
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(goOn)
	if got := await(t, "answer", status); got != 200 {
		t.Errorf("the write answered %d", got)
	}
	await(t, "stop", stopped)
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, _ := f.serve()
	r := f.request("GET", "http://"+address+"/api/health", "")
	r.Header.Set("X-Large", strings.Repeat("x", 40<<10))
	response, err := f.client(&http.Transport{}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestOptionsForTheServerPassTheGates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	address, _ := f.serve()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403 ") || !strings.Contains(string(answer), "host_refused") {
		t.Errorf("answer %q, %v", answer, err)
	}
}

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

// A12: the setting and the listener are one thing.
func TestOnlyLoopbackIsListenedOnUnlessAllowed(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::", "192.168.1.1", "", "collie.example", "127.0.0.1.evil.example"} {
		if _, err := Listen(t.Context(), Config{Host: host}); !errors.Is(err, ErrNotLoopback) {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, config := range []Config{{Host: "127.0.0.1"}, {Host: "localhost"}, {Host: "0.0.0.0", AllowNonLoopback: true}} {
		listener, err := Listen(t.Context(), config)
		if err != nil {
			t.Errorf("%q: %v", config.Host, err)
			continue
		}
		_ = listener.Close()
	}
}

func TestTheKernelHoldsLittleForAConnection(t *testing.T) {
	t.Parallel()
	listener, err := Listen(t.Context(), Config{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	conn, err := small{listener}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var size int
	var err2 error
	err = raw.Control(func(fd uintptr) { size, err2 = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF) })
	if err = errors.Join(err, err2); err != nil || size > 2*writeBuffer { // Linux counts its own needs too
		t.Errorf("send buffer of %d bytes, %v", size, err)
	}
}

func TestAPortInUseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	first, err := Listen(t.Context(), Config{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	_, err = Listen(t.Context(), Config{Host: "127.0.0.1", Port: first.Addr().(*net.TCPAddr).Port})
	if !errors.Is(err, ErrPortInUse) || !strings.Contains(err.Error(), "COLLIE_INSTANCE") {
		t.Errorf("second listener: %v", err)
	}
}
