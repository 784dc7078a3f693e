package integration_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// onTheWay returns the address of a proxy before a front door, as a phone may find
// one on its way. through may see each request, and hand it on or not.
func onTheWay(t *testing.T, to string, through func(w http.ResponseWriter, r *http.Request, on http.Handler), answered func(*http.Response) error) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), ModifyResponse: answered,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { through(w, r, proxy) }))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// handOn lets every request through.
func handOn(w http.ResponseWriter, r *http.Request, on http.Handler) { on.ServeHTTP(w, r) }
