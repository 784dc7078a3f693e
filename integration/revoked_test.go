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

// A phone whose pairing ends in the middle of its use is told so once: it is sent
// nowhere else, does not ask again and again, and keeps nothing of what it saw.
func TestARevokedPhoneIsToldOnceAsksNoMoreAndKeepsNothing(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	m.CLI("pane", "new", "--label", "shop", "--", "/bin/sh", "-c", "printf 'a line of the shop'; sleep 1000")
	var refused, redirected atomic.Int32
	door := onTheWay(t, m.URL, handOn, func(response *http.Response) error {
		switch {
		case response.StatusCode == http.StatusForbidden:
			refused.Add(1)
		case response.StatusCode >= 300 && response.StatusCode < 400 && response.StatusCode != http.StatusNotModified:
			redirected.Add(1)
		}
		return nil
	})
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](m, "pair").Code
	b.Do("open the page", chromedp.Navigate(door+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`))
	b.Until("the code is filled in", fmt.Sprintf("document.querySelector('input[name=code]').value === %q", code))
	b.Do("pair", chromedp.Click(`form button[type=submit]`))
	const link = `[...document.querySelectorAll("a.row-link")].find((a) => a.innerText.includes("shop"))`
	b.Until("its row", link+" !== undefined")
	b.Do("open it", chromedp.Evaluate[chromedp.Void](link+".click()"))
	b.Until("the pane", "document.querySelector('main').innerText.includes('a line of the shop')")
	b.Do("begin a reply", chromedp.SendKeys(`.composer textarea`, "half a thought"))
	b.Until("the draft is kept", `JSON.stringify({...localStorage}).includes("half a thought")`)

	m.CLI("devices", "revoke", harness.JSON[[]control.Device](m, "devices", "list")[0].Label)
	b.Until("the way to pair again", "document.querySelector('input[name=code]') !== null && !document.body.innerText.includes('a line of the shop')")
	for _, left := range []string{"half a thought", "a line of the shop", "collie.token"} {
		if kept := b.Evaluate(`JSON.stringify({...localStorage, ...sessionStorage})`); strings.Contains(kept, left) {
			t.Errorf("the phone keeps %q in %s", left, kept)
		}
	}
	b.Do("load the page again", chromedp.Navigate(door+"/?again"), chromedp.WaitVisible(`input[name=code]`))
	if n := refused.Load(); n < 1 || n > 3 { // of the herd, of the pane, and of what was under way
		t.Errorf("it was refused %d times", n)
	}
	if n := redirected.Load(); n != 0 {
		t.Errorf("it was sent elsewhere %d times", n)
	}
}
