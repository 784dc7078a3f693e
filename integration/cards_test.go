package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
	"collie/node/harness/screens"
)

// asking opens a pane in which a fake, called like Claude, paints a question that
// the real program drew, and returns what it was given.
func asking(t *testing.T, m *harness.Machine, screen, key string) (typed func() string) {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "claude"))
	}
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(name string) string {
		path, err := filepath.Abs("../node/harness/testdata/screens/" + name + ".screen")
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	record := filepath.Join(dir, "record")
	m.CLI("pane", "new", "--cols", "80", "--rows", "30", "--", filepath.Join(dir, "claude"), screens.PlayCommand,
		"-record", record, "-screen", recorded(screen), "-on", key+"="+recorded("claude-said"))
	return func() string {
		data, err := os.ReadFile(record)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(data)
	}
}

func TestATapOnThePhoneAnswersAQuestionOfAMember(t *testing.T) {
	t.Parallel()
	mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
	c := crew{lead: harness.New(t, "atlas", mesh, "COLLIE_LABEL=atlas"), juno: harness.New(t, "juno", "COLLIE_LABEL=juno")}
	c.lead.Start()
	c.juno.Start()
	c.join(t, c.juno)
	command := asking(t, c.juno, "claude-bash", "3")

	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](c.lead, "pair").Code
	b.Do("pair", chromedp.Navigate(c.lead.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Do("the card in the herd", chromedp.WaitVisible(`.needs .prompt button[data-option="3"]`))
	for what, want := range map[string]string{
		"document.querySelector('.needs .prompt h3').textContent":                                        "Do you want to proceed?",
		"document.querySelector('.needs .subject').textContent.includes('rm -rf build')":                 "true",
		"document.querySelector('.needs [data-option=\"2\"] .tag').textContent":                          "also from now on",
		"[...document.querySelectorAll('.option')].every((b) => b.getBoundingClientRect().height >= 44)": "true",
		"document.documentElement.scrollWidth <= 390":                                                    "true",
	} {
		if got := b.Evaluate(what); got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
	b.Shot("card-herd-light")
	b.Dark(true)
	b.Shot("card-herd-dark")
	b.Do("tap no", chromedp.Click(`.needs .prompt button[data-option="3"]`))
	harness.Eventually(t, "the key", func() bool { return command() != "" })
	b.Until("the card is gone", "!document.querySelector('.prompt')")
	if got := command(); got != "3" {
		t.Errorf("the program got %q, want the key of the tapped answer alone", got)
	}

	edits := asking(t, c.lead, "claude-write", "2")
	b.Do("open its pane", chromedp.WaitVisible(`.needs a.row-link`), chromedp.Click(`.needs a.row-link`), chromedp.WaitVisible(`.dock .prompt button[data-option="2"]`))
	b.Shot("card-pane-dark")
	b.Dark(false)
	b.Shot("card-pane-light")
	b.Do("tap always", chromedp.Click(`.dock .prompt button[data-option="2"]`), chromedp.WaitVisible(`dialog[open] button[type=submit]`))
	b.Shot("card-confirm-light")
	if got := edits(); got != "" {
		t.Errorf("before it was confirmed the program got %q", got)
	}
	b.Do("confirm", chromedp.Click(`dialog[open] button[type=submit]`))
	harness.Eventually(t, "the key", func() bool { return edits() != "" })
	b.Until("the card is gone", "!document.querySelector('.prompt')")
	if got := edits(); got != "2" {
		t.Errorf("the program got %q, want the key of the tapped answer alone", got)
	}
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}
