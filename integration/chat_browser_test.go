package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

func TestAPhoneInARealBrowserReadsAChatAndAnswersAHeldPermission(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	f := openClaude(t, m, m.Pair("other"), "", "--hold-permissions")
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](m, "pair").Code
	b.Do("pair", chromedp.Navigate(m.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Until("the herd", "document.querySelectorAll('a.row-link').length >= 1")
	b.Do("open the pane", chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", "#/pane/"+f.pane)), chromedp.WaitVisible(`.views input`))

	b.Do("open Chat", chromedp.Click(`.views label:last-of-type`), chromedp.WaitVisible(`.chat`))
	b.Until("that nothing was said", "document.querySelector('.chat').innerText.includes('Nothing was said')")
	f.types(t, "say <img/src=x/onerror=1>")
	b.Until("both turns", "document.querySelectorAll('.turn').length === 2")
	b.Until("markup as text, and Markdown drawn", "document.querySelector('.turn.person .said').innerText === '<img/src=x/onerror=1>' && document.querySelector('.turn:not(.person) strong').innerText === 'heard' && !document.querySelector('.chat img')")
	b.Shot("chat-light")
	b.Until("the turns in the phone's store", `(() => {
		if (window.storedTurns === undefined) {
			window.storedTurns = -1;
			const opening = indexedDB.open("collie-store");
			opening.onsuccess = () => {
				const all = opening.result.transaction("panes").objectStore("panes").getAll();
				all.onsuccess = () => { window.storedTurns = all.result[0]?.value.length ?? 0; opening.result.close(); };
			};
		}
		if (window.storedTurns === 0 || window.storedTurns === 1) window.storedTurns = undefined;
		return window.storedTurns === 2;
	})()`)

	f.types(t, "show 1")
	b.Until("the picture", "document.querySelector('.pictures img')?.naturalWidth === 1")

	f.types(t, "ask make|all")
	b.Until("the card", "document.querySelector('.prompt h3 .marked-text')?.innerText === 'Allow Bash?' && document.querySelector('.prompt .subject .marked-text').innerText === 'make|all'")
	b.Dark(true)
	b.Shot("held-dark")
	b.Dark(false)
	b.Do("allow", chromedp.Click(`.prompt [data-option=allow]`))
	f.shows(t, `"behavior":"allow"`)
	b.Until("no card any more", "document.querySelector('.prompt') === null")

	// A question for a password takes the stored turns away, and lets none in.
	f.types(t, "password")
	f.shows(t, "Password:")
	const empty = `(() => {
		const opening = indexedDB.open("collie-store");
		opening.onsuccess = () => {
			const count = opening.result.transaction("panes").objectStore("panes").count();
			count.onsuccess = () => { window.keptEntries = count.result; opening.result.close(); };
		};
		return window.keptEntries === 0;
	})()`
	b.Until("an empty store at a password", empty)
	f.types(t, "x")
	f.shows(t, "asked")
	f.types(t, "say again")
	b.Until("a stored turn again", strings.Replace(empty, "=== 0", "> 0", 1))

	b.Do("open Settings", chromedp.Evaluate[chromedp.Void](`location.hash = "#/settings"`), chromedp.WaitVisible(`input.switch`))
	b.Shot("keep-chat-light")
	b.Do("keep no chat", chromedp.Click(`input.switch`))
	b.Until("an empty store", empty)
	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "404") { // before anything was said there is no log
			t.Errorf("the page had an error: %s", problem)
		}
	}
}
