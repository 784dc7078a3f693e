package member

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"

	"collie/node"
	"collie/node/api"
)

// device asks what a request with this header is attributed to.
func device(t *testing.T, header string) (label, via string, status int) {
	t.Helper()
	called := false
	handle := attributed(func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		called, label, via = true, api.Device(r.Context()), node.Via(r.Context())
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/crew/v1/pane/p1/reply", http.NoBody)
	if header != "" {
		r.Header.Set(api.DeviceHeader, header)
	}
	w := httptest.NewRecorder()
	handle(w, r, nil)
	if called != (w.Code == http.StatusOK) {
		t.Errorf("%q: the handler was called: %v, and the answer is %d", header, called, w.Code)
	}
	return label, via, w.Code
}

func TestTheDeviceThatTheLeadNamesIsDecodedAndCleaned(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                        "",
		"pixel":                   "pixel",
		"Zo%C3%AB%27s%20phone":    "Zoë's phone",
		"a%2Fb%25":                "a/b%",
		"pixel%0A%1B%5B2Joutcome": "pixel[2Joutcome", // no second line in a log, no control of a terminal
		"pi%E2%80%8Bxel%E2%80%AE": "pixel",           // nothing invisible
	} {
		if label, via, _ := device(t, header); label != want || via != "crew" {
			t.Errorf("%q is %q via %q, want %q via crew", header, label, via, want)
		}
	}
	if label, _, _ := device(t, strings.Repeat("%C3%AB", 1000)); len(label) > maxDeviceBytes || !strings.HasPrefix(label, "ëë") {
		t.Errorf("a long name has %d bytes", len(label))
	}
}

func TestARequestWhoseDeviceCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"%", "%zz", "pixel%C"} {
		if _, _, status := device(t, header); status != http.StatusBadRequest {
			t.Errorf("%q is answered %d", header, status)
		}
	}
}
