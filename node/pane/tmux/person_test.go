package tmux_test

import (
	"errors"
	"testing"

	"collie/node/pane"
)

// iTerm2 shows the windows of tmux as its own: its client is a control client, and
// a person is behind it.
func TestAPersonBehindAControlClientDecidesOnTheSize(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "new-session", "-d", "-s", "a", "-x", "80", "-y", "24", "cat")
	m := p.open(t)
	until(t, m, "the pane", func(l []pane.Info) bool { return len(l) == 1 })
	must(t, m.Resize(t.Context(), "%0", 90, 30))
	_, leave := p.sitDownWith(t, 120, 40, "-CC", "attach-session", "-t", "a")
	eventually(t, "a phone is refused", func() bool { return errors.Is(m.Resize(t.Context(), "%0", 40, 20), pane.ErrOpen) })
	leave()
	eventually(t, "a phone may when the person has gone", func() bool { return m.Resize(t.Context(), "%0", 40, 20) == nil })
}
