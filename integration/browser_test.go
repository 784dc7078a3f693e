package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

func TestAPhoneInARealBrowserSeesThreeMachinesAndMarksForASecret(t *testing.T) {
	t.Parallel()
	c := startCrew(t, "COLLIE_REDACT=off")
	wire := harness.Tap(t, c.lead.URL)
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](c.lead, "pair").Code
	b.Do("open the page", chromedp.Navigate(wire.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`))
	b.Until("the code is filled in", fmt.Sprintf("document.querySelector('input[name=code]').value === %q", code))
	if hash := b.Evaluate("location.href"); strings.Contains(hash, code) {
		t.Errorf("the code is still in the address bar: %s", hash)
	}
	b.Shot("pair-light")
	b.Do("pair", chromedp.Click(`form button[type=submit]`))
	b.Until("three machines", "document.querySelectorAll('section.machine').length === 3")
	b.Until("three panes", "document.querySelectorAll('a.row-link').length >= 3")
	b.Shot("herd-light")
	b.Dark(true)
	b.Shot("herd-dark")

	head, tail, token := secret()
	for _, host := range []string{"atlas", "juno", "iris"} {
		b.Do("open the pane of "+host,
			chromedp.WaitVisible(fmt.Sprintf(`section[aria-label=%s] a.row-link`, host)),
			chromedp.Click(fmt.Sprintf(`section[aria-label=%s] a.row-link`, host)),
			chromedp.WaitVisible(`.composer textarea`))
		b.Until("a prompt on "+host, "document.querySelector('main').innerText.includes('$')")
		b.Do("reply", chromedp.SendKeys(`.composer textarea`, fmt.Sprintf("printf '%%s%%s\\n' %s %s", head, tail)), chromedp.Click(`.composer button.send`))
		masked := head + strings.Repeat("•", len(tail))
		b.Until("the marks on "+host, fmt.Sprintf("document.querySelector('main').textContent.includes(%q)", masked))
		if host == "atlas" { // the first masked pane on this device
			b.Until("what the dots are", "document.body.innerText.includes('Dots (•) stand for secrets')")
			b.Do("put masked text into the composer", chromedp.SendKeys(`.composer textarea`, "use "+masked))
			b.Until("the warning that the pane gets the dots", "document.querySelector('#masked-paste')?.innerText.includes('the pane receives the dots')")
			b.Do("take it back", chromedp.Evaluate[chromedp.Void](`{
				const field = document.querySelector(".composer textarea");
				field.value = "";
				field.dispatchEvent(new Event("input", { bubbles: true }));
			}`))
			b.Until("no warning", "document.querySelector('#masked-paste') === null")
		} else if told := b.Evaluate("document.body.innerText"); strings.Contains(told, "stand for secrets") {
			t.Errorf("on %s the page says again what the dots are", host)
		}
		b.Shot("pane-" + host + "-dark")
		b.Do("back to the herd", chromedp.Evaluate[chromedp.Void](`location.hash = "#/"`), chromedp.WaitVisible(`section.machine`))
	}
	b.Do("open the settings", chromedp.Evaluate[chromedp.Void](`location.hash = "#/settings"`))
	b.Until("the paired device", "document.body.innerText.includes('Secret masking')")
	if switches := b.Evaluate(`String([...document.querySelectorAll("dt")].find((e) => e.innerText.includes("Secret masking")).parentElement.querySelectorAll("button, input, select, a").length)`); !strings.Contains(switches, "0") {
		t.Errorf("beside Secret masking are %s things to switch", switches)
	}
	b.Dark(false)
	b.Shot("settings-light")

	kept := b.Evaluate(`document.documentElement.outerHTML + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})`)
	for where, text := range map[string]string{"an answer of the lead": wire.Seen(), "the page or its storage": kept} {
		if strings.Contains(text, token) {
			t.Errorf("the token is in %s", where)
		}
	}
	for _, m := range []*harness.Machine{c.lead, c.juno, c.iris} {
		if strings.Contains(m.Log(), token) {
			t.Errorf("the token is in the log of %s", m.Name)
		}
	}
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}
