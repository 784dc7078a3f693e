package tmux

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"collie/node/grid"
)

// FuzzControl reads what a tmux may write: nothing of it breaks, and no reply is
// longer than what was written.
func FuzzControl(f *testing.F) {
	for _, seed := range []string{
		"%begin 1796069127 265 0\n%end 1796069127 265 0\n%session-changed $0 säß 漢\n",
		"%begin 1 2 1\n%1\t|\n%output %0 not a notice here\n%end 1 2 1\n%extended-output %0 12 : a\\033[31m\\134\\\\\n%exit\n",
		"%begin 1 2 1\n%end 1 3 1\n%end 1 2 0\nparse error: unknown\n%error 1 2 1\n",
		"%output %0 \\0\n%output %x hi\n%pause %0\n%subscription-changed c $0 @0 0 %0 : x\n%begin\n%begin 1 x 1\n%end\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		heard := 0
		c := &client{ready: make(chan struct{}), on: func(_ *client, l line) {
			heard += len(l.data)
			if l.kind == output && !isID(l.pane, '%') {
				t.Errorf("an output of pane %q", l.pane)
			}
		}}
		answered := 0
		for range 4 {
			c.waiting = append(c.waiting, func(r reply) { answered += len(r.text) })
		}
		c.follow(bufio.NewReader(bytes.NewReader(said)))
		if heard > len(said) || answered > len(said) {
			t.Errorf("%d bytes of output and %d of replies in %d bytes", heard, answered, len(said))
		}
	})
}

// FuzzList reads a list of panes: whatever it is, what is kept of it is bounded.
func FuzzList(f *testing.F) {
	row := func(name string) string {
		values := []string{"%3", "@1", "$2", "80", "24", "11", "12", "1796069127", "1", "0", "", "1", "1", "", "1", "/dev/pts/1", ""}
		text := strings.Join(values, "|") + "|"
		for range free {
			text += "5:" + name + "|"
		}
		return text
	}
	f.Add(row("a|b:c"))
	f.Add(row("a\nb\tc") + "\n" + row("12345"))
	f.Add(row("ab") + "x")
	f.Add("%1|@1|$1|-1|")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readRows(text)
		if err != nil {
			return
		}
		for _, r := range rows {
			if !isID(r.id, '%') || r.cols < 1 || r.cols > grid.MaxCols || r.rows < 1 || r.rows > grid.MaxRows || len(r.title) > grid.MaxTitleBytes || len(r.cwd) > 4096 {
				t.Errorf("a row is %+v", r)
			}
		}
	})
}

// FuzzCapture makes a screen of what tmux tells of one.
func FuzzCapture(f *testing.F) {
	f.Add("80 24 2 0 1 0 4294967295 4294967295 0 0 1 0 23 0 0 a title", "\x1b[31mred\x1b[39m\nplain", "", "", "\x1b[")
	f.Add("20 4 19 3 0 1 3 1 1 1 0 1 2 7 1 ", "second", "first\n漢字", "old\nolder", "")
	f.Add("0 0 9999 9999 1 1 9999 9999 1 1 1 9999 9999 1 1 x", "a", "b", "c", "d")
	f.Fuzz(func(t *testing.T, told, text, saved, history, pending string) {
		s, ok := readState(told)
		if !ok {
			return
		}
		s.cols, s.rows = min(s.cols, 200), min(s.rows, 60)
		screen := s.screen(text, saved, history, pending)
		if cols, rows := screen.Size(); cols < 1 || cols > grid.MaxCols || rows < 1 || rows > grid.MaxRows {
			t.Errorf("the screen has %d by %d", cols, rows)
		}
		for i := range s.rows {
			_ = screen.Row(i)
		}
	})
}

func TestQuotedTextIsOneWordToTmux(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a "b" $c \d`: `"a \"b\" \$c \\d"`, "x\ny\x00\x7f": `"x\012y\000\177"`, "ä #{pid};'": `"ä #{pid};'"`,
	} {
		if got := quote(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
	if got := literal("#(x)"); got != `"##(x)"` {
		t.Errorf("a format is %s", got)
	}
}

func TestTheVersionOfTmuxIsRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]version{"tmux 3.3a": {3, 3}, "tmux next-3.7": {3, 7}, "tmux 2.9": {2, 9}, "tmux master": {1000, 0}} {
		if got, ok := parseVersion(text); !ok || got != want {
			t.Errorf("%q is %v", text, got)
		}
	}
	if _, ok := parseVersion("screen"); ok {
		t.Error("that is no version")
	}
	if v := (version{3, 10}); !v.atLeast(3, 7) || v.atLeast(4, 0) || (version{3, 3}).atLeast(3, 7) {
		t.Error("versions are compared as numbers")
	}
}
