package cli

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// fields checks the names of an object's fields, all of them.
func fields(t *testing.T, what string, document any, want ...string) {
	t.Helper()
	object, ok := document.(map[string]any)
	if !ok {
		t.Errorf("%s is no object but %v", what, document)
		return
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Errorf("%s has the fields\n  %s, want\n  %s", what, strings.Join(got, " "), strings.Join(want, " "))
	}
}

var stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// aTime checks that a time is RFC 3339 in UTC with milliseconds.
func aTime(t *testing.T, what string, value any) {
	t.Helper()
	if text, ok := value.(string); !ok || !stamp.MatchString(text) {
		t.Errorf("%s is %v, want a time in UTC with milliseconds", what, value)
	}
}

// null checks that a field is there and null.
func null(t *testing.T, document any, names ...string) {
	t.Helper()
	object, _ := document.(map[string]any)
	for _, name := range names {
		if value, there := object[name]; !there || value != nil {
			t.Errorf("%s is %v, want null", name, value)
		}
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if !strings.Contains(c.Example, "collie") || c.Short == "" {
			t.Errorf("%s has no example or does not say what it does", c.CommandPath())
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	walk(root)
}

var (
	statusFields = []string{"version", "pid", "startedAt", "mode", "stateDir", "http", "mesh", "standby", "crew", "masking"}
	crewFields   = []string{"id", "name", "memberId", "lead", "deputy", "generation"}
	memberFields = []string{
		"memberId", "label", "role", "state", "hint", "reason", "lastSeenAt", "rttMs", "via", "build",
		"buildDiffers", "secretCurrent", "warrantGeneration", "addresses",
	}
	paneFields    = []string{"id", "workspace", "tab", "title", "label", "harness", "status", "why", "source", "since", "cols", "rows", "command", "cwd", "pid", "exitCode"}
	itemFields    = []string{"id", "from", "fromLabel", "at", "trust", "read", "replyTo", "bytes", "mark"}
	sessionFields = []string{"address", "host", "pane", "token", "label", "harness", "status", "you"}
	logFields     = []string{"id", "direction", "from", "to", "at", "state", "reason", "replyTo", "mark"}
	checkFields   = []string{"id", "verdict", "reason", "fix"}
)

func TestDocumentsOfASoloNode(t *testing.T) {
	t.Parallel()
	m := begin(t)
	status := m.must(t, "status")
	fields(t, "status", status, statusFields...)
	fields(t, "status.http", at[any](t, status, "http"), "url")
	fields(t, "status.mesh", at[any](t, status, "mesh"), "listen")
	fields(t, "status.standby", at[any](t, status, "standby"), "url", "state")
	null(t, status, "crew")
	null(t, at[any](t, status, "mesh"), "listen")
	null(t, at[any](t, status, "standby"), "url")
	aTime(t, "startedAt", at[any](t, status, "startedAt"))
	if mode, off := at[string](t, status, "mode"), at[string](t, status, "standby", "state"); mode != "solo" || off != "off" {
		t.Errorf("mode is %q, standby %q", mode, off)
	}
	if pid := at[float64](t, status, "pid"); int(pid) != m.process.Process.Pid {
		t.Errorf("pid is %v, want %d", pid, m.process.Process.Pid)
	}

	code := m.must(t, "pair", "--expires", "30d")
	fields(t, "pair", code, "code", "url", "expiresAt")
	aTime(t, "pair.expiresAt", at[any](t, code, "expiresAt"))
	if c := at[string](t, code, "code"); len(c) != 8 {
		t.Errorf("the code is %q", c)
	}
	if list := m.must(t, "devices", "list").([]any); len(list) != 0 {
		t.Errorf("devices are %v, want an empty list", list)
	}
	report := m.must(t, "doctor")
	fields(t, "doctor", report, "verdict", "checks")
	for _, check := range at[[]any](t, report, "checks") {
		fields(t, "a check", check, checkFields...)
		if verdict := at[string](t, check, "verdict"); verdict != "ok" && verdict != "warn" {
			t.Errorf("%v", check)
		}
	}
	for _, row := range m.must(t, "config").([]any) {
		fields(t, "a setting", row, "name", "value", "source", "default", "about")
	}
	fields(t, "version", m.must(t, "version"), "version")
}

// pairDevice pairs a device over HTTP as the page does.
func pairDevice(t *testing.T, url, code, label string) {
	t.Helper()
	body := fmt.Sprintf(`{"code":%q,"label":%q}`, code, label)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/pair", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("pairing was answered %s", response.Status)
	}
}

func TestDocumentsOfDevices(t *testing.T) {
	t.Parallel()
	m := begin(t)
	for label, args := range map[string][]string{"pixel": {"pair"}, "tablet": {"pair", "--expires", "2w"}} {
		code := m.must(t, args...)
		pasted := "\u200b\ufeff" + strings.ToLower(inHalves(at[string](t, code, "code"))) // as a chat may hand it over
		pairDevice(t, at[string](t, code, "url"), pasted, label)
	}
	rows := map[string]any{}
	for _, row := range m.must(t, "devices", "list").([]any) {
		fields(t, "a device", row, "label", "createdAt", "lastSeenAt", "expiresAt", "expired")
		aTime(t, "createdAt", at[any](t, row, "createdAt"))
		if at[bool](t, row, "expired") {
			t.Errorf("%v", row)
		}
		rows[at[string](t, row, "label")] = row
	}
	null(t, rows["pixel"], "expiresAt")
	aTime(t, "lastSeenAt", at[any](t, rows["pixel"], "lastSeenAt"))
	aTime(t, "expiresAt", at[any](t, rows["tablet"], "expiresAt"))
	fields(t, "set-expiry", m.must(t, "devices", "set-expiry", "pixel", "30d"), "ok")
	fields(t, "clear-expiry", m.must(t, "devices", "clear-expiry", "tablet"), "ok")
	fields(t, "revoke", m.must(t, "devices", "revoke", "pixel"), "ok")
	left := m.must(t, "devices", "list").([]any)
	if len(left) != 1 || at[string](t, left[0], "label") != "tablet" {
		t.Errorf("left are %v", left)
	}
	null(t, left[0], "expiresAt")
}

func TestDocumentsOfPanes(t *testing.T) {
	t.Parallel()
	m := begin(t)
	made := m.must(t, "pane", "new", "--cwd", ".", "--label", "build", "--cols", "60", "--rows", "12", "--", "cat")
	fields(t, "pane new", made, "id")
	id := at[string](t, made, "id")

	var row any
	for _, pane := range m.must(t, "pane", "list").([]any) {
		fields(t, "a pane", pane, paneFields...)
		aTime(t, "since", at[any](t, pane, "since"))
		if at[string](t, pane, "id") == id {
			row = pane
		}
	}
	if at[string](t, row, "label") != "build" || at[float64](t, row, "cols") != 60 || at[string](t, row, "command") != "cat" {
		t.Errorf("the pane is %v", row)
	}
	fields(t, "pane send", m.must(t, "pane", "send", id, "--enter", "hello"), "ok")
	shows := func(want string) { // what cat says may come behind what is typed next
		t.Helper()
		eventually(t, want, func() bool {
			stdout, _, _ := m.run(t, "", "pane", "show", id)
			return strings.HasPrefix(stdout, want)
		})
	}
	shows("hello\nhello\n")
	fields(t, "pane keys", m.must(t, "pane", "keys", id, "y", "Enter"), "ok")
	shows("hello\nhello\ny\ny\n")
	screen := m.must(t, "pane", "show", id)
	fields(t, "pane show", screen, "id", "cols", "rows", "cursor", "lines")
	fields(t, "cursor", at[any](t, screen, "cursor"), "row", "col", "visible")
	if lines := at[[]any](t, screen, "lines"); len(lines) != 12 || lines[0] != "hello" {
		t.Errorf("lines are %v", lines)
	}
	fields(t, "pane rename", m.must(t, "pane", "rename", id, "other"), "ok")
	fields(t, "pane close", m.must(t, "pane", "close", id), "ok")

	shell := at[string](t, m.must(t, "pane", "list"), 0, "id")
	for name, want := range map[string]struct {
		args []string
		code int
		says string
	}{
		"of no pane":      {[]string{"pane", "show", "p999"}, exitFailed, "no such pane"},
		"of no id":        {[]string{"pane", "send", "not-an-id", "y"}, exitFailed, "no such pane"},
		"in no folder":    {[]string{"pane", "new", "--cwd", "/nonexistent"}, exitUsage, "working folder is not possible"},
		"of an odd key":   {[]string{"pane", "keys", shell, "Hyper+x"}, exitUsage, "no such key: \"Hyper+x\"\nhint: collie pane keys --help lists the names of keys"},
		"of a path":       {[]string{"pane", "show", "../x"}, exitFailed, "no such pane\nhint: collie pane list"},
		"of a wide pane":  {[]string{"pane", "new", "--cols", "100000"}, exitUsage, "size is not possible"},
		"of two rows":     {[]string{"pane", "rename", shell, "a\nb"}, exitUsage, "a label cannot hold"},
		"of no text":      {[]string{"pane", "send", shell, ""}, exitUsage, "there is nothing to send"},
		"of no lines":     {[]string{"audit", "tail", "-n", "0"}, exitUsage, "-n (--lines) is at least 1"},
		"of no folder":    {[]string{"hooks", "install", "claude", "--folder", "/nonexistent/claude"}, exitUsage, "there is no folder /nonexistent/claude"},
		"of no file":      {[]string{"pane", "send", "p1", "@/nonexistent"}, exitFailed, "no such file"},
		"of no UTF-8":     {[]string{"pane", "send", "p1", "bad\xff"}, exitUsage, "argument 4: the text is not UTF-8"},
		"of unknown life": {[]string{"devices", "set-expiry", "pixel", "soon"}, exitUsage, "a lifetime is a number"},
		"of no device":    {[]string{"devices", "revoke", "pixel"}, exitFailed, "no paired device"},
	} {
		stdout, stderr, code := m.run(t, "", append(want.args, "--json")...)
		if code != want.code || stdout != "" || !strings.Contains(stderr, want.says) || !strings.HasPrefix(stderr, "collie: ") {
			t.Errorf("a failure %s: exit %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
	}
}

func TestATextThatWouldBecomeAnotherIsRefused(t *testing.T) {
	t.Parallel()
	m := begin(t)
	id := at[string](t, m.must(t, "pane", "new", "--", "cat"), "id")
	for _, given := range []struct {
		text, says string
		code       int
	}{
		{strings.Repeat("x", maxTextBytes+1), "collie: stdin has more than 1048576 bytes\n", exitFailed},
		{"x\xff", "collie: the text is not UTF-8\n", exitUsage},
	} {
		stdout, stderr, code := m.run(t, given.text, "pane", "send", id, "-")
		if code != given.code || stdout != "" || stderr != given.says {
			t.Errorf("exit %d, %q, %q", code, stdout, stderr)
		}
	}
	screen, _, _ := m.run(t, "", "pane", "show", id)
	if strings.Contains(screen, "x") {
		t.Error("a part of it was typed")
	}
}
