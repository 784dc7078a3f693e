package node

import "testing"

func TestAPathIsTypedAsAShellTakesIt(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/home/a/.local/state/collie/uploads/20261130-x.png": "/home/a/.local/state/collie/uploads/20261130-x.png",
		"/my state/uploads/x":                                "'/my state/uploads/x'",
		"/it's/$HOME/`x`":                                    `'/it'\''s/$HOME/` + "`x`'",
		"/ü":                                                 "'/ü'",
	} {
		if got := quoted(path); got != want {
			t.Errorf("%s is typed as %s, want %s", path, got, want)
		}
	}
}
