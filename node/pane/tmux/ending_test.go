package tmux_test

import (
	"testing"

	"collie/node/pane"
)

// tmux ends with its last session, also while it is asked for another one.
func TestAPaneIsOpenedThoughTheLastSessionEndsAtThatMoment(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.open(t)
	for range 2 {
		eventually(t, "a session", func() bool { // the server before may be ending
			_, err := p.try("new-session", "-d", "-s", "last", "cat")
			return err == nil
		})
		until(t, m, "the last session", func(l []pane.Info) bool { return len(l) == 1 && l[0].WorkspaceLabel == "last" })
		killed := make(chan struct{})
		go func() { defer close(killed); _, _ = p.try("kill-session", "-t", "last") }()
		info, err := m.New(t.Context(), pane.Spec{Cwd: "/", Command: []string{"cat"}})
		<-killed
		if err != nil {
			t.Fatal(err)
		}
		must(t, m.Close(t.Context(), info.ID))
		until(t, m, "no pane", func(l []pane.Info) bool { return len(l) == 0 })
	}
}
