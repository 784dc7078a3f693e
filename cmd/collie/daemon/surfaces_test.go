package daemon

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/lead"
	"collie/lead/frontdoor"
	"collie/lead/pairing"
	"collie/node"
	"collie/node/api"
	"collie/node/control"
	"collie/node/mask"
	"collie/node/state"
)

// unmasked are the reads of a phone that no handlers of package api answer, and
// why what they show is fit to be shown.
var unmasked = map[string]string{
	"/api/health":               "the build, and what this machine is",
	"/api/config":               "settings and limits of this machine",
	"/api/devices":              "labels that phones gave themselves",
	"/api/machines":             "the lead masks it: TestNoRouteOfTheLeadItselfAnswersASecret",
	"/api/machines/:id/history": "the same",
}

// The routes are those that the front door really has. What a mask reads is held
// by TestNoRouteAnswersASecret in node/api, which walks the same table; a read
// that comes from elsewhere has to say here why it needs none.
func TestEveryReadOfAPhoneIsMasked(t *testing.T) {
	t.Parallel()
	folder, err := state.Open(t.TempDir(), slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, folder.Close()) })
	n := &node.Node{Folder: folder, Mask: mask.New()}
	d := &daemon{node: n, lead: lead.New(n, time.Now, slog.New(slog.DiscardHandler)), options: Options{Log: slog.New(slog.DiscardHandler)}}
	door, err := frontdoor.New(frontdoor.Config{Host: "127.0.0.1"}, frontdoor.Parts{Devices: &pairing.Store{}, Routes: d.phoneRoutes()})
	must(t, err)
	handled := map[string]bool{}
	for _, route := range (&api.Handlers{}).Routes() {
		handled[route.Method+" /api"+route.Path] = true
	}
	reads := 0
	for _, route := range door.Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		reads++
		if !handled["GET "+route.Path] && unmasked[route.Path] == "" {
			t.Errorf("GET %s is answered without a mask", route.Path)
		}
	}
	for path := range unmasked {
		if handled["GET "+path] || !strings.HasPrefix(path, "/api/") {
			t.Errorf("%s needs no excuse", path)
		}
	}
	if reads < len(handled)/2 {
		t.Errorf("the door has %d reads", reads)
	}
}

func TestHealthCountsWhatRepliesMetAndNamesNothing(t *testing.T) {
	t.Parallel()
	n := begin(t, t.TempDir())
	phone := &webPhone{url: string(get[control.Status](t, n, "/status").HTTP.URL)}
	var health map[string]any
	must(t, phone.get(t, "/api/health", &health))
	counters, ok := health["composer"].(map[string]any)
	if !ok || len(counters) != 3 || counters["free"] != 0.0 || counters["unreadable"] != 0.0 || counters["sentByHand"] != 0.0 {
		t.Errorf("health is %v", health)
	}
	if names := slices.Sorted(maps.Keys(health)); !slices.Equal(names, []string{"build", "composer", "mode", "standby"}) {
		t.Errorf("health has %q", names)
	}
}
