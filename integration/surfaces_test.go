package integration_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
)

// A member that does not mask has a secret wherever text of a machine reaches a
// phone: on the screen and behind it, in what was said, in names, files, changes,
// launchers, messages and questions, and in what is asked for in vain. Every read
// that is registered is asked for; what hides is the lead.
func TestNoReadOfAMemberThatDoesNotMaskShowsASecret(t *testing.T) {
	t.Parallel()
	c := startCrew(t, "COLLIE_REDACT=off")
	phone := c.lead.Pair("pixel")
	head, tail, token := secret()
	marks := head + strings.Repeat("•", len(tail))
	pane, dir := repositoryOf(t, c.juno, token)
	write(t, filepath.Join(dir, token+".txt"), "x\n", 0o600)
	if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "checkout", "-q", "-b", "fix-"+token).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	allow(t, c.juno, "[phone]\nadds = true\n\n[[launcher]]\nname = \"Watch\"\ncommand = \"curl -H 'Authorization: Bearer "+token+"' a.example\"\n")
	shell := func(line string) { c.juno.CLI("pane", "send", pane, line, "--enter") }
	shell(`for i in 1 2 3 4 5 6 7 8 9; do echo ` + token + `; seq 1 12; done; printf '\033]0;vi ` + token + `\007'; echo ` + token)
	var herd api.Snapshot
	harness.Eventually(t, "the pane on the phone", func() bool {
		phone.Get("/api/snapshot", &herd)
		for _, p := range herd.Panes {
			if p.Host == "juno" && p.ID == pane && strings.Contains(p.Title, marks) {
				return true
			}
		}
		return false
	})
	// What the operator called things is text of the machine once it is there.
	for _, p := range herd.Panes {
		if p.Host != "juno" || p.ID != pane {
			continue
		}
		for _, call := range []struct {
			path string
			body any
		}{
			{"/api/tab?host=juno", api.Relabel{ID: p.Tab, Label: "tab " + token}},
			{"/api/workspace?host=juno", api.Relabel{ID: p.Workspace, Label: "workspace " + token}},
			{harness.PanePath("juno", pane, "/rename"), api.Rename{Label: "pane " + token}},
		} {
			if status, data := phone.Do(http.MethodPost, call.path, call.body); status != http.StatusOK {
				t.Fatalf("%s: %d %s", call.path, status, data)
			}
		}
	}
	agent := openClaude(t, c.juno, phone, "juno", "--hold-permissions")
	agent.types(t, "say "+token)
	agent.shows(t, "heard "+token)
	c.juno.CLI("walky", "send", address(t, c.juno, "juno", agent.pane), "the key is "+token, "--wait", "0s")
	agent.types(t, "ask "+token)
	agent.held(t, marks)

	herd = api.Snapshot{}
	harness.Eventually(t, "the names on the phone", func() bool {
		_, data := phone.Do(http.MethodGet, "/api/snapshot?host=juno", nil)
		return strings.Contains(string(data), "pane "+marks) && strings.Contains(string(data), "workspace "+marks) && strings.Contains(string(data), `"subject":"`+marks)
	})
	asked := map[string]string{ // what else a route wants to know
		"/pane/:id/changes": "&path=src%2Fserver.go",
		"/pane/:id/files":   "&path=notes.txt",
		"/pane/:id/history": "&from=0&count=100",
	}
	shows := map[string]string{ // where the marks have to be
		"/snapshot": "vi " + marks, "/pane/:id": marks, "/pane/:id/history": marks, "/pane/:id/chat": marks, "/walky": "the key is " + marks,
		"/pane/:id/changes": `const key = \"` + marks, "/pane/:id/files": "the key is " + marks, "/launchers": "Bearer " + marks,
	}
	for _, route := range (&api.Handlers{}).Routes() {
		if route.Method != http.MethodGet || strings.HasSuffix(route.Path, "/live") || route.Path == "/events" {
			continue // streams: below
		}
		at := pane
		if route.Path == "/pane/:id/chat" {
			at = agent.pane
		}
		path := "/api" + strings.NewReplacer(":id", at, ":hash", strings.Repeat("0", 64)).Replace(route.Path) + "?host=juno" + asked[route.Path]
		_, data := phone.Do(http.MethodGet, path, nil)
		if want := shows[route.Path]; !strings.Contains(string(data), want) {
			t.Errorf("GET %s has no %q: %.400s", path, want, data)
		}
	}
	for _, rest := range []string{"/changes", "/files", "/files?path=" + token + "-none"} {
		name, query, _ := strings.Cut(rest, "?")
		_, data := phone.Do(http.MethodGet, harness.PanePath("juno", pane, name)+"&"+query, nil)
		if name+query == "/changes" && (!strings.Contains(string(data), "fix-"+marks) || !strings.Contains(string(data), marks+".txt")) {
			t.Errorf("the branch and the name of a file: %s", data)
		}
		if name+query == "/files" && !strings.Contains(string(data), marks+".txt") {
			t.Errorf("the name of a file: %s", data)
		}
	}
	phone.Do(http.MethodGet, "/api/machines", nil)
	phone.Watch("juno", pane).Until(t, "the marks live", func(text string) bool { return strings.Contains(text, marks) })
	stream := phone.Herd()
	defer stream.Close()
	harness.Eventually(t, "the marks in the stream of the herd", func() bool { return strings.Contains(phone.Seen(), "event: snapshot") })
	if seen := phone.Seen(); strings.Contains(seen, tail[:8]) {
		at := strings.Index(seen, tail[:8])
		t.Errorf("the secret is in what the lead answered: %s", seen[max(0, at-300):min(len(seen), at+100)])
	}
}
