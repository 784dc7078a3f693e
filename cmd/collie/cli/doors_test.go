package cli

import (
	"strings"
	"testing"
)

func TestDocumentsOfChannelsAndSchedules(t *testing.T) {
	t.Parallel()
	m := begin(t)
	pane := at[string](t, m.must(t, "pane", "new", "--harness", "agent", "--", "cat"), "id")
	fields(t, "channel add", m.must(t, "channel", "add", "webhook", "ci", "--to", pane), "name", "path", "secret")
	fields(t, "channel list", at[any](t, m.must(t, "channel", "list"), 0), "name", "kind", "format", "to", "secretBytes", "createdAt", "lastAt", "lastState", "lastReason")
	fields(t, "schedule add", m.must(t, "schedule", "add", "night", "--cron", "@daily", "--to", pane, "check"), "name", "nextAt")
	fields(t, "schedule list", at[any](t, m.must(t, "schedule", "list"), 0), "name", "cron", "to", "text", "nextAt", "createdAt", "lastAt", "lastState", "lastReason")
	null(t, at[any](t, m.must(t, "schedule", "list"), 0), "lastAt", "lastState", "lastReason")
	shown, _, code := m.run(t, "", "channel", "list")
	if code != 0 || !strings.Contains(shown, "set, 32 bytes") {
		t.Errorf("channel list: exit %d\n%s", code, shown)
	}
	for _, args := range [][]string{
		{"channel", "add", "webhook", "x", "--to", pane, "--secret", "on the command line"},
		{"channel", "add", "webhook", "x"},
		{"schedule", "add", "x", "--cron", "@daily", "--to", pane},
		{"wake", "x"},
		{"wake", "x", "--in", "5m", "--at", "2026-12-01T09:00:00Z"},
		{"wake", "x", "--at", "tomorrow"},
	} {
		if _, stderr, code := m.run(t, "", args...); code != exitUsage {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	if _, stderr, code := m.run(t, "", "wake", "x", "--in", "5m"); code != exitRefused {
		t.Errorf("a wake of nobody's: exit %d, %s", code, stderr)
	}
	for _, args := range [][]string{
		{"channel", "add", "webhook", "x", "--to", pane + "x"},
		{"schedule", "add", "x", "--cron", "@daily", "--to", "p9", "check"},
		{"schedule", "add", "x", "--cron", "0 0 30 2 *", "--to", pane, "check"},
	} {
		if _, stderr, code := m.run(t, "", args...); code != exitUsage || !strings.Contains(stderr, "not a ") && !strings.Contains(stderr, "never due") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	m.must(t, "channel", "remove", "ci")
	m.must(t, "schedule", "remove", "night")
}
