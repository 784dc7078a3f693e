package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// quiet is a program that echoes what it is given, but for Enter, and records all
// of it. Of a text that begins with an x it shows another question instead.
const quiet = `stty raw -echo; cr=$(printf '\r'); printf 'Keep file A? '
	while c=$(dd bs=1 count=1 2>/dev/null); do
		printf %%s "$c" >>'%[1]s'
		case $c in "$cr") ;; x) printf '\r\033[KDelete everything? x' ;; *) printf %%s "$c" ;; esac
	done`

// TestAPhoneSubmitsNothingTwice holds the page to the outcomes of a reply: what was
// entered is looked at and not submitted again, what was not is submitted or
// discarded by a tap, for the screen that is shown.
func TestAPhoneSubmitsNothingTwice(t *testing.T) {
	t.Parallel()
	lead := harness.New(t, "atlas")
	lead.Start()
	record := filepath.Join(t.TempDir(), "record")
	got := func() string {
		data, err := os.ReadFile(record)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
	row := `a.row-link[href*="` + harness.JSON[control.ID](lead, "pane", "new", "--", "sh", "-c", fmt.Sprintf(quiet, record)).ID + `"]`

	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](lead, "pair").Code
	b.Do("pair", chromedp.Navigate(lead.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Do("open the pane", chromedp.WaitVisible(row), chromedp.Click(row), chromedp.WaitVisible(`.composer textarea`))
	b.Until("the question", "document.querySelector('main').innerText.includes('Keep file A?')")
	send := func(text string) {
		t.Helper()
		b.Do("reply "+text, chromedp.SendKeys(`.composer textarea`, text), chromedp.Click(`.composer button.send:enabled`))
	}
	whole := func(state string) {
		t.Helper()
		for what, want := range map[string]string{
			"[...document.querySelectorAll('.outcome button')].every((b) => b.getBoundingClientRect().height >= 44)": "true",
			"document.documentElement.scrollWidth <= 390":                                                            "true",
		} {
			if is := b.Evaluate(what); is != want {
				t.Errorf("%s: %s is %s", state, what, is)
			}
		}
		b.Dark(true)
		b.Shot("reply-" + state + "-dark")
		b.Dark(false)
		b.Shot("reply-" + state + "-light")
	}

	send("x")
	b.Until("Submit and Discard", "document.querySelectorAll('.outcome button').length === 2")
	b.Until("no further reply meanwhile", "document.querySelector('.composer button.send').disabled")
	if read := got(); read != "x" {
		t.Errorf("the program was given %q, want the text and no Enter", read)
	}
	whole("typed")
	b.Do("submit it as it stands", chromedp.Click(`.outcome button.primary`))
	b.Until("a way to look, and no other", "[...document.querySelectorAll('.outcome button')].map((b) => b.textContent).join() === 'Look'")
	whole("unknown")
	if read := got(); read != "x\r" {
		t.Errorf("the program was given %q, want one Enter", read)
	}
	b.Do("look", chromedp.Click(`.outcome button`))
	b.Until("the screen has the focus", "document.activeElement.className === 'terminal' && !document.querySelector('.outcome')")
	if draft := b.Evaluate("document.querySelector('.composer textarea').value"); draft != "x" {
		t.Errorf("the draft is %q", draft)
	}
	if read := got(); read != "x\r" {
		t.Errorf("the program was given %q, want one Enter", read)
	}
	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "/reply") { // the browser's own word for the two refusals
			t.Errorf("the page had an error: %s", problem)
		}
	}
}
