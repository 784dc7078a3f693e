package frontdoor

import (
	"strings"
	"testing"
)

func TestAProxyHearsWhichMachineServesThePhone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode            Mode
		standby, health int
		page            string
	}{
		{Mode{Name: "solo"}, 200, 200, "the app"},
		{Mode{Name: "lead"}, 200, 200, "the app"},
		{Mode{Name: "member", Lead: "<juno>"}, 503, 200, "&lt;juno&gt;"},
		{Mode{Name: "member", Lead: "juno", Unhealthy: true}, 503, 503, "leads no more"},
		{Mode{Name: "deposed", Lead: "juno", Unhealthy: true}, 503, 503, "leads no more"},
		{Mode{Name: Opening}, 503, 200, "about to lead"},
	} {
		f := newFixture(t)
		f.mode = c.mode
		if w := f.ask("GET", "/standby/health", from(elsewhere)); w.Code != c.standby || w.Body.String() != `{"state":"`+c.mode.Name+`"}` {
			t.Errorf("%+v: %d %s", c.mode, w.Code, w.Body)
		}
		if w := f.ask("GET", "/api/health", from(elsewhere)); w.Code != c.health {
			t.Errorf("%+v has the health %d", c.mode, w.Code)
		}
		if w := f.ask("GET", "/"); w.Code != 200 || !strings.Contains(w.Body.String(), c.page) {
			t.Errorf("%+v: %d %s", c.mode, w.Code, w.Body)
		}
		token := f.pair("pixel", 0)
		if w := f.ask("GET", "/api/snapshot", bearer(token)); (w.Code == 204) != (c.standby == 200) {
			t.Errorf("%+v: the API answers %d", c.mode, w.Code)
		}
	}
}
