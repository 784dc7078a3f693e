package mask

import (
	"strings"
	"testing"

	"collie/node/grid"
)

// The examiner counts the bytes that candidates make it read. Twice the text
// must not be more than about twice the work.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	m := New()
	work := func(text string) int {
		s := m.take()
		defer m.give(s)
		s.view.source = append(s.view.source, text...)
		s.examine(Options{})
		return s.examiner.work
	}
	for _, c := range []struct {
		name, block string
		perByte     int // the most that a byte of text may cost
	}{
		{"BEGIN lines with code and END", made("-----BEGIN ", "PRIVATE KEY", "-----\nif err != nil {\n", "-----END ", "PRIVATE KEY", "-----\n"), 8},
		{"BEGIN lines without END", made("-----BEGIN ", "PRIVATE KEY", "-----\n"), 4},
		{"END lines without BEGIN", made("-----END ", "PRIVATE KEY", "-----\n"), 4},
		{"BEGIN lines in one line", made("-----BEGIN ", "PRIVATE KEY", "-----"), 4},
		{"BEGIN lines with a body", made("-----BEGIN ", "PRIVATE KEY", "-----\n", madeMixed[:64], "\n"), 4},
		{"JWT after JWT", "eyJhbGciOiJIUzI1NiJ9.", 12},
		{"beginnings of JWT", "eyJ", 4},
		{"prefixes", "sk-ant-", 4},
		{"long tokens", "sk-" + strings.Repeat("a", 40), 4},
		{"names", "token=", 100},
		{"names in quotes", `token="`, 64},
		{"names in other quotes", `token="token='`, 64},
		{"names with escaped quotes", `token=\"`, 64},
		{"URLs", "a://b:", 4},
		{"URLs with users", "a://b:c@", 4},
		{"bearer", "Bearer ", 4},
		{"signatures", "&sig=a1b2c3d4e5f6a7b8c9d0", 64},
		{"signatures in one word", "sig=", 64},
		{"ports", "a:5432:", 64},
		{"fields with stars", ":*:", 64},
		{"counts of lines", "Private-Lines: 999\n", 64},
		{"numbers of keys", "priv:\n4f:9a:1c\n", 16},
		{"headings of codes", "recovery codes\n1234-5678\n", 64},
		{"headings in one line", "recovery codes ", 100},
		{"prompts", "token [", 64},
		{"cells", "\ntoken   ", 64},
		{"ends of PuTTY keys", "Private-MAC:", 24},
		{"numbers of bots", "123456789:AA", 16},
		{"markers of Azure", "a1Q~", 64},
		{"markers of OpenAI", "T3Blbk" + "FJ", 64},
		{"markers of Terraform", "abcdefghijklmn.atlasv1.", 16},
		{"ids of bots", "MTE2Mzg0", 64},
		{"quotes behind names", `"token="+`, 64},
		{"programs", "mysql ", 128},
		{"programs and options", "mysql -p", 128},
		{"programs and dashes", "mysql ----- ", 128},
		{"programs that read", "passwd ", 128},
		{"programs that read from a pipe", "echo a | passwd ", 128},
		{"groups into programs", "(echo a; echo b) | passwd ", 128},
		{"programs with operands", "htpasswd -b a ", 128},
		{"programs with here-strings", "sudo -S <<< a ", 128},
		{"programs in one word", "curl", 4},
		{"programs with words to come", "docker login ", 64},
		{"prefixes with codes", "sk-%2D", 64},
		{"prefixes with codes of codes", `sk-\\u002D`, 64},
		{"names with codes", "token%3D", 100},
		{"names with codes and quotes", "%22token%22%3A%22", 100},
		{"URLs with codes", "a%3A%2F%2Fb%3A", 100},
		{"percent signs", "sk-%25252525", 64},
		{"backslashes", `sk-\\\\\\`, 64},
		{"names in three quotes", `token="""`, 100},
		{"names in two quotes", `token=""a`, 200},
		{"elements", "<token>a", 64},
		{"elements that are cut", "<token>a<", 64},
		{"cookies", "Cookie:", 64},
		{"cookies of an option", " -b a=b;", 200},
		{"options", "--token ", 100},
		{"escape strings", "\x1b]0;token=", 64},
	} {
		n := 3_000 // so many BEGIN lines are more than maxArmour
		small, large := work(strings.Repeat(c.block, n)), work(strings.Repeat(c.block, 2*n))
		if large > 2*small+small/50+1000 {
			t.Errorf("%s: %d bytes of work became %d for twice the text", c.name, small, large)
		}
		if most := c.perByte * n * len(c.block); small > most {
			t.Errorf("%s: %d bytes of work for %d of text", c.name, small, n*len(c.block))
		}
	}
}

// The largest screen of columns takes about four times what half as many rows and
// half as many columns take.
func TestColumnsAreLinear(t *testing.T) {
	t.Parallel()
	m := New()
	cells := func(text string, rows, columns int) int {
		var all []grid.Row
		for range rows {
			all = append(all, row(false, strings.Repeat(text, columns), ""))
		}
		s := m.take()
		defer m.give(s)
		for _, r := range all {
			s.addRow(r, 0, 0)
		}
		s.columns(all, 0, grid.MaxCols)
		s.read(Options{})
		s.gutters(all, 0, grid.MaxCols)
		s.settle()
		return s.examiner.work + len(s.view.text) + len(s.chains)
	}
	for _, text := range []string{"│ abcdefg-123456 ", "sk-defg-123456  "} {
		small, large := cells(text, grid.MaxRows/2, 30), cells(text, grid.MaxRows, 60)
		if large > 5*small || small < 50_000 {
			t.Errorf("%q: %d became %d for four times the cells", text, small, large)
		}
	}
}
