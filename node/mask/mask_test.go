package mask

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// made joins the parts of a made-up secret, so that no text in this repository
// is a whole one.
func made(parts ...string) string { return strings.Join(parts, "") }

func dots(n int) string { return strings.Repeat(mark, n) }

func TestEveryFamilyIsHiddenBehindItsPrefix(t *testing.T) {
	t.Parallel()
	m := New()
	for _, f := range families {
		for _, prefix := range f.prefixes {
			readable := prefix
			if f.readable > 0 {
				readable = prefix[:f.readable]
			}
			secret := made(prefix, f.example)
			want := readable + dots(len(secret)-len(readable))
			for _, around := range [][2]string{{"", ""}, {"a ", " b"}, {"x=", "\n"}, {"\"", "\"}"}, {"(", ")"}, {"", "@host"}, {"", "|"}, {"", "&b=c"}, {"[31m", ""}, {"\\n", "\\n"}, {"é", "漢"}, {"\xff", "\xff"}} {
				text := around[0] + secret + around[1]
				if f.body == token68 && around[1] == "" {
					continue
				}
				masked, found := m.Text(text, Options{})
				if !found || masked != around[0]+want+around[1] {
					t.Errorf("%s: Text(%q) = %q, %v", f.name, text, masked, found)
				}
			}
		}
		if masked, found := m.Text(f.counter, Options{}); found || masked != f.counter {
			t.Errorf("%s: counter-example %q became %q", f.name, f.counter, masked)
		}
	}
}

func TestEveryMarkedSecretIsHidden(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range markeds {
		parts := strings.Split(k.example, "|")
		secret, want := strings.Join(parts, ""), dots(len(strings.Join(parts, "")))
		if k.tail {
			want = parts[0] + parts[1] + dots(len(parts[2]))
		}
		for _, around := range [][2]string{{"", ""}, {"a ", " b"}, {"x: ", "\n"}, {"\"", "\"}"}, {"(", ")"}, {"", "|"}, {"", "&b=c"}, {"\\n", "\\n"}, {"é", "漢"}, {"\xff", "\xff"}} {
			text := around[0] + secret + around[1]
			if masked, _ := m.Text(text, Options{}); masked != around[0]+want+around[1] {
				t.Errorf("%s: Text(%q) = %q", k.name, text, masked)
			}
		}
		if masked, found := m.Text(k.counter, Options{}); found {
			t.Errorf("%s: counter-example %q became %q", k.name, k.counter, masked)
		}
	}
}

func TestEveryStructureHidesWhatStandsInIt(t *testing.T) {
	t.Parallel()
	m := New()
	for _, s := range structures {
		text, want := guillemets(s.example)
		if masked, _ := m.Text(text, Options{}); masked != want {
			t.Errorf("%s: %q\n got %q\nwant %q", s.name, text, masked, want)
		}
		if masked, found := m.Text(s.counter, Options{}); found {
			t.Errorf("%s: counter-example %q became %q", s.name, s.counter, masked)
		}
	}
}

func TestEveryCommandHidesThePasswordBehindItsOption(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range commands {
		text, want := guillemets(c.example)
		if masked, _ := m.Text(text, Options{}); masked != want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, text, masked, want)
		}
		if masked, found := m.Text(c.counter, Options{}); found {
			t.Errorf("%s: counter-example %q became %q", c.name, c.counter, masked)
		}
	}
}

// guillemets returns a text without them, and with marks for what they enclose.
func guillemets(example string) (text, want string) {
	for i, part := range strings.Split(example, "«") {
		if i > 0 {
			secret, rest, _ := strings.Cut(part, "»")
			text, want = text+secret, want+dots(utf8.RuneCountInString(secret))
			part = rest
		}
		text, want = text+part, want+part
	}
	return text, want
}

func TestEveryNameHidesItsValue(t *testing.T) {
	t.Parallel()
	m := New()
	for _, n := range names {
		masked, found := m.Text(n.example, Options{})
		if !found || strings.Count(masked, mark) < leastValue || len([]rune(masked)) != len(n.example) {
			t.Errorf("%v: example %q became %q", n.words, n.example, masked)
		}
		if masked, found := m.Text(n.counter, Options{}); found {
			t.Errorf("%v: counter-example %q became %q", n.words, n.counter, masked)
		}
	}
}
