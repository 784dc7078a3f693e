package frontdoor

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/julienschmidt/httprouter"

	"collie/lead/pairing"
	"collie/node/api"
)

// BenchmarkDoor says what the gates add to the router alone.
func BenchmarkDoor(b *testing.B) {
	devices := pairing.Open(filepath.Join(b.TempDir(), "devices.json"), pairing.Options{Audit: func(pairing.Entry) error { return nil }})
	b.Cleanup(devices.Close)
	code, err := devices.NewCode(0, "benchmark")
	if err != nil {
		b.Fatal(err)
	}
	token, _, err := devices.Claim(b.Context(), "here", code.Code, "pixel")
	if err != nil {
		b.Fatal(err)
	}
	d, err := New(Config{Host: "127.0.0.1"}, Parts{
		Devices: devices, Mode: func() Mode { return Mode{Name: "lead"} }, Log: slog.New(slog.DiscardHandler),
		Routes: []api.Route{{Method: "GET", Path: "/pane/:id", Handle: func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
			w.WriteHeader(http.StatusNoContent)
		}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest("GET", "http://127.0.0.1/api/pane/7", nil)
	r.RemoteAddr = here
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for name, handler := range map[string]http.Handler{"router alone": d.router, "with the gates": d.Handler()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusNoContent {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
