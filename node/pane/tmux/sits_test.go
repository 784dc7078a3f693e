package tmux_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/pane/tmux"
)

// The socket is named by variables that anybody may have set.
func TestWhoSitsThereIsAskedOfThatVeryServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "cat")
	socket := strings.TrimSpace(p.run(t, "display-message", "-p", "#{socket_path}"))
	if seats, err := tmux.Seats(t.Context(), socket, os.Getpid(), 1); err == nil || !strings.Contains(err.Error(), "belongs to another process") || seats != nil {
		t.Errorf("another process's: %+v, %v", seats, err)
	}
	for _, none := range []string{"", "default", filepath.Join(t.TempDir(), "s")} {
		if seats, err := tmux.Seats(t.Context(), none, os.Getpid(), 1); err == nil || seats != nil {
			t.Errorf("%q: %+v, %v", none, seats, err)
		}
	}
}
