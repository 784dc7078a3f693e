package mask

import (
	"strings"
	"testing"

	"collie/node/grid"
)

// box draws text as a program does that wraps by itself: words that have no room
// are broken at its inner edge. None of its rows has the wrap flag.
func box(text string, inner int, left, right string) (rows []grid.Row) {
	for len(text) > 0 {
		n := min(inner, len(text))
		rows = append(rows, row(false, left, "2", text[:n], "", strings.Repeat(" ", inner-n)+right, "2"))
		text = text[n:]
	}
	return rows
}

func TestEveryFamilyIsHiddenInABoxThatWrapsByItself(t *testing.T) {
	t.Parallel()
	m := New()
	for _, k := range tableSecrets() {
		for _, frame := range [][2]string{{"│ ", " │"}, {"  ", ""}, {"| ", " |"}, {"", ""}} {
			for inner := leastBox; inner < len(k.secret)+10; inner++ {
				rows := box("see the "+k.secret, inner, frame[0], frame[1])
				if len(rows) < 2 {
					break
				}
				masked, _ := m.Screen(rows, inner+len(frame[0]+frame[1])-4*strings.Count(frame[0], "│"), nil, nil)
				shown := ""
				for i, r := range masked {
					shown += strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(r.Text(), frame[0]), frame[1]), " ")
					if len(r.Runs) != len(rows[i].Runs) {
						t.Fatalf("%s: row %d is %v", k.family, i, r)
					}
				}
				// Where less than a whole word fits above, nobody can tell.
				if want := "see the " + k.shown; strings.ReplaceAll(shown, " ", "") != strings.ReplaceAll(want, " ", "") {
					if tail := len(rows[len(rows)-2].Runs[1].Text) - len("see the "); len(rows) == 2 && tail < leastRemnant {
						continue
					}
					t.Fatalf("%s: in a box of %d after %q: %q, want %q", k.family, inner, frame[0], shown, want)
				}
			}
		}
	}
}

func TestTextInABoxStaysReadable(t *testing.T) {
	t.Parallel()
	m := New()
	for name, rows := range map[string][]grid.Row{
		"prose":           box("the description of everything that is in this token configuration password management of the applications that we have here", 24, "│ ", " │"),
		"names":           {row(false, "  the value of the configuration", ""), row(false, "password and the others, which are", ""), row(false, "q7Rw2Lk9 and more of that kind", "")},
		"lines of base64": {row(false, madeMixed[:64], ""), row(false, madeMixed[20:84], ""), row(false, madeMixed[:30], "")},
		"a path":          box("/home/user/project/internal/server/handlers/authentication/session_token_test.go:120", 40, "  ", ""),
	} {
		if masked, found := m.Screen(rows, 40, nil, nil); found {
			for _, r := range masked {
				t.Errorf("%s: %q", name, r.Text())
			}
		}
	}
}

func TestALineBelowTheWidestIsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	m := New()
	secret := made("GITHUB_TOKEN=ghp_", madeMixed[:36])
	rows := []grid.Row{row(false, "$ cat .env", ""), row(false, secret, ""), row(false, "DB_HOST=localhost", ""), row(false, "  "+secret, ""), row(false, "  DB_PORT=1", "")}
	masked, _ := m.Screen(rows, 80, nil, nil)
	if got := masked[2].Text() + masked[4].Text(); got != "DB_HOST=localhost  DB_PORT=1" {
		t.Errorf("got %q", got)
	}
}
