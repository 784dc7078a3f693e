package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
	"collie/node/harness/screens"
)

// playing opens a pane with a fake that is called like an agent and paints screens
// of the real one: the first at once, each other when its key is typed. It returns
// what the fake was given.
func playing(t *testing.T, m *harness.Machine, program, first string, on ...string) (typed func() string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, program))
	}
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, "record")
	args := []string{"pane", "new", "--cols", "80", "--rows", "30", "--", filepath.Join(dir, program), screens.PlayCommand, "-record", record, "-screen", first}
	for _, o := range on {
		args = append(args, "-on", o)
	}
	m.CLI(args...)
	return func() string {
		data, err := os.ReadFile(record)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
}

func recordedScreen(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../node/harness/testdata/screens/" + name + ".screen")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPersonTicksAnswersAndWritesOneOfTheirOwnOnThePhone(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "atlas").Start()
	data, err := os.ReadFile(recordedScreen(t, "opencode-multi"))
	if err != nil {
		t.Fatal(err)
	}
	both := filepath.Join(t.TempDir(), "both.screen")
	write(t, both, strings.Replace(string(data), "[ ]", "[✓]", 1), 0o600) // the first one, too
	several := playing(t, m, "opencode", recordedScreen(t, "opencode-multi"), "1="+both, `\t=`+recordedScreen(t, "opencode-review"), `\r=`+recordedScreen(t, "opencode-idle"))

	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](m, "pair").Code
	b.Do("pair", chromedp.Navigate(m.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Do("the card", chromedp.WaitVisible(`.needs .prompt button[data-option="2"]`))
	const ticked = "[...document.querySelectorAll('.prompt .option')].map((o) => o.dataset.option + ':' + o.getAttribute('aria-pressed')).join()"
	looksWell := func(what string) {
		t.Helper()
		for what, want := range map[string]string{
			"[...document.querySelectorAll('.prompt button, .prompt input')].every((b) => b.getBoundingClientRect().height >= 44)": "true",
			"document.documentElement.scrollWidth <= 390": "true",
		} {
			if got := b.Evaluate(what); got != want {
				t.Errorf("%s is %q, want %q", what, got, want)
			}
		}
		b.Axe(what)
		b.Shot(what + "-light")
		b.Dark(true)
		b.Axe(what + " in the dark")
		b.Shot(what + "-dark")
		b.Dark(false)
	}
	if got := b.Evaluate(ticked); got != "1:false,2:true,3:false,further:null" {
		t.Errorf("the answers are %s", got)
	}
	looksWell("ticks-herd")
	b.Do("its pane", chromedp.Click(`.needs a.row-link`), chromedp.WaitVisible(`.dock .prompt button[data-option="1"]`))
	b.Do("tick another", chromedp.Click(`.dock .prompt button[data-option="1"]`))
	b.Until("both ticks", ticked+" === '1:true,2:true,3:false,further:null'")
	looksWell("ticks-pane")
	b.Do("go on", chromedp.Click(`.dock .prompt button[data-option=further]`))
	b.Until("the review", "document.querySelectorAll('.prompt .option').length === 1")
	b.Shot("ticks-review-light")
	b.Do("submit", chromedp.Click(`.dock .prompt button[data-option=further]`))
	b.Until("no card any more", "!document.querySelector('.prompt')")
	if got := several(); got != "1\t\r" {
		t.Errorf("the program got %q", got)
	}

	answer := playing(t, m, "opencode", recordedScreen(t, "opencode-ask"),
		"3="+recordedScreen(t, "opencode-own"), "MySQL="+recordedScreen(t, "opencode-own-typed"), `\r=`+recordedScreen(t, "opencode-idle"))
	b.Do("back to the herd", chromedp.Evaluate[chromedp.Void](`location.hash = "#/"`), chromedp.WaitVisible(`.needs .prompt form.own input`))
	b.Do("write", chromedp.SendKeys(`.needs .prompt form.own input`, "MySQL"))
	looksWell("own-herd")
	b.Do("send", chromedp.Click(`.needs .prompt form.own button:enabled`))
	harness.Eventually(t, "the answer", func() bool { return answer() == "3MySQL\r" })
	b.Until("no card any more", "!document.querySelector('.prompt')")
	unseen := playing(t, m, "claude", recordedScreen(t, "claude-own"))
	b.Do("the next", chromedp.WaitVisible(`.needs .prompt form.own input`), chromedp.SendKeys(`.needs .prompt form.own input`, "Redis"), chromedp.Click(`.needs .prompt form.own button:enabled`))
	b.Until("what became of it", "document.querySelector('.needs .prompt [role=alert]')")
	if got := b.Evaluate("document.querySelector('.needs .prompt form.own input').value"); got != "Redis" {
		t.Errorf("the field has %q", got)
	}
	b.Shot("own-unseen-light")
	if got := unseen(); got != "Redis" {
		t.Errorf("the program got %q", got)
	}
	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "409") {
			t.Errorf("the page had an error: %s", problem)
		}
	}
}
