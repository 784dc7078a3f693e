package daemon

import (
	"io/fs"
	"strings"
	"testing"

	"collie/node/control"
)

func TestTheDoctorWarnsWherePushedCharactersPassForTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said         string
		err          error
		root         bool
		verdict      string
		reason, mend string
	}{
		{"0", nil, false, fine, "no program pushes", ""},
		{"1", nil, false, warn, "into its own terminal", "sysctl -w dev.tty.legacy_tiocsti=0"},
		{"1", nil, true, warn, "into every pane", "not root"},
		{"", fs.ErrNotExist, false, warn, "into its own terminal", "6.2 or newer"},
	} {
		got := judgeTIOCSTI(c.said, c.err, c.root)
		if got.ID != "terminal-input" || got.Verdict != c.verdict || !strings.Contains(got.Reason, c.reason) || !strings.Contains(string(got.Fix), c.mend) {
			t.Errorf("%+v: it says %+v", c, got)
		}
	}
}

func TestTheDoctorNamesWhatTmuxCannotKeepApart(t *testing.T) {
	t.Parallel()
	n := begin(t, t.TempDir())
	for _, c := range get[control.Doctor](t, n, "/doctor").Checks {
		if c.ID == "tmux" {
			t.Errorf("without tmux it says %+v", c)
		}
	}
	if find(t, get[control.Doctor](t, n, "/doctor"), "terminal-input").Reason == "" {
		t.Error("nothing is said of what is pushed into terminals")
	}
}
