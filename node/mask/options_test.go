package mask

import "testing"

// Guillemets stand around what must be hidden.
func TestValueBehindEveryNamedOptionIsHiddenWhereverItStands(t *testing.T) {
	t.Parallel()
	m := New()
	for _, n := range names {
		for _, spelling := range []string{n.spellings()[0], n.spellings()[len(n.spellings())/2]} {
			for _, dashes := range []string{"--", "-", "--db-"} {
				for _, around := range [][2]string{
					{"", ""},
					{"run ", " x"},
					{"run \\\n", " \\\n--more"},
					{"run \\\r\n", " \\\r\n--more"},
					{"run \\\n  ", "\n"},
					{"+", "\n"},
					{"-", "\n"},
					{" ", "\n"}, // diff
					{"+run \\\n+", "\n"},
					{"+  ", " \\\n"},
					{"'", "'"},
					{`"cmd": "run `, `",`},
				} {
					for _, given := range []string{" «Xk29dkwpqz9»", "  «Xk29dkwpqz9»", "=«Xk29dkwpqz9»", ` \"«Xk29dkwpqz9»\"`, " \\\n  «Xk29dkwpqz9»"} {
						if n.assigned && !n.chosen && given[0] == ' ' {
							continue // --mail-auth user@example.com
						}
						text, want := guillemets(around[0] + dashes + spelling + given + around[1])
						if got, _ := m.Text(text, Options{}); got != want {
							t.Errorf("%q\n got %q\nwant %q", text, got, want)
						}
					}
				}
			}
		}
	}
	for _, text := range []string{
		"(--password «Xk29dkwpqz9»)", "[--token «Xk29dkwpqz9»]", "a|--token «Xk29dkwpqz9»", `"run \n--password «Xk29dkwpqz9»\n"`, "\x1b[1m--token\x1b[0m «Xk29dkwpqz9»",
		"docker run \\\n--token «Aq8JzR3xLmW2vT5yBn7K» \\\n--password «Xk29dkwpqz9»", "+run --password \\\n+    «Xk29dkwpqz9»",
	} {
		text, want := guillemets(text)
		if got, _ := m.Text(text, Options{}); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	for _, text := range []string{
		"[--password PASSWORD]", "--token <token>", "--password \\\n\n  Xk29dkwpqz9", "i--token Xk29dkwpqz9", "a-token Xk29dkwpqz9", "--password-file Xk29dkwpqz9",
		"-----token Xk29dkwpqz9", "print\\-password creds\\-name\\-1", "--password --user=admin12",
	} {
		if got, found := m.Text(text, Options{}); found {
			t.Errorf("%q became %q", text, got)
		}
	}
}
