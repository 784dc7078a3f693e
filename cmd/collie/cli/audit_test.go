package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var (
	auditFields = []string{"at", "seq", "action", "session", "pane", "device", "host", "via", "what", "outcome", "prev"}
	chainFields = []string{"whole", "lines", "since", "behind", "behindAt", "unrecorded", "file", "line", "reason"}
)

func TestDocumentsOfTheAuditLog(t *testing.T) {
	t.Parallel()
	m := begin(t)
	made := at[string](t, m.must(t, "pane", "new", "--label", "build", "--", "cat"), "id")
	m.must(t, "pane", "send", made, "make test")
	lines := m.must(t, "audit", "tail", "-n", "2").([]any)
	if len(lines) != 2 {
		t.Fatalf("lines are %v", lines)
	}
	for _, line := range lines {
		fields(t, "a line", line, auditFields...)
		aTime(t, "at", at[any](t, line, "at"))
	}
	last := lines[1]
	null(t, last, "session", "device", "host")
	if at[string](t, last, "action") != "pane.reply" || at[string](t, last, "pane") != made || at[string](t, last, "via") != "cli" ||
		at[string](t, last, "what") != "make test" || at[string](t, last, "outcome") != "accepted" {
		t.Errorf("the last line is %v", last)
	}
	if text, _, _ := m.run(t, "", "audit", "tail", "-n", "1"); !strings.Contains(text, "  pane.reply  accepted  pane: "+made+"  via: cli  what: make test\n") {
		t.Errorf("as text it is %q", text)
	}
	chain := m.must(t, "audit", "verify")
	fields(t, "verify", chain, chainFields...)
	aTime(t, "since", at[any](t, chain, "since"))
	null(t, chain, "behindAt", "file", "line", "reason")
	if !at[bool](t, chain, "whole") || at[float64](t, chain, "lines") < 2 {
		t.Errorf("the chain is %v", chain)
	}
	for args, want := range map[string]int{"audit tail -n 0": exitUsage, "audit tail -n x": exitUsage, "audit tail -n 10001": exitUsage, "audit": exitUsage} {
		if stdout, stderr, code := m.run(t, "", strings.Fields(args)...); code != want || stdout != "" || !strings.HasPrefix(stderr, "collie: ") {
			t.Errorf("%s: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

func TestAuditVerifyFindsAnEditedLineAlsoWithoutANode(t *testing.T) {
	t.Parallel()
	m := begin(t)
	made := at[string](t, m.must(t, "pane", "new", "--", "cat"), "id")
	path := filepath.Join(m.home, "state", "audit.log")
	older, err := os.ReadFile(path + ".chain")
	if err != nil {
		t.Fatal(err)
	}
	m.must(t, "pane", "send", made, "make test")
	m.must(t, "pane", "close", made)
	for _, p := range m.must(t, "pane", "list").([]any) {
		m.must(t, "pane", "close", at[string](t, p, "id"))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(data), "make test", "make tost", 1)
	check := func(when, text string, want int) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, stderr, code := m.run(t, "", "--json", "audit", "verify")
		chain := decode(t, stdout)
		fields(t, when, chain, chainFields...)
		if code != want || at[bool](t, chain, "whole") != (want == exitDone) {
			t.Errorf("%s: exit %d, %s %s", when, code, stdout, stderr)
		}
		if want == exitFailed && (at[string](t, chain, "file") != "audit.log" || at[float64](t, chain, "line") != 3 || !strings.Contains(stderr, "does not stand as it was written")) {
			t.Errorf("%s: %s %s", when, stdout, stderr)
		}
	}
	check("a running node's log", string(data), exitDone)
	check("a running node's edited log", edited, exitFailed)
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	check("an edited log", edited, exitFailed)
	check("a log", string(data), exitDone)
	if err := os.WriteFile(path+".chain", older, 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := m.run(t, "", "audit", "verify"); code != exitDone || !strings.HasPrefix(stdout, "whole: ") || !strings.Contains(stdout, "\nthe record of its end is ") {
		t.Errorf("with an older chain: exit %d, %q", code, stdout)
	}
	if err := os.Remove(path + ".chain"); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := m.run(t, "", "audit", "verify"); code != exitFailed || stdout != "broken: audit.log.chain line 1 was removed, so nothing vouches for the lines\n" {
		t.Errorf("without its chain: exit %d, %q", code, stdout)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := m.run(t, "", "audit", "verify"); code != exitDone || stdout != "whole, and empty\n" {
		t.Errorf("without a log: exit %d, %q", code, stdout)
	}
	if _, _, code := m.run(t, "", "audit", "tail"); code != exitUnreachable {
		t.Errorf("tail without a node: exit %d", code)
	}
}

func TestAuditTailFollowsUntilItIsStopped(t *testing.T) {
	t.Parallel()
	m := begin(t)
	command := exec.Command("collie", "--json", "audit", "tail", "-n", "1", "--follow")
	command.Env = m.environ
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	made := at[string](t, m.must(t, "pane", "new", "--", "cat"), "id")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	next := func() any {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("it ended: %v", lines.Err())
		}
		var line any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		fields(t, "a line", line, auditFields...)
		return line
	}
	if line := next(); at[string](t, line, "action") != "pane.new" {
		t.Errorf("the first line is %v", line)
	}
	m.must(t, "pane", "send", made, "one")
	m.must(t, "pane", "send", made, "two")
	for _, want := range []string{"one", "two"} {
		if line := next(); at[string](t, line, "what") != want {
			t.Errorf("the line is %v, want %s", line, want)
		}
	}
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestWithoutContentTheAuditLogHoldsNoLabel(t *testing.T) {
	t.Parallel()
	m := begin(t, "COLLIE_AUDIT_CONTENT=none")
	made := at[string](t, m.must(t, "pane", "new", "--label", "zebra", "--", "sh", "-c", "true zebra; cat"), "id")
	m.must(t, "pane", "send", made, "zebra")
	m.must(t, "pane", "rename", made, "zebra")
	m.must(t, "pane", "keys", made, "z", "Ctrl+C")
	m.must(t, "crew", "invite")
	m.must(t, "crew", "rename", "zebra")
	m.must(t, "crew", "leave")
	data, err := os.ReadFile(filepath.Join(m.home, "state", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "zebra") || strings.Contains(text, "•") || !strings.Contains(text, `"what":"Ctrl+C"`) || !strings.Contains(text, "crew.rename") {
		t.Errorf("the log is\n%s", text)
	}
}
