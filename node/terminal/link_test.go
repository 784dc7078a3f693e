package terminal

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
)

// linkedText writes each run of a row as its text, with its link in brackets.
func linkedText(r grid.Row) string {
	var out strings.Builder
	for _, run := range r.Runs {
		out.WriteString(run.Text)
		if run.Link != "" {
			out.WriteString("[" + run.Link + "]")
		}
	}
	return out.String()
}

func link(target string) string { return "\x1b]8;;" + target + "\x1b\\" }

func TestLinks(t *testing.T) {
	t.Parallel()
	const here, there = "https://example.org/a", "http://example.net/"
	for _, test := range []struct{ name, input, want string }{
		{"a link", "see " + link(here) + "docs" + link("") + "!", "see docs[" + here + "]!"},
		{"ended by a bell, with parameters", "\x1b]8;id=x:y=z;" + here + "\adocs\x1b]8;;\a", "docs[" + here + "]"},
		{"one follows another", link(here) + "a" + link(there) + "b", "a[" + here + "]b[" + there + "]"},
		{"styles do not end it", link(here) + "a\x1b[1mb\x1b[mc\x1b[0md", "a[" + here + "]b[" + here + "]cd[" + here + "]"},
		{"nor does a saved cursor begin one", link(here) + "a\x1b7" + link("") + "b\x1b8\x1b[2Gc", "a[" + here + "]c"},
		{"a reset ends it", link(here) + "\x1bca", "a"},
		{"a soft reset ends it", link(here) + "\x1b[!pa", "a"},
		{"erased cells have none", link(here) + "ab\x1b[1G\x1b[X", " b[" + here + "]"},
		{"another scheme keeps its text", link("file:///etc/passwd") + "a" + link("javascript:x") + "b", "ab"},
		{"a name in the address keeps its text", link("https://bank.example@example.org") + "a", "a"},
		{"too long an address keeps its text", link("https://example.org/"+strings.Repeat("x", 3000)) + "a", "a"},
		{"a target without parameters is none", "\x1b]8;" + here + "\x1b\\a", "a"},
		{"wide characters and clusters", link(here) + "端👩\u200d💻" + link("") + "x", "端👩\u200d💻[" + here + "]x"},
		{"spaces stay", link(here) + "a " + link(""), "a [" + here + "]"},
	} {
		if got := linkedText(screenOf(20, 2, test.input).Row(0)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestLinksGoAlongWithTheirText(t *testing.T) {
	t.Parallel()
	const here = "https://example.org/a"
	s := screenOf(6, 2, "a "+link(here)+"bcdefgh"+link("")+" i\r\n1\r\n2")
	want := "a bcde[" + here + "]|fgh[" + here + "] i"
	got := func() string {
		var all []string
		for _, row := range s.History(0, 9) {
			all = append(all, linkedText(row))
		}
		return strings.Join(all, "|")
	}
	if got() != want {
		t.Errorf("scrollback %q, want %q", got(), want)
	}
	s.Resize(20, 4)
	if got, want := linkedText(s.Row(0)), "a bcdefgh["+here+"] i"; got != want {
		t.Errorf("wider: %q, want %q", got, want)
	}
	s.Resize(6, 2)
	if got() != want {
		t.Errorf("narrow again %q, want %q", got(), want)
	}
}

func TestLinksThatLeftTheScreenAreForgotten(t *testing.T) {
	t.Parallel()
	s := New(40, 4, 10)
	for i := range 3 * maxLinks {
		fmt.Fprintf(s, "%s%d%s\r\n", link(fmt.Sprintf("https://example.org/%d", i)), i, link(""))
	}
	if got, want := linkedText(s.Row(2)), fmt.Sprintf("%d[https://example.org/%[1]d]", 3*maxLinks-1); got != want {
		t.Errorf("the last row is %q, want %q", got, want)
	}
	checkScreen(t, s)
}

func TestMoreLinksThanAreKeptLeaveTheirText(t *testing.T) {
	t.Parallel()
	s := New(80, 100, 0)
	for i := range 2 * maxLinks {
		fmt.Fprintf(s, "\x1b[%d;%dH%sx", 1+i/40, 1+i%40, link(fmt.Sprintf("https://example.org/%d", i)))
	}
	if got := s.Row(0).Runs[7].Link; got != "https://example.org/7" {
		t.Errorf("the first links changed: %q", got)
	}
	if last := s.Row(2*maxLinks/40 - 1); last.Text() != strings.Repeat("x", 40) || len(last.Runs) != 1 {
		t.Errorf("one too many: %+v", last)
	}
	checkScreen(t, s)
}

func TestARowHasSoMuchOfLinks(t *testing.T) {
	t.Parallel()
	s := New(20, 2, 10)
	for i := range 20 {
		fmt.Fprintf(s, "%sx", link(fmt.Sprintf("https://example.org/%0*d", grid.MaxLinkBytes/2, i)))
	}
	shown := s.Row(0)
	s.Write([]byte("\r\n" + link("") + "1\r\n2"))
	for name, row := range map[string]grid.Row{"screen": shown, "scrollback": s.History(0, 1)[0]} {
		linked := 0
		for _, run := range row.Runs {
			linked += len(run.Link)
		}
		if row.Text() != strings.Repeat("x", 20) || linked == 0 || linked > grid.MaxRowLinkBytes {
			t.Errorf("%s: %q with %d bytes of links", name, row.Text(), linked)
		}
	}
	checkScreen(t, s)
}
