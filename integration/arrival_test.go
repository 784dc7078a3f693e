package integration_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// A phone comes to the new lead with its token in the address, as the page of
// the standby door sends it.
func TestATokenInTheAddressIsTakenOutAndRenewedAtOnce(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "juno").Start()
	phone := m.Pair("pixel")
	b := harness.OpenBrowser(t)
	const herd = "document.querySelector('.connection.ok') && document.querySelectorAll('a.row-link').length === 1"
	stored := func() string { return b.Evaluate(`localStorage.getItem("collie.token")`) }

	wrong := strings.Repeat("A", 43)
	b.Do("come with a token that is none", chromedp.Navigate(m.URL+"/#token="+wrong), chromedp.WaitVisible(`input[name=code]`))
	if stored() != "null" || strings.Contains(b.Evaluate("location.href"), wrong) {
		t.Errorf("a token that was refused is kept: %s, %s", stored(), b.Evaluate("location.href"))
	}

	b.Do("come with the token", chromedp.Navigate(m.URL+"/?#token="+phone.Token))
	b.Until("the herd", herd)
	if at := b.Evaluate("location.href + JSON.stringify(history.state)"); strings.Contains(at, phone.Token) {
		t.Errorf("the token is still in the address: %s", at)
	}
	renewed := stored()
	if renewed == phone.Token || len(renewed) != len(phone.Token) || b.Evaluate(`localStorage.getItem("collie.renew")`) != "null" {
		t.Errorf("the token is %q, was %q", renewed, phone.Token)
	}
	if status, _ := phone.Do(http.MethodGet, "/api/snapshot", nil); status != http.StatusForbidden {
		t.Errorf("the token that stood in the address is answered with %d", status)
	}
	if devices := harness.JSON[[]control.Device](m, "devices", "list"); len(devices) != 1 || devices[0].Label != "pixel" {
		t.Errorf("devices are %v", devices)
	}

	// A link that somebody sends takes no pairing away.
	b.Do("follow a link with a token", chromedp.Evaluate[chromedp.Void](`location.hash = "#token=`+wrong+`"`))
	b.Until("it is out of the address", "location.hash === ''")
	b.Until("the herd", herd)
	if stored() != renewed {
		t.Errorf("the token is %q, was %q", stored(), renewed)
	}
	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "/api/token/renew") { // those that the test brought about
			t.Errorf("the page had an error: %s", problem)
		}
	}

	// The way to the lead breaks just then: it is renewed once the lead speaks.
	tablet := m.Pair("tablet")
	var tries atomic.Int32
	door := onTheWay(t, m.URL, func(w http.ResponseWriter, r *http.Request, on http.Handler) {
		if r.URL.Path == "/api/token/renew" && tries.Add(1) <= 2 {
			http.Error(w, "no way there", http.StatusBadGateway)
			return
		}
		on.ServeHTTP(w, r)
	}, nil)
	b.Do("come with the token", chromedp.Navigate(door+"/#token="+tablet.Token))
	b.Until("another token", fmt.Sprintf(`![null, %q].includes(localStorage.getItem("collie.token"))`, tablet.Token))
	b.Until("the herd", herd)
	if status, _ := tablet.Do(http.MethodGet, "/api/snapshot", nil); status != http.StatusForbidden || tries.Load() != 3 {
		t.Errorf("after %d tries the token that stood in the address is answered with %d", tries.Load(), status)
	}
}
