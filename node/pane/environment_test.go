package pane

import (
	"slices"
	"testing"
)

func TestEnvironmentOfAPane(t *testing.T) {
	t.Parallel()
	node := []string{
		"HOME=/home/a", "LANG=de_DE.UTF-8", "TERM=dumb", "COLORTERM=no", "TMUX=/tmp/tmux", "PWD=/old", "NOTIFY_SOCKET=/run/n",
		"COLLIE_TOKEN=secret", "COLLIE_PANE=outer", "COLLIEX=kept", "broken",
	}
	got := environment(node, "p1", "/s/control.sock", "/work", []string{"EXTRA=1"})
	want := []string{
		"HOME=/home/a", "LANG=de_DE.UTF-8", "COLLIEX=kept", "EXTRA=1",
		"TERM=xterm-256color", "COLORTERM=truecolor", "PWD=/work", "COLLIE_PANE=p1", "COLLIE_SOCKET=/s/control.sock",
	}
	if !slices.Equal(got, want) {
		t.Errorf("environment is %q, want %q", got, want)
	}
	if bare := environment(nil, "p1", "/s", "/", nil); !slices.Contains(bare, "LANG=C.UTF-8") {
		t.Errorf("without a locale the environment is %q", bare)
	}
}

func TestLastVariableCounts(t *testing.T) {
	t.Parallel()
	if got := variable([]string{"A=1", "AB=2", "A=3"}, "A"); got != "3" {
		t.Errorf("A is %q, want 3", got)
	}
	if got := shell([]string{"SHELL=bash"}); got != "/bin/sh" {
		t.Errorf("a shell that is no path: %q, want /bin/sh", got)
	}
}
