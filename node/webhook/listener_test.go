package webhook

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func request(method, path string, h http.Header, body io.Reader) *http.Request {
	r := httptest.NewRequest(method, path, body)
	r.RemoteAddr = "192.0.2.7:4711"
	for name, values := range h {
		r.Header[name] = values
	}
	return r
}

func TestTheListenerAnswersOneRouteAndSaysWhatBecameOfADelivery(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	d := newDesk(t.TempDir(), box)
	addBoth(t, d)
	handler := d.Handler()
	for _, c := range []struct {
		name, method, path string
		header             http.Header
		body               string
		want               string
	}{
		{"taken", "POST", "/hook/ci", standardHeader(), standardBody, `202 {"id":"ID","state":"delivered"}`},
		{"again", "POST", "/hook/ci", standardHeader(), standardBody, `200 {"state":"repeated"}`},
		{"not signed", "POST", "/hook/ci", nil, standardBody, `401 {"error":"the signature is not right","code":"webhook_not_signed"}`},
		{"no such channel", "POST", "/hook/other", standardHeader(), standardBody, `401 {"error":"the signature is not right","code":"webhook_not_signed"}`},
		{"too large", "POST", "/hook/ci", standardHeader(), strings.Repeat("x", MaxBodyBytes+1), `413 {"error":"the body is larger than a channel takes","code":"webhook_too_large"}`},
		{"another method", "GET", "/hook/ci", standardHeader(), "", "404 "},
		{"another path", "POST", "/hook/", nil, "", "404 "},
		{"a route of the front door", "GET", "/api/health", nil, "", "404 "},
		{"two parts", "POST", "/hook/ci/x", standardHeader(), standardBody, "404 "},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request(c.method, c.path, c.header, strings.NewReader(c.body)))
		got := fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
		if posts := box.list(); len(posts) > 0 {
			got = strings.ReplaceAll(got, posts[0].ID, "ID")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if len(box.list()) != 1 {
		t.Errorf("posted %+v", box.list())
	}
}

func TestAStrangersTriesAreCountedAndTakeNoChannelsShare(t *testing.T) {
	t.Parallel()
	d := newDesk(t.TempDir(), &mailbox{})
	addBoth(t, d)
	handler := d.Handler()
	codes := map[int]int{}
	for range 40 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request("POST", "/hook/ci", nil, strings.NewReader("x")))
		codes[w.Code]++
	}
	if codes[401] != 10 || codes[429] != 30 {
		t.Errorf("answers %v, want 10 times 401 and 30 times 429", codes)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, request("POST", "/hook/ci", standardHeader(), strings.NewReader(standardBody)))
	if w.Code != 202 {
		t.Errorf("a signed one from the same address: %d %s", w.Code, w.Body)
	}
}
