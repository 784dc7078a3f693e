package integration_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/api"
)

// allow writes the launchers.toml of a machine.
func allow(t *testing.T, m *harness.Machine, text string) {
	t.Helper()
	dir := filepath.Join(m.Home, "config")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "launchers.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAPhoneStartsSendsAgainAndLooksAtTheMachinesOfACrew(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	allow(t, c.juno, "[[launcher]]\nname = \"Agent\"\ncommand = \"echo begun --yolo; cat\"\n")
	if err := os.Mkdir(filepath.Join(c.juno.Home, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	phone := c.lead.Pair("tablet")

	// What a member's operator does not allow no phone does, and a member knows no
	// device: the rows of phones are the lead's.
	add := map[string]any{"add": api.AddedRow{Name: "Mine", Harness: "claude", Options: []string{"plan"}}}
	if status := phone.Post("/api/launchers?host=juno", add, nil); status != http.StatusOK {
		t.Errorf("a row for juno is answered %d", status)
	}
	allow(t, c.iris, "[phone]\nadds = false\nrun = false\n")
	for path, body := range map[string]any{"/api/launchers?host=iris": add, "/api/run?host=iris": api.Run{Line: "true"}} {
		if status, data := phone.Do(http.MethodPost, path, body); status != http.StatusForbidden || !strings.Contains(string(data), "launcher_refused") {
			t.Errorf("%s is answered %d %s", path, status, data)
		}
	}

	b := harness.OpenBrowser(t)
	code := harness.JSON[struct{ Code string }](c.lead, "pair").Code
	b.Do("pair", chromedp.Navigate(c.lead.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=label], form input`), chromedp.Click(`form button[type=submit]`))
	b.Until("three machines", "document.querySelectorAll('section.machine').length === 3")
	open := func(route string) {
		b.Do("open "+route, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = %q`, route)))
	}
	click := func(what, selector string) {
		b.Do(what, chromedp.WaitVisible(selector), chromedp.Click(selector))
	}
	shots := func(name string) {
		for _, dark := range []bool{false, true} {
			b.Dark(dark)
			b.Shot(fmt.Sprintf("%s-%s", name, map[bool]string{false: "light", true: "dark"}[dark]))
		}
	}

	open("#/new/juno")
	b.Until("juno's launchers, and the one of the other phone", "document.querySelectorAll('details[open] li.launcher').length === 2")
	shots("new")
	click("add a launcher", "details[open] .machine-new > .button.wide")
	b.Until("the options of claude", "document.querySelectorAll('dialog[open] .recipe-option').length === 5")
	shots("new-add")
	click("choose an option", "dialog[open] .recipe-option:nth-of-type(1) input")
	click("add it", "dialog[open] .button.primary")
	b.Until("the row of this phone", "[...document.querySelectorAll('details[open] li.launcher')].some((e) => e.innerText.includes('claude --continue') && e.innerText.includes('Added on this phone'))")
	click("remove it", "details[open] li.launcher > .icon-button")
	b.Until("two launchers", "document.querySelectorAll('details[open] li.launcher').length === 2")
	click("choose a folder", "details[open] .start-in .button")
	b.Until("the folders", "document.querySelector('dialog[open] .browse')")
	shots("new-folder")
	b.Do("type one", chromedp.SendKeys("dialog[open] .browse input", "src/"))
	click("use it", "dialog[open] .button.primary.wide")
	b.Until("where it starts", "document.querySelector('details[open] .start-in').innerText.includes('~/src')")
	const row, dialog = "details[open] li.launcher .launcher-start", "dialog[open] .button.danger"
	b.Until("the badge", "document.querySelector('"+row+"').innerText.includes('No confirmation')")
	click("start it", row)
	b.Until("the question", "document.querySelector('"+dialog+"')")
	shots("new-confirm")
	click("confirm it", dialog)
	b.Until("its pane", "location.hash.startsWith('#/pane/') && location.hash.endsWith('/juno') && document.querySelector('main').innerText.includes('begun --yolo')")
	open("#/new/juno")
	click("start it again", row)
	b.Until("no second question", "location.hash.startsWith('#/pane/')")

	open("#/new/juno")
	b.Do("a one-off line", chromedp.WaitVisible("details[open] .oneoff input"), chromedp.SendKeys("details[open] .oneoff input", "echo one-off-$((40+2))"))
	click("run it", "details[open] .oneoff button[type=submit]")
	b.Until("what it says", "location.hash.startsWith('#/pane/') && document.querySelector('main').innerText.includes('one-off-42')")
	click("open the menu", ".menu > button")
	b.Do("open Sent", chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("#pane-menu button")].find((e) => e.innerText === "Sent").click()`))
	b.Until("the line", "document.querySelector('.sent-use')?.innerText.includes('one-off-')")
	shots("sent")
	click("use it", ".sent-use")
	b.Until("the line in the box", "document.querySelector('.composer textarea').value === 'echo one-off-$((40+2))'")
	var sent api.Sent
	phone.Get("/api/sent?host=juno", &sent)
	if len(sent.Lines) != 1 {
		t.Fatalf("sent on juno is %+v", sent)
	}
	if status := phone.Post("/api/sent/forget?host=juno", api.SentForget{ID: sent.Lines[0].ID}, nil); status != http.StatusOK {
		t.Errorf("forget is answered %d", status)
	}
	if phone.Get("/api/sent?host=juno", &sent); len(sent.Lines) != 0 {
		t.Errorf("after forget there is %+v", sent)
	}

	open("#/crew")
	b.Until("what each machine is busy with", "document.querySelectorAll('.load-card .figures').length === 3")
	shots("crew")
	for m, action := range map[*harness.Machine]string{c.lead: "launcher.add", c.juno: "pane.launch"} {
		if log := m.Run("", "audit", "tail", "-n", "100").Stdout; !strings.Contains(log, action) || !strings.Contains(log, "pane.run") {
			t.Errorf("the audit log of %s is\n%s", m.Name, log)
		}
	}
	c.lead.CLI("devices", "revoke", "tablet")
	harness.Eventually(t, "the end of the row of a revoked phone", func() bool {
		data, err := os.ReadFile(filepath.Join(c.lead.State, "launchers-phone.json"))
		return err == nil && !strings.Contains(string(data), "Mine")
	})
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}
