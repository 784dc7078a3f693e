package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/api/sse"
	"collie/node/grid"
)

// A Phone is a paired device that speaks the HTTP API. It keeps every byte that
// the lead ever answered it, so that a test can look for what must not be there.
type Phone struct {
	URL   string
	Token string

	t    testing.TB
	http *http.Client
	mu   sync.Mutex
	seen bytes.Buffer
}

// Pair pairs a phone with a machine.
func (m *Machine) Pair(label string) *Phone {
	m.t.Helper()
	p := &Phone{URL: m.URL, t: m.t, http: m.Client()}
	code := JSON[struct{ Code string }](m, "pair").Code
	var paired struct{ Token string }
	if status := p.Post("/api/pair", map[string]string{"code": code, "label": label}, &paired); status != http.StatusOK {
		m.t.Fatalf("pair answered %d", status)
	}
	p.Token = paired.Token
	return p
}

// Client returns an HTTP client that stands where the machine is.
func (m *Machine) Client() *http.Client {
	transport := &http.Transport{DisableCompression: true}
	if m.host != nil {
		transport.DialContext = m.host.Dial
	}
	m.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Do sends a request as the page would and returns the answer, read whole.
func (p *Phone) Do(method, path string, body any, change ...func(*http.Request)) (int, []byte) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	response, err := p.http.Do(p.request(ctx, method, path, body, change...))
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(p.record(response.Body))
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, data
}

func (p *Phone) request(ctx context.Context, method, path string, body any, change ...func(*http.Request)) *http.Request {
	p.t.Helper()
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, reader)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if p.Token != "" {
		request.Header.Set("Authorization", "Bearer "+p.Token)
	}
	for _, c := range change {
		c(request)
	}
	return request
}

// Get reads a document; it must be there.
func (p *Phone) Get(path string, v any) {
	p.t.Helper()
	status, data := p.Do(http.MethodGet, path, nil)
	if status != http.StatusOK {
		p.t.Fatalf("GET %s answered %d %s", path, status, data)
	}
	if err := json.Unmarshal(data, v); err != nil {
		p.t.Fatalf("GET %s answered %s: %v", path, data, err)
	}
}

// Post sends a document and returns the status; a 200 is parsed into v.
func (p *Phone) Post(path string, body, v any) int {
	p.t.Helper()
	status, data := p.Do(http.MethodPost, path, body)
	if status == http.StatusOK && v != nil {
		if err := json.Unmarshal(data, v); err != nil {
			p.t.Fatalf("POST %s answered %s: %v", path, data, err)
		}
	}
	return status
}

// Code returns the stable code of a refusal.
func Code(data []byte) string {
	var refused struct{ Code string }
	_ = json.Unmarshal(data, &refused)
	return refused.Code
}

// record keeps what passes through it.
func (p *Phone) record(r io.Reader) io.Reader {
	return io.TeeReader(r, writerFunc(func(data []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.seen.Write(data)
	}))
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// Seen returns every byte that the lead answered so far.
func (p *Phone) Seen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// A Mirror is a live screen on the phone: one stream, which fails the test that
// waits for it when it ends or when a frame is missing from it.
type Mirror struct {
	mu     sync.Mutex
	screen grid.Screen
	at     time.Time // when the newest frame came
	err    error
	moved  chan struct{}
	cancel context.CancelFunc
	done   chan struct{}
}

// PanePath is the API path of a pane; host is empty on a solo node.
func PanePath(host, id, rest string) string {
	path := "/api/pane/" + url.PathEscape(id) + rest
	if host != "" {
		path += "?host=" + url.QueryEscape(host)
	}
	return path
}

// Watch opens the live stream of a pane until the test ends.
func (p *Phone) Watch(host, id string) *Mirror {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m := &Mirror{moved: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{})}
	request := p.request(ctx, http.MethodGet, PanePath(host, id, "/live"), nil)
	go m.follow(p, request)
	p.t.Cleanup(m.Close)
	return m
}

// Close ends the stream.
func (m *Mirror) Close() { m.cancel(); <-m.done }

func (m *Mirror) follow(p *Phone, request *http.Request) {
	defer close(m.done)
	fail := func(err error) {
		m.mu.Lock()
		m.err = err
		m.mu.Unlock()
		m.move()
	}
	response, err := p.http.Do(request)
	if err != nil {
		fail(err)
		return
	}
	defer response.Body.Close()
	events := sse.NewReader(p.record(response.Body), api.MaxAnswerBytes)
	for {
		event, err := events.Next()
		at := time.Now()
		if err != nil {
			fail(err)
			return
		}
		if event.Name != "frame" {
			continue
		}
		var frame grid.Frame
		if err := json.Unmarshal(event.Data, &frame); err != nil {
			fail(err)
			return
		}
		m.mu.Lock()
		last := m.screen.Head().Seq
		_, err = m.screen.Apply(frame)
		m.at = at
		m.mu.Unlock()
		if last != 0 && frame.Seq != last+1 {
			err = fmt.Errorf("frame %d came after frame %d", frame.Seq, last)
		}
		if err != nil {
			fail(err)
			return
		}
		m.move()
	}
}

func (m *Mirror) move() {
	select {
	case m.moved <- struct{}{}:
	default:
	}
}

// Text returns the screen as lines.
func (m *Mirror) Text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	lines := make([]string, 0, len(m.screen.Rows()))
	for _, row := range m.screen.Rows() {
		lines = append(lines, row.Text())
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// Head returns the newest frame without its lines.
func (m *Mirror) Head() grid.Frame {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.screen.Head()
}

// End waits until the lead ends the stream.
func (m *Mirror) End(t testing.TB) {
	t.Helper()
	select {
	case <-m.done:
	case <-time.After(Patience):
		t.Fatalf("the stream goes on\nscreen:\n%s", m.Text())
	}
}

// At returns when the newest frame came.
func (m *Mirror) At() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

// Until waits for a screen.
func (m *Mirror) Until(t testing.TB, what string, holds func(text string) bool) {
	t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	for !holds(m.Text()) {
		m.mu.Lock()
		err := m.err
		m.mu.Unlock()
		if err != nil {
			t.Fatalf("waiting for %s: the stream ended: %v\nscreen:\n%s", what, err, m.Text())
		}
		select {
		case <-m.moved:
		case <-deadline.C:
			t.Fatalf("never came: %s\nscreen:\n%s", what, m.Text())
		}
	}
}
