package api_test

import (
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/mask"
)

// Whatever a machine forgot to mask, the handlers do.
func TestTheHandlersMaskEveryAnswer(t *testing.T) {
	t.Parallel()
	secret := "ghp" + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	herd := api.Snapshot{Workspaces: []api.Workspace{{ID: "w1", Label: secret, Cwd: "/srv/" + secret}}}
	m := &machine{
		snapshot: herd, walky: api.Walky{Messages: []api.WalkyMessage{{ID: "1", Body: "key " + secret}}},
		events: []api.Event{{Snapshot: &herd}, {Change: &api.Change{Workspaces: herd.Workspaces}}},
	}
	h := handlers(m, false)
	h.Mask = mask.New()
	for _, path := range []string{"/snapshot", "/walky", "/events"} {
		body := ask(h, path, "").Body.String()
		if strings.Contains(body, secret[8:]) || !strings.Contains(body, "ghp_••••") {
			t.Errorf("%s: %.300s", path, body)
		}
	}
}
