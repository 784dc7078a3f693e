package mask

import (
	"strings"
	"testing"

	"collie/node/grid"
)

// A told is a made-up secret of the table, how it is shown, and how much of it has to be
// seen to know it.
type told struct {
	family, secret, shown string
	known                 int
}

// tableSecrets are the examples of all families, with each prefix.
func tableSecrets() []told {
	var all []told
	for _, f := range families {
		for i, prefix := range f.prefixes {
			if raceEnabled && i > 0 {
				break // the detector makes it slow, and the rest is the same
			}
			readable := prefix
			if f.readable > 0 {
				readable = prefix[:f.readable]
			}
			secret := prefix + f.example
			all = append(all, told{f.name, secret, readable + dots(len(secret)-len(readable)), len(prefix)})
		}
	}
	for _, k := range markeds {
		parts := strings.Split(k.example, "|")
		secret := strings.Join(parts, "")
		shown := dots(len(secret))
		if k.tail {
			shown = parts[0] + parts[1] + dots(len(parts[2]))
		}
		all = append(all, told{k.name, secret, shown, len(parts[0]) + len(parts[1])})
	}
	return all
}

func TestEveryFamilyIsHiddenWhereverItStands(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range tableSecrets() {
		for _, around := range [][2]string{
			{"", ""},
			{"see ", " there"},
			{"(", ")"},
			{"<", ">"},
			{"", "|next"},
			{"", ",next"},
			{"", "&next"},
			{"", "…"},
			{"'", "'"},
			{"`", "`"},
			{`{"k": "`, `", "n": 1}`},
			{`{\"k\":\"`, `\"}`},
			{`{"k":"a\n`, `\nb"}`}, // JSON, in JSON, with a written newline
			{"k: ", "\nn: 1\n"},
			{"k: \"", "\"\n"},
			{"- ", "\n- b\n"},
			{"k: |\n  ", "\n"}, // YAML
			{"K=", "\nN=1\n"},
			{"export K=\"", "\"\n"},
			{"K='", "'\n"}, // .env
			{"+", "\n"},
			{"-", "\n"},
			{"+K=", "\n-K=old\n"},
			{"-  k: ", "\n+  k: new\n"},
			{"@@ -1 +1 @@\n-", "\n"}, // diff
			{"https://example.com/?q=", "&n=1"},
			{"https://example.com/a#k=", " "},
			{"https://", "@example.com/a"},
			{"?q%3D", "&"}, // URL
			{"", "\r\n"},
			{"K=", "\r\nN=1\r\n"},
			{"k: ", "\r\n"}, // CRLF
		} {
			if around[0] == "https://" && strings.Contains(k.secret, ":") {
				continue // there it is a password
			}
			text, want := around[0]+k.secret+around[1], around[0]+k.shown+around[1]
			if got, _ := m.Text(text, Options{}); got != want {
				t.Errorf("%s: %q became %q", k.family, text, got)
			}
		}
		for _, joint := range []string{" ", ",", "|", "\n", "\"", ";"} {
			text, want := k.secret+joint+k.secret, k.shown+joint+k.shown
			if got, _ := m.Text(text, Options{}); got != want {
				t.Errorf("%s: two joined: %q became %q", k.family, text, got)
			}
		}
	}
}

func TestEveryFamilyIsHiddenWithAColourAtEveryColumn(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range tableSecrets() {
		shown := []rune(k.shown)
		for i := range len(k.secret) + 1 {
			for _, colour := range []string{"\x1b[1;31m", "\x1b[K", "\x1b(B"} {
				text, want := "a "+k.secret[:i]+colour+k.secret[i:]+"\x1b[m b", "a "+string(shown[:i])+colour+string(shown[i:])+"\x1b[m b"
				if got, _ := m.Text(text, Options{}); got != want {
					t.Fatalf("%s: %q became %q", k.family, text, got)
				}
			}
			rows := []grid.Row{row(false, "a ", "", k.secret[:i], "31", k.secret[i:], "1", " b", "")}
			if i == 0 || i == len(k.secret) {
				rows = []grid.Row{row(false, "a ", "", k.secret, "31", " b", "")}
			}
			masked, _ := m.Rows(rows, nil, nil)
			if got := masked[0].Text(); got != "a "+k.shown+" b" {
				t.Fatalf("%s: in runs cut at %d: %q", k.family, i, got)
			}
		}
	}
}

// Every width of a terminal wraps the secret, its prefix too, at other columns.
func TestEveryFamilyIsHiddenWrappedAtEveryColumn(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range tableSecrets() {
		text, want := "a "+k.secret+" b", []rune("a "+k.shown+" b")
		for width := 2; width <= len(text); width++ {
			var rows, wanted []grid.Row
			var lines, wantedLines []string
			for from := 0; from < len(text); from += width {
				to := min(from+width, len(text))
				rows = append(rows, row(to < len(text), text[from:to], ""))
				wanted = append(wanted, row(to < len(text), string(want[from:to]), ""))
				lines, wantedLines = append(lines, text[from:to]), append(wantedLines, string(want[from:to]))
			}
			masked, _ := m.Rows(rows, nil, nil)
			for i := range masked {
				if got := masked[i].Text(); got != wanted[i].Text() {
					t.Fatalf("%s: at width %d row %d is %q, want %q", k.family, width, i, got, wanted[i].Text())
				}
			}
			for _, above := range []string{"", "x\n", "\r\n\n"} {
				got, _ := m.Text(above+strings.Join(lines, "\n"), Options{Width: width})
				if got != above+strings.Join(wantedLines, "\n") {
					t.Fatalf("%s: lines of width %d below %q became %q", k.family, width, above, got)
				}
			}
			above, _ := m.Rows(rows[1:], rows[:1], nil)
			for i := range above {
				if got := above[i].Text(); got != wanted[i+1].Text() {
					t.Fatalf("%s: at width %d, scrolled, row %d is %q", k.family, width, i, got)
				}
			}
		}
	}
}

func TestEveryFamilyIsHiddenWhereItWasCut(t *testing.T) {
	t.Parallel()
	m := New()
	for _, f := range families {
		if f.most > 0 || f.name == "Discord bot token" {
			continue // known by its length
		}
		// Cut at three quarters, and never below what the table asks for.
		n := max(f.least, len(f.example)*3/4)
		secret := f.prefixes[0] + f.example[:n]
		for _, end := range []string{"", "…", " ", "\n"} {
			got, found := m.Text(secret+end, Options{})
			if !found || strings.Contains(got, f.example[n-6:n]) {
				t.Errorf("%s: %q became %q", f.name, secret+end, got)
			}
		}
	}
}

// A secret that ends with its row is hidden, whatever the next row begins with: it may be
// one of its own.
func TestEveryFamilyIsHiddenAtTheEndOfARowThatIsFull(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range tableSecrets() {
		for _, next := range []string{"next", "NEXT_ROW", "0123abc", "next.row=12345678901234567890123", "$ ls"} {
			text := "see " + k.secret
			got, _ := m.Text(text+"\n"+next, Options{Width: len(text)})
			first, _, _ := strings.Cut(got, "\n")
			if want := "see " + k.shown; first != want {
				t.Errorf("%s: before %q: %q, want %q", k.family, next, first, want)
			}
		}
	}
}

// So is a password in a command, and a value beside a name.
func TestWhatEveryTableHidesIsHiddenAtTheEndOfARowThatIsFull(t *testing.T) {
	t.Parallel()
	m := New()
	var examples []string
	for _, c := range commands {
		examples = append(examples, c.example)
	}
	for _, s := range structures {
		examples = append(examples, s.example)
	}
	for _, n := range names {
		examples = append(examples, n.example)
	}
	for _, example := range examples {
		text, _ := guillemets(example)
		if strings.Contains(text, "\n") {
			continue
		}
		want, _ := m.Text(text, Options{})
		for _, next := range []string{"$ ls -l", "next row of it", "NEXT", "0123abc"} {
			got, _ := m.Text(text+"\n"+next, Options{Width: len(text)})
			if first, _, _ := strings.Cut(got, "\n"); first != want {
				t.Errorf("before %q: %q, want %q", next, first, want)
			}
		}
	}
}
