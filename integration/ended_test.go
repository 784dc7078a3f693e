package integration_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// A person who looks later sees that a program has ended, how, what it wrote last,
// and can put the pane away.
func TestAnEndedPaneIsShownWithItsExitCodeAndCanBeClosed(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "atlas")
	m.Start()
	id := harness.JSON[control.ID](m, "pane", "new", "--label", "build", "--", "sh", "-c", "echo 3 tests failed; exit 7").ID

	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](m, "pair").Code
	b.Do("pair", chromedp.Navigate(m.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Until("its end in the herd", "document.querySelector('.chip.done')?.textContent === 'Ended, exit 7'")
	b.Shot("ended-herd-light")
	b.Do("open it", chromedp.Evaluate[chromedp.Void](`location.hash = "#/pane/`+id+`"`), chromedp.WaitVisible(`.dock.ended button`))
	b.Until("its last words", "document.querySelector('main').innerText.includes('3 tests failed')")
	if none := b.Evaluate("String(document.querySelector('.composer') === null)"); none != "true" {
		t.Error("there is an input for a program that has ended")
	}
	b.Axe("an ended pane, light")
	b.Shot("ended-pane-light")
	b.Dark(true)
	b.Axe("an ended pane, dark")
	b.Shot("ended-pane-dark")
	b.Do("close it", chromedp.Click(`.dock.ended button`))
	b.Until("the herd without it", "location.hash === '#/' && !document.body.innerText.includes('exit 7')")
	b.Do("settings", chromedp.Evaluate[chromedp.Void](`location.hash = "#/settings"`))
	b.Until("what keeps the panes", `/kept by\s+Collie/.test(document.body.innerText)`)
	b.Do("look at it", chromedp.Evaluate[chromedp.Void](`document.querySelector("#system").scrollIntoView()`))
	b.Shot("system-dark")
	b.Dark(false)
	b.Shot("system-light")
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}
