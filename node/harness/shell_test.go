package harness_test

import (
	"strings"
	"testing"

	"collie/node/harness"
)

func TestAShellAtItsPromptIsToldFromOneThatRunsSomething(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]bool{
		"-bash": true, "/bin/sh": true, "zsh -l": true, "bash --norc -i": true, "bash --rcfile /tmp/rc": true, "sh -o vi": true, "/usr/bin/fish": true,
		"": false, "sh -c make": false, "bash -lc make": false, "sh ./build.sh": false, "bash -o vi ./build.sh": false, "make": false, "vim": false, "python3": false,
	} {
		if got := harness.AtPrompt(strings.Fields(args)); got != want {
			t.Errorf("%q: %v, want %v", args, got, want)
		}
	}
}
