package terminal

import (
	"slices"
	"testing"
)

func TestChangesNameTheirRows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, input string
		want                []int
		same                bool // Seq does not rise
	}{
		{name: "nothing", input: "", same: true},
		{name: "a sequence without effect", input: "\x1b[>4;1m", same: true},
		{name: "a style alone", input: "\x1b[1m", same: true},
		{name: "half a character", input: "\xe7\xab", same: true},
		{name: "a question", input: "\x1b[c", same: true},
		{name: "text", input: "a", want: []int{0}},
		{name: "text in two rows", input: "a\r\nb", want: []int{0, 1}},
		{name: "a combining mark", before: "e", input: "\u0301", want: []int{0}},
		{name: "the cursor", input: "\x1b[3;3H"},
		{name: "the cursor's visibility", input: "\x1b[?25l"},
		{name: "the title", input: "\x1b]2;t\x07"},
		{name: "erasing", before: "\x1b[3;3H", input: "\x1b[K", want: []int{2}},
		{name: "erasing to the end", before: "\x1b[3;3H", input: "\x1b[J", want: []int{2, 3}},
		{name: "scrolling", before: "\x1b[4;1H", input: "\n", want: []int{0, 1, 2, 3}},
		{name: "scrolling a region", before: "\x1b[2;3r\x1b[3;1H", input: "\n", want: []int{1, 2}},
		{name: "inserting a line", before: "\x1b[3;1H", input: "\x1b[L", want: []int{2, 3}},
		{name: "the alternate screen", input: "\x1b[?47h", want: []int{0, 1, 2, 3}},
		{name: "the main screen again", before: "\x1b[?1049h", input: "\x1b[?1049l", want: []int{0, 1, 2, 3}},
		{name: "a reset", input: "\x1bc", want: []int{0, 1, 2, 3}},
		{name: "the alignment pattern", input: "\x1b#8", want: []int{0, 1, 2, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := screenOf(8, 4, test.before)
			since := s.Seq()
			s.Write([]byte(test.input))
			if got := s.Changed(since); !slices.Equal(got, test.want) {
				t.Errorf("rows %v changed, want %v", got, test.want)
			}
			if same := s.Seq() == since; same != test.same {
				t.Errorf("Seq went from %d to %d", since, s.Seq())
			}
			if got := s.Changed(s.Seq()); got != nil {
				t.Errorf("rows %v changed since now", got)
			}
		})
	}
}

func TestChangesAddUp(t *testing.T) {
	t.Parallel()
	s := New(8, 4, 0)
	if got := s.Changed(0); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("rows %v changed since 0", got)
	}
	first := s.Seq()
	s.Write([]byte("a"))
	second := s.Seq()
	s.Write([]byte("\x1b[3;1Hb"))
	if got := s.Changed(first); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("rows %v changed since the first", got)
	}
	if got := s.Changed(second); !slices.Equal(got, []int{2}) {
		t.Errorf("rows %v changed since the second", got)
	}
	s.Resize(9, 4)
	if got := s.Changed(second); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("rows %v changed by a new size", got)
	}
	third := s.Seq()
	if s.Resize(9, 4); s.Seq() != third {
		t.Error("the same size is a change")
	}
}
