package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentsOfSentLinesAlsoWhileNoneIsKept(t *testing.T) {
	t.Parallel()
	m := begin(t)
	shell := at[string](t, m.must(t, "pane", "new", "--", "cat"), "id")
	for _, line := range []string{"make one", "make two", " make hidden", "make three"} {
		m.must(t, "pane", "send", shell, line, "--enter")
	}
	m.must(t, "pane", "send", shell, "make unsent")
	lines := m.must(t, "sent", "list").([]any)
	var texts []string
	for _, line := range lines {
		fields(t, "a sent line", line, "id", "at", "pane", "line")
		aTime(t, "at", at[any](t, line, "at"))
		texts = append(texts, at[string](t, line, "line"))
	}
	if got := strings.Join(texts, ", "); got != "make three, make two, make one" {
		t.Fatalf("sent are %s", got)
	}
	if text, _, _ := m.run(t, "", "sent", "list"); strings.Count(text, "\n") != 3 || !strings.Contains(text, "  "+shell+"  make three\n") {
		t.Errorf("as text it is %q", text)
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	again, err := start(m.home, append(m.environ, "COLLIE_SENT=off")...)
	if err != nil {
		t.Fatal(err)
	}
	m.process, m.ended, m.ready, m.environ = again.process, again.ended, again.ready, again.environ
	m.must(t, "pane", "keys", shell, "Ctrl+U")
	m.must(t, "pane", "send", shell, "make four", "--enter")
	two := at[string](t, lines[1], "id")
	forgotten := m.must(t, "sent", "forget", two)
	fields(t, "forget", forgotten, "count")
	if at[float64](t, forgotten, "count") != 1 {
		t.Errorf("forgotten are %v", forgotten)
	}
	if _, stderr, code := m.run(t, "", "sent", "forget", two); code != exitFailed || !strings.Contains(stderr, "no sent line has that id") {
		t.Errorf("forgotten again: exit %d, %q", code, stderr)
	}
	if left := m.must(t, "sent", "list").([]any); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
	if cleared := m.must(t, "sent", "clear"); at[float64](t, cleared, "count") != 2 {
		t.Errorf("cleared are %v", cleared)
	}
	if left := m.must(t, "sent", "list").([]any); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	data, err := os.ReadFile(filepath.Join(m.home, "state", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"action":"sent.forget","session":null,"pane":null,"device":null,"host":null,"via":"cli","what":"1"`, `"action":"sent.clear","session":null,"pane":null,"device":null,"host":null,"via":"cli","what":"2"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the audit log lacks %s:\n%s", want, data)
		}
	}
}
