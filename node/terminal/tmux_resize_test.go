package terminal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Lines that are broken anew must be broken where tmux breaks them, and the
// cursor must stay with its text.
func TestLinesBreakAnewAsInTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	pane := tmux.pane(t, 20, 6)
	for seed := range uint64(*fuzzStreams) {
		random := rand.New(rand.NewPCG(seed, 2))
		from := size{2 + random.IntN(30), 1 + random.IntN(10)}
		// With blank rows below the cursor, tmux keeps those rather than text.
		var input strings.Builder
		for _, token := range tokens(seed, 1+random.IntN(30), from.cols, from.rows, true) {
			if !strings.Contains(string(token), "\x1b[m") { // wide: tmux loses a wrap where one had no room
				input.WriteString(string(token))
			}
		}
		fmt.Fprintf(&input, "%sthe end", strings.Repeat("more\r\n", from.rows+10))
		// Rows that one change of size pushed out do not come back to tmux with the
		// next; so the height changes once.
		to := []size{{2 + random.IntN(30), 1 + random.IntN(10)}}
		for range random.IntN(3) {
			to = append(to, size{2 + random.IntN(30), to[0].rows})
		}
		if d := pane.differResized(t, from, input.String(), to); d != "" {
			t.Fatalf("seed %d, %d by %d, %q, then %v:\n%s", seed, from.cols, from.rows, input.String(), to, d)
		}
	}
}

func (p *tmuxPane) differResized(t *testing.T, from size, input string, sizes []size) string {
	t.Helper()
	p.blank(t)
	p.resize(t, from.cols, from.rows)
	p.blank(t)
	s := New(from.cols, from.rows, 1000)
	p.write(t, input)
	s.Write([]byte(input))
	for _, to := range sizes {
		p.resize(t, to.cols, to.rows)
		s.Resize(to.cols, to.rows)
		var out strings.Builder
		out.WriteString(pictureOf(t, s).differences(p.picture(t)))
		if got, want := allOf(s), p.all(t); got != want {
			fmt.Fprintf(&out, "with scrollback: %q\n           tmux: %q\n", got, want)
		}
		if out.Len() > 0 {
			return fmt.Sprintf("at %d by %d: %s", to.cols, to.rows, out.String())
		}
	}
	return ""
}

// all returns the lines of scrollback and screen, each as it was before it broke.
func (p *tmuxPane) all(t *testing.T) string {
	t.Helper()
	out := p.server.run(t, "capture-pane", "-p", "-J", "-S", "-", "-t", p.target)
	return strings.TrimRight(strings.Join(trimmed(strings.Split(out, "\n")), "\n"), "\n")
}

func allOf(s *Screen) string {
	rows := s.History(0, s.HistoryLen())
	for i := range s.rows {
		rows = append(rows, s.Row(i))
	}
	var out strings.Builder
	for _, row := range rows {
		out.WriteString(row.Text())
		if !row.Wrap {
			out.WriteByte('\n')
		}
	}
	return strings.TrimRight(strings.Join(trimmed(strings.Split(out.String(), "\n")), "\n"), "\n")
}
