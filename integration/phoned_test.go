package integration_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
	"collie/node/harness/screens"
)

// boxed opens a pane with a fake that draws Claude's input, and returns how the test
// logs for it what the real program would: a person's turn.
func boxed(t *testing.T, m *harness.Machine) (pane string, takes func(text string)) {
	t.Helper()
	config, cwd, dir := t.TempDir(), t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "claude"))
	}
	if err != nil {
		t.Fatal(err)
	}
	pane = harness.JSON[control.ID](m, "pane", "new", "--cwd", cwd, "--", "/usr/bin/env", "CLAUDE_CONFIG_DIR="+config,
		filepath.Join(dir, "claude"), screens.PlayCommand, "-record", filepath.Join(dir, "record")).ID
	pid := 0
	harness.Eventually(t, "the fake runs", func() bool {
		for _, p := range harness.JSON[[]control.Pane](m, "pane", "list") {
			if p.ID == pane && p.Harness == "claude" && p.Status != "unknown" {
				pid = p.PID
			}
		}
		return pid != 0
	})
	const session = "11111111-2222-4333-8444-555555555555"
	write(t, filepath.Join(config, "sessions", fmt.Sprint(pid)+".json"), fmt.Sprintf(`{"pid":%d,"sessionId":"%s"}`, pid, session), 0o600)
	folder := strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(cwd)
	log, turns := "", 0
	return pane, func(text string) {
		turns++
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": fmt.Sprint(turns), "timestamp": time.Now().UTC(), "message": map[string]any{"role": "user", "content": text},
		})
		if err != nil {
			t.Fatal(err)
		}
		log += string(line) + "\n"
		write(t, filepath.Join(config, "projects", folder, session+".jsonl"), log, 0o600)
	}
}

// marksOf are the turns of a chat with their marks, the oldest first.
func marksOf(phone *harness.Phone, pane, host string) string {
	var chat struct {
		Turns []struct {
			Trust, Mark string
		}
	}
	status, data := phone.Do(http.MethodGet, "/api/pane/"+url.PathEscape(pane)+"/chat?host="+host, nil)
	if status != http.StatusOK || json.Unmarshal(data, &chat) != nil {
		return fmt.Sprint(status)
	}
	all := ""
	for _, turn := range chat.Turns {
		all = strings.TrimSpace(turn.Trust+" "+turn.Mark) + "|" + all
	}
	return all
}

func TestWhatAPhoneSentToAMemberHasItsMarkInTheChatAlsoAfterCrashes(t *testing.T) {
	t.Parallel()
	mesh, door := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t)), fmt.Sprintf("COLLIE_PORT=%d", harness.FreePort(t))
	c := crew{lead: harness.New(t, "atlas", mesh, door, "COLLIE_LABEL=atlas"), juno: harness.New(t, "juno", "COLLIE_LABEL=juno")}
	lead, juno := c.lead.Start(), c.juno.Start()
	c.join(t, juno)
	phone := lead.Pair("Ada › ‹wake")
	pane, takes := boxed(t, juno)
	screen := func() string {
		var shown api.Pane
		phone.Get("/api/pane/"+url.PathEscape(pane)+"?host=juno", &shown)
		return shown.Screen
	}
	send := func(text string) {
		t.Helper()
		harness.Eventually(t, "the reply "+text, func() bool {
			return phone.Post("/api/pane/"+url.PathEscape(pane)+"/reply?host=juno", api.Reply{Text: text, Submit: true, Screen: screen()}, nil) == http.StatusOK
		})
	}
	takes("by hand")
	send("run the tests")
	takes("run the tests")
	takes("‹phone:Pixel› run the tests")
	mark := "operator " + phoneMark
	if got := marksOf(phone, pane, "juno"); got != "|"+mark+"||" {
		t.Fatalf("the marks are %s", got)
	}
	send("and once more")
	lead.Kill()
	juno.Kill()
	takes("and once more")
	lead.Start()
	juno.Start()
	harness.Eventually(t, "the marks after both crashed", func() bool { return marksOf(phone, pane, "juno") == "|"+mark+"||"+mark+"|" })
}
