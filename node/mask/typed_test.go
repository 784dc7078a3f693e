package mask

import (
	"slices"
	"strings"
	"testing"

	"collie/node/grid"
)

// A typed is a text that somebody types, with « and » around what no frame may
// show a character of.
type typed struct{ kind, text string }

// allTyped has every row of every table.
func allTyped() []typed {
	var all []typed
	for _, f := range families {
		for _, prefix := range f.prefixes {
			id, rest, dotted := strings.Cut(f.example, ".")
			switch {
			case f.id && dotted: // which tells it from an ordinary word
				all = append(all, typed{f.name, prefix + id + ".«" + rest + "»"})
			case f.id && f.least == f.most: // known when it is whole
			default:
				all = append(all, typed{f.name, prefix + "«" + f.example + "»"})
			}
			if raceEnabled {
				break // the detector makes it slow, and the rest is the same
			}
		}
		for _, code := range codes[:2] {
			if !f.id {
				all = append(all, typed{f.name, f.prefixes[0] + "«" + withCodes(f.example, code) + "»"})
			}
		}
	}
	for _, k := range markeds {
		parts := strings.Split(k.example, "|")
		all = append(all, typed{k.name, parts[0] + parts[1] + "«" + parts[2] + "»"})
	}
	for _, s := range structures {
		if s.kind != endKind { // which is known by what follows it
			all = append(all, typed{s.name, s.example})
		}
	}
	for _, c := range commands {
		head, _, _ := strings.Cut(c.example, "«")
		if slices.ContainsFunc(c.programs, func(program string) bool { return strings.Contains(head, program) }) {
			all = append(all, typed{c.name, "$ " + c.example}) // otherwise the program comes after its password
		}
	}
	for _, n := range names {
		masked, _ := New().Text(n.example, Options{})
		from := strings.Index(masked, mark)
		to := from + strings.Count(masked, mark)
		all = append(all, typed{n.words[0], n.example[:from] + "«" + n.example[from:to] + "»" + n.example[to:]})
	}
	for _, text := range []string{
		"Cookie: session=«Yk29dkwpqz9Y»; theme=dark",
		"Set-Cookie: sid=«Yk29dkwpqz9Y»; Path=/",
		"curl -H 'Cookie: a=b; connect.sid=«s%3AYk29dkwpqz9Y»'",
		"<password>«Ok29dkwpqz9»</password>",
		"<password>«!k29dkwpqz9»</password>",
		"<password>«!k29 dkw pqz9»</password>",
		`DB_PASSWORD="«my dog Rex2019!»"`,
		"--password '«Xk29 dkwpqz9»'",
		`password="""«Xk29dkwpqz9»"""`,
		`{""password"": ""«Xk29dkwpqz9»""}`,
		"<db:api-key>«Ok29dkwpqz9»</db:api-key>",
	} {
		all = append(all, typed{text, text})
	}
	return all
}

// Somebody types, and the screen is masked after each key, and once more after
// the last, with the cursor on the next row. The cursor stands behind the last
// character.
func TestNoSecretOfAnyTableIsShownInPartWhileItIsTyped(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range allTyped() {
		text, want := guillemets(c.text)
		hidden := []rune(want)
		for n := 1; n <= len(text)+1; n++ {
			var rows []grid.Row
			for line := range strings.SplitSeq(text[:min(n, len(text))], "\n") {
				rows = append(rows, row(false, line, ""))
			}
			cursor := &grid.Cursor{Row: len(rows) - 1, Col: rowWidth(rows[len(rows)-1])}
			if n > len(text) {
				cursor = &grid.Cursor{Row: len(rows)}
			}
			masked, _ := m.Rows(rows, nil, cursor)
			shown := []rune(strings.TrimSuffix(join(masked), "\n"))
			for i := range min(n, len(text)) {
				if hidden[i] == '•' && shown[i] != '•' && shown[i] != ' ' {
					t.Errorf("%s: typed %q: %q", c.kind, text[:min(n, len(text))], string(shown))
					break
				}
			}
		}
	}
}
