package frontdoor

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
)

func TestLargeAnswersAreCompressedForWhoTakesThem(t *testing.T) {
	t.Parallel()
	large := `{"x":"` + strings.Repeat("y", 2*minCompressBytes) + `"}`
	f := newFixture(t, func(f *fixture) {
		document := func(path, kind, body string) api.Route {
			return api.Route{Method: "GET", Path: path, Handle: func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
				w.Header().Set("ETag", `"tag"`)
				if r.Header.Get("If-None-Match") == `"tag"` {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				w.Header().Set("Content-Type", kind)
				half := len(body) / 2
				_, _ = io.WriteString(w, body[:half])
				_, _ = io.WriteString(w, body[half:])
			}}
		}
		f.parts.Routes = []api.Route{
			document("/large", "application/json", large),
			document("/small", "application/json", `{"x":1}`),
			document("/image", "image/png", large),
			{Method: "GET", Path: "/nothing", Handle: func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusOK)
			}},
		}
	})
	token := bearer(f.pair("pixel", 0))
	for range 2 { // with a new writer, and with a kept one
		w := f.ask("GET", "/api/large", token, header("Accept-Encoding", "br, gzip"))
		unpacked, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(unpacked)
		if err != nil || string(body) != large || w.Body.Len() > 200 {
			t.Fatalf("%d bytes, %v", w.Body.Len(), err)
		}
		if h := w.Result().Header; h.Get("ETag") != `"tag-gzip"` || h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("headers %v", h)
		}
	}
	for _, test := range []struct{ path, accept, body string }{
		{"/api/large", "", large},
		{"/api/large", "br", large},
		{"/api/large", "gzip;q=0", large},
		{"/api/small", "gzip", `{"x":1}`},
		{"/api/image", "gzip", large},
		{"/api/nothing", "gzip", ""},
	} {
		w := f.ask("GET", test.path, token, header("Accept-Encoding", test.accept))
		if w.Code != 200 || w.Body.String() != test.body || w.Result().Header.Get("Content-Encoding") != "" {
			t.Errorf("%s for %q: %d, %q", test.path, test.accept, w.Code, w.Result().Header.Get("Content-Encoding"))
		}
	}
	for _, etag := range []string{`"tag"`, `"tag-gzip"`} {
		want(t, etag, f.ask("GET", "/api/large", token, header("Accept-Encoding", "gzip"), header("If-None-Match", etag)), 304, "")
	}
}
