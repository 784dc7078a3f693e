package integration_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"collie/integration/harness"
	"collie/node/control"
)

// The lead and juno do not mask, iris does.
func TestTextReachesAPhoneUnmaskedOnlyWhereBothMachinesAreToldSo(t *testing.T) {
	t.Parallel()
	c := startCrewOf(t, []string{"COLLIE_REDACT=off"}, []string{"COLLIE_REDACT=off"})
	phone := c.lead.Pair("pixel")
	head, tail, token := secret()
	for host, want := range map[string]string{"atlas": token, "juno": token, "iris": head + strings.Repeat("•", len(tail))} {
		pane := paneOf(t, phone, host)
		screen := phone.Watch(host, pane)
		screen.Until(t, "a prompt on "+host, func(text string) bool { return strings.Contains(text, "$") })
		typeLine(t, phone, host, pane, fmt.Sprintf("printf '%%s%%s\\n' %s %s", head, tail))
		screen.Until(t, want+" on "+host, func(text string) bool { return strings.Contains(text, want) })
	}
	if _, data := phone.Do(http.MethodGet, "/api/config", nil); !strings.Contains(string(data), `"masking":false`) {
		t.Errorf("the settings say %s", data)
	}
	b := harness.OpenBrowser(t)
	code := harness.JSON[control.PairCode](c.lead, "pair").Code
	b.Do("pair", chromedp.Navigate(c.lead.URL+"/#pair="+code), chromedp.WaitVisible(`input[name=code]`), chromedp.Click(`form button[type=submit]`))
	b.Until("three machines", "document.querySelectorAll('section.machine').length === 3")
	b.Do("open the settings", chromedp.Evaluate[chromedp.Void](`location.hash = "#/settings"`))
	b.Until("that it is off", `[...document.querySelectorAll("dt")].find((e) => e.innerText.includes("Secret masking"))?.parentElement.querySelector("dd").innerText.trim() === "Off"`)
	b.Do("show it", chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("dt")].find((e) => e.innerText.includes("Secret masking")).scrollIntoView({ block: "center" })`))
	b.Shot("masking-off")
	for _, problem := range b.Problems() {
		t.Errorf("the page had an error: %s", problem)
	}
}
