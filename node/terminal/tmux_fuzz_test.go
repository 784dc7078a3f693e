package terminal

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

var (
	fuzzStreams = flag.Int("tmux.streams", 40, "how many made streams are compared with tmux, for each size")
	fuzzSeed    = flag.Uint64("tmux.seed", 1, "the seed of the first of them")
)

// Streams of all that programs write, in any order, must look as in tmux.
func TestMadeStreamsEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	for _, to := range []size{{20, 6}, {80, 24}, {7, 3}} {
		t.Run(fmt.Sprintf("%d by %d", to.cols, to.rows), func(t *testing.T) {
			t.Parallel()
			pane := tmux.pane(t, to.cols, to.rows)
			for i := range *fuzzStreams {
				seed := *fuzzSeed + uint64(i)
				simple := seed%4 == 0
				made := tokens(seed, 40, to.cols, to.rows, simple)
				if d := pane.differ(t, seed, made, simple); d != "" {
					made, d = pane.shrink(t, seed, made, simple, d)
					t.Fatalf("seed %d, %q:\n%s", seed, played(made, to.cols, to.rows), d)
				}
			}
		})
	}
}

// differ shows tokens in the pane and on a screen, there in pieces, and says how
// they look different. After simple ones, rows must go on in the
// next as in tmux, which otherwise remembers that they did when it is no longer so.
func (p *tmuxPane) differ(t *testing.T, seed uint64, made []token, simple bool) string {
	t.Helper()
	input := strings.Join(played(made, p.cols, p.rows), "")
	p.blank(t)
	p.write(t, input)
	s := New(p.cols, p.rows, 100)
	random := rand.New(rand.NewPCG(seed, 0))
	for rest := []byte(input); len(rest) > 0; {
		n := 1 + random.IntN(len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
	}
	found := &findings{TB: t}
	if got, want := pictureOf(t, s).wraps, p.picture(t).wraps; simple && !slices.Equal(got, want) {
		found.Errorf("rows that go on: %v, in tmux: %v", got, want)
	}
	p.compareNow(found, s, input)
	return found.text.String()
}

// findings takes errors as text.
type findings struct {
	testing.TB
	text strings.Builder
}

func (f *findings) Error(args ...any)                 { fmt.Fprintln(&f.text, args...) }
func (f *findings) Errorf(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }

// shrink leaves out tokens that a difference does not need.
func (p *tmuxPane) shrink(t *testing.T, seed uint64, made []token, simple bool, difference string) ([]token, string) {
	t.Helper()
	for size := len(made) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(made); {
			fewer := append(append([]token{}, made[:i]...), made[i+size:]...)
			if d := p.differ(t, seed, fewer, simple); d != "" {
				made, difference = fewer, d
			} else {
				i += size
			}
		}
	}
	return made, difference
}

// played returns the tokens without those that tmux takes otherwise than xterm
// where they stand.
func played(made []token, cols, rows int) []string {
	guide := New(cols, rows, 0)
	var out []string
	for _, token := range made {
		if !differsInTmux(guide, token) {
			guide.Write([]byte(token))
			out = append(out, string(token))
		}
	}
	return out
}

// differsInTmux says which tokens tmux takes otherwise than xterm, which the
// package follows.
func differsInTmux(s *Screen, next token) bool {
	if text, ok := strings.CutPrefix(string(next), "\x1b[m"); ok && text != "" {
		next = token(text)
	}
	final, number := byte(0), 1
	if strings.HasPrefix(string(next), "\x1b[") {
		final = next[len(next)-1]
		fmt.Sscan(string(next[2:]), &number)
	}
	for _, difference := range tmuxDifferences {
		if difference.applies(s, string(next), final, number) {
			return true
		}
	}
	return false
}

// tmuxDifferences are all of them; final and number are the last byte and the
// first parameter of a sequence.
var tmuxDifferences = []struct {
	name    string
	applies func(s *Screen, next string, final byte, number int) bool
}{
	{"a full row: the cursor stands behind the last column, in xterm in it", func(s *Screen, next string, final byte, _ int) bool {
		return s.pendingWrap && next[0] < ' ' && next[0] != '\r' && !strings.ContainsRune("mHfGd`", rune(final))
	}},
	{"lines inserted or deleted: the cursor keeps its column, in xterm it goes to the first", func(s *Screen, _ string, final byte, _ int) bool {
		return s.x > 0 && (final == 'L' || final == 'M')
	}},
	{"lines inserted or deleted outside of the scroll region: in xterm nothing happens", func(s *Screen, _ string, final byte, _ int) bool {
		return (s.y < s.top || s.y > s.bottom) && (final == 'L' || final == 'M')
	}},
	{"soft reset (DECSTR): not known", func(_ *Screen, next string, _ byte, _ int) bool { return next == "\x1b[!p" }},
	{"a character written over itself, but for its underline colour: keeps the old one where each is written alone", func(s *Screen, _ string, final byte, _ int) bool {
		return (s.noAutowrap || s.insertMode || s.charsets.active()) && s.pen.colours&underlineColours != 0 && final == 0
	}},
	{"the second half of a wide character in the first columns overwritten: the first half stays", func(s *Screen, _ string, final byte, _ int) bool {
		return s.x == 1 && s.active.lines[s.y].cells[1].tail() && final == 0
	}},
	{"forward tabs and relative motions (CHT, VPR, HPR): not known", func(_ *Screen, _ string, final byte, _ int) bool {
		return final == 'I' || final == 'e' || final == 'a'
	}},
	{"the alternate screen left twice: the cursor is restored twice", func(s *Screen, next string, _ byte, _ int) bool {
		return strings.Contains(next, "\x1b[?1049") && strings.Contains(next, "h") == s.modes.AlternateScreen
	}},
	{"more characters inserted than stay behind: what stood there is not erased", func(s *Screen, _ string, final byte, n int) bool {
		return final == '@' && n > (s.cols-s.x)/2
	}},
	{"backspace in the first column: goes up when the row above went on", func(s *Screen, next string, _ byte, _ int) bool {
		return s.x < strings.Count(next, "\b") && s.y > 0
	}},
	{"a wrap in insert mode: the first character of the new row overwrites", func(s *Screen, next string, final byte, _ int) bool {
		return s.insertMode && final == 0 && s.x+displaywidth.String(next) >= s.cols
	}},
	{"a wide character has no room in the last column: what stands there stays", func(s *Screen, next string, _ byte, _ int) bool {
		last := s.active.lines[s.y].cells[s.cols-1]
		return len(next) != displaywidth.String(next) && last.content&contentMask != 0
	}},
	{"half of a wide character erased, pushed out or deleted: the other half stays", func(s *Screen, _ string, final byte, n int) bool {
		n = max(n, 1)
		tail := func(x int) bool { return x < s.cols && s.active.lines[s.y].cells[x].tail() }
		switch final {
		case '@':
			return tail(s.x) || tail(max(s.x, s.cols-n))
		case 'P', 'X':
			return tail(s.x) || tail(s.x+n)
		case 'J', 'K':
			return tail(s.x) || tail(s.x+1)
		}
		return false
	}},
	{"half of a wide character pushed out in insert mode: stays", func(s *Screen, _ string, final byte, _ int) bool {
		return s.insertMode && final == 0 && slices.ContainsFunc(s.active.lines[s.y].cells, cell.tail)
	}},
	{"the alternate screen left: the character sets stay", func(s *Screen, next string, _ byte, _ int) bool {
		return strings.HasPrefix(next, "\x1b[?1049l") && s.charsets != s.main.saved.charsets
	}},
	{"a combining mark in the last column without autowrap: stays when its character is overwritten", func(s *Screen, next string, final byte, _ int) bool {
		return s.noAutowrap && final == 0 && utf8.RuneCountInString(next) != displaywidth.String(next)
	}},
	{"a scroll region in origin mode: the cursor goes to the first row of the screen", func(s *Screen, _ string, final byte, _ int) bool {
		return s.origin && final == 'r'
	}},
	{"a scroll region whose bottom is 0: refused", func(_ *Screen, next string, _ byte, _ int) bool { return strings.HasSuffix(next, ";0r") }},
	{"the alternate screen entered: it has not the background of the pen", func(s *Screen, next string, _ byte, _ int) bool {
		return s.pen.erased() != (cell{}) && strings.Contains(next, "\x1b[?1049h")
	}},
	{"a wrap that scrolls: the new row has not the background of the pen", func(s *Screen, next string, final byte, _ int) bool {
		room := (s.bottom-s.y)*s.cols + s.cols - s.x
		return s.pen.erased() != (cell{}) && final == 0 && displaywidth.String(next) >= room
	}},
}
