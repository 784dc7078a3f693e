package grid_test

import (
	"testing"

	"collie/node/grid"
)

func TestAMarkThatTurnsIsLeftOutAndNothingElse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"⠋ at work":         "• at work",
		"  ✻ thinking 3s":   "  • thinking 3s",
		"installing jq |":   "installing jq •",
		"/":                 "•",
		"214 to destroy":    "214 to destroy",
		"host-a":            "host-a",
		"/etc/passwd":       "/etc/passwd",
		"delete ⠋ 3 files?": "delete ⠋ 3 files?",
		"12:00:01":          "12:00:01",
		"* main":            "* main",
		"Delete it? ":       "Delete it?",
		"":                  "",
	} {
		if got := grid.Still([]grid.Row{row(text)}); len(got) != 1 || got[0] != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
