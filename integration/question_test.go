package integration_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// Both questions end in the same line, and the hash of what the phone saw goes through
// the lead unchanged.
func TestAReplyThroughALeadIsRefusedForAnotherQuestion(t *testing.T) {
	t.Parallel()
	c := crew{lead: harness.New(t, "atlas", "COLLIE_LABEL=atlas"), juno: harness.New(t, "juno", "COLLIE_LABEL=juno")}
	lead, juno := c.lead.Start(), c.juno.Start()
	c.join(t, juno)
	phone := lead.Pair("Ada")
	dir := t.TempDir()
	gate, record := filepath.Join(dir, "gate"), filepath.Join(dir, "record")
	if err := unix.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	pane := harness.JSON[control.ID](juno, "pane", "new", "--", "sh", "-c",
		`printf '1 to add, 0 to destroy\n\nEnter a value: '; read x <`+gate+`; printf '\033[H\033[2J0 to add, 214 to destroy\n\nEnter a value: '; read a; echo "$a" >`+record).ID
	at := "/api/pane/" + url.PathEscape(pane)
	shows := func(text string) (screen string) {
		t.Helper()
		harness.Eventually(t, text, func() bool {
			var shown api.Pane
			phone.Get(at+"?host=juno", &shown)
			screen = shown.Screen
			all := ""
			for _, row := range shown.Whole() {
				all += row.Text() + "\n"
			}
			return strings.Contains(all, text) && strings.Contains(all, "Enter a value:")
		})
		return screen
	}
	seen := shows("1 to add")
	write(t, gate, "go on\n", 0o600)
	now := shows("214 to destroy")
	status, data := phone.Do(http.MethodPost, at+"/reply?host=juno", api.Reply{Text: "yes", Submit: true, Screen: seen})
	if status != http.StatusConflict || !strings.Contains(string(data), `"screen_changed"`) {
		t.Errorf("the reply to the first question: %d %s", status, data)
	}
	if data, err := os.ReadFile(record); err == nil {
		t.Errorf("the second question was answered %q", data)
	}
	if status, data := phone.Do(http.MethodPost, at+"/reply?host=juno", api.Reply{Text: "no", Submit: true, Screen: now}); status != http.StatusOK {
		t.Errorf("the reply to the second question: %d %s", status, data)
	}
	harness.Eventually(t, "its answer", func() bool { data, _ := os.ReadFile(record); return string(data) == "no\n" })
}
