package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// The bad day, as a phone sees it: the lead is gone, the app offers the door of
// the deputy, and one tap there moves everything over.
func TestAPhoneFindsTheStandbyDoorAndMovesOverWithOneTap(t *testing.T) {
	t.Parallel()
	door := fmt.Sprintf("http://127.0.0.1:%d", harness.FreePort(t))
	beats := []string{"COLLIE_BEAT_MS=200", "COLLIE_STANDBY_ARM_MS=1500"}
	fixed := func(name string, settings ...string) *harness.Machine {
		mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
		return harness.New(t, name, append(append(settings, beats...), mesh, "COLLIE_LABEL="+name)...).Start()
	}
	c := crew{
		lead: fixed("atlas"),
		juno: fixed("juno", "COLLIE_STANDBY_PORT="+door[strings.LastIndex(door, ":")+1:]),
		iris: fixed("iris"),
	}
	c.join(t, c.juno)
	c.join(t, c.iris)
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](c.lead, "pair").Code
	b.Do("pair", chromedp.Navigate(c.lead.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Until("three machines", "document.querySelectorAll('section.machine').length === 3")
	token := b.Evaluate(`localStorage.getItem("collie.token")`)

	c.lead.CLI("crew", "deputy", "juno", "--door", door)
	b.Until("the door is known", `localStorage.getItem("collie.standby") !== null`)
	harness.Eventually(t, "the deputy has all that it needs", func() bool {
		deputy := harness.JSON[control.CrewStatus](c.lead, "crew", "status").Deputy
		return deputy != nil && !deputy.Owed
	})
	c.lead.Kill()
	b.Until("the offer", "document.querySelector('.offer')")
	b.Shot("offer-herd-light")
	b.Dark(true)
	b.Do("open a pane", chromedp.Click(`section[aria-label=juno] a.row-link`), chromedp.WaitVisible(`.composer textarea`))
	b.Shot("offer-pane-dark")

	b.Do("go to the door", chromedp.Click(`.offer button`), chromedp.WaitEnabled(`#take`))
	if at := b.Evaluate("location.href"); at != door+"/standby" {
		t.Errorf("at the door the address is %s", at)
	}
	b.Shot("door-armed-dark")
	b.Do("tap", chromedp.Click(`#take`), chromedp.WaitVisible(`section.machine`))
	b.Until("juno leads", "document.querySelector('section.machine h2').innerText.startsWith('juno')")
	b.Until("iris follows", "document.querySelector('section[aria-label=iris] .state.ok')")
	b.Shot("moved-dark")
	if at := b.Evaluate("location.href"); !strings.HasPrefix(at, c.juno.URL) || strings.Contains(at, "token") {
		t.Errorf("the app is at %s", at)
	}
	if renewed := b.Evaluate(`localStorage.getItem("collie.token")`); renewed == token || len(renewed) != len(token) {
		t.Errorf("the token is %q, was %q", renewed, token)
	}
	status := b.Evaluate(`(() => { const old = new XMLHttpRequest(); old.open("GET", "/api/snapshot", false);
		old.setRequestHeader("Authorization", "Bearer ` + token + `"); old.send(); return old.status })()`)
	if status != "403" {
		t.Errorf("the token that stood in an address is answered with %s", status)
	}
}
