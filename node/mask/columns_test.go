package mask

import (
	"strings"
	"testing"

	"collie/node/grid"
)

// beside draws columns of text beside each other, each wrapped by itself.
func beside(inner int, separator, edge string, texts ...string) (rows []grid.Row) {
	for i := 0; ; i++ {
		line, some := edge, false
		for c, text := range texts {
			part := text[min(len(text), i*inner):min(len(text), (i+1)*inner)]
			some = some || part != ""
			if c > 0 {
				line += separator
			}
			line += part + strings.Repeat(" ", inner-len(part))
		}
		if !some {
			return rows
		}
		rows = append(rows, row(false, line+edge, ""))
	}
}

// columnText is what stands in one of the columns, without the blanks.
func columnText(rows []grid.Row, inner int, separator, edge string, n int) string {
	all := ""
	for _, r := range rows {
		text := []rune(r.Text())
		from := len([]rune(edge)) + n*(inner+len([]rune(separator)))
		all += string(text[from:min(len(text), from+inner)])
	}
	return strings.ReplaceAll(all, " ", "")
}

func TestEveryFamilyIsHiddenInAColumnBesideAnother(t *testing.T) {
	t.Parallel()
	m := New()
	prose := "the files that the server has to read before it can begin to answer what somebody asks of it, and where they are to be found"
	for _, k := range tableSecrets() {
		for _, frame := range [][2]string{{" │ ", "│"}, {" │ ", ""}, {" ┃ ", "┃"}, {"  ", ""}, {"     ", ""}} {
			for _, inner := range []int{22, 31, 40} {
				for place := range 2 {
					if strings.TrimSpace(frame[0]) == "" && len("see the ")+k.known > inner {
						continue // that it begins there is not seen
					}
					texts := []string{prose, prose}
					texts[place] = "see the " + k.secret
					rows := beside(inner, frame[0], frame[1], texts...)
					if len(texts[place]) > inner && len(texts[place])%inner > 0 && inner-len("see the ") < leastRemnant {
						continue
					}
					masked, _ := m.Screen(rows, 2*inner+5, nil, nil)
					want := strings.ReplaceAll("see the "+k.shown, " ", "")
					if got := columnText(masked, inner, frame[0], frame[1], place); got != want {
						t.Fatalf("%s: %d columns, place %d, between %q: %q, want %q", k.family, inner, place, frame[0], got, want)
					}
					if place == 1 && strings.TrimSpace(frame[0]) == "" {
						continue // a row that goes to the edge may go on at the left too
					}
					if got, want := columnText(masked, inner, frame[0], frame[1], 1-place), strings.ReplaceAll(prose, " ", ""); got != want {
						t.Fatalf("%s: the other column is %q, want %q", k.family, got, want)
					}
					if again, found := m.Screen(masked, 2*inner+5, nil, nil); found {
						t.Fatalf("%s: masked again: %v", k.family, again)
					}
				}
			}
		}
	}
}

func TestColumnsOfOrdinaryTextStayReadable(t *testing.T) {
	t.Parallel()
	m := New()
	for name, texts := range map[string][]string{
		"prose":    {"the description of everything that is in this token configuration password management of applications", "authentication of the users and their passwords that expire after some time"},
		"names":    {"password_reset_required_for_the_users_of_this_application_and_others", "token_count_of_all_requests_that_came_in_since_the_last_restart_here"},
		"a path":   {"/home/user/project/internal/server/handlers/authentication/session_token_test.go", "internal/server/handlers/authentication/password_test.go"},
		"a hash":   {strings.Repeat("4f9a1c7e0b3d8256", 6), strings.Repeat("a9c1e3b5d7082469", 6)},
		"two keys": {"name: value\nother: thing", "k: v"},
	} {
		for _, inner := range []int{20, 24, 33} {
			for _, frame := range [][2]string{{" │ ", "│"}, {"   ", ""}} {
				rows := beside(inner, frame[0], frame[1], texts...)
				if masked, found := m.Screen(rows, 2*inner+5, nil, nil); found {
					for _, r := range masked {
						t.Errorf("%s: %q", name, r.Text())
					}
				}
			}
		}
	}
}

// Only what goes on in the cell below is joined with it.
func TestACellIsReadWithTheOneBelowIt(t *testing.T) {
	t.Parallel()
	m := New()
	secret := made("ghp_", madeMixed[:36])
	for _, c := range []struct {
		why  string
		rows []grid.Row
		want string
	}{
		{
			"three columns", []grid.Row{
				row(false, "one          │ "+secret[:20]+" │ three", ""),
				row(false, "two          │ "+secret[20:]+" │ four", ""),
			}, "one          │ ghp_" + dots(16) + " │ three/two          │ " + dots(20) + " │ four",
		},
		{
			"bars elsewhere", []grid.Row{
				row(false, "one          │ "+secret[:20]+" │ three", ""),
				row(false, "two   │ abcdefgh1234567890ab │ four", ""),
			}, "one          │ ghp_" + dots(16) + " │ three/two   │ abcdefgh1234567890ab │ four",
		},
		{
			"not at its edge", []grid.Row{
				row(false, "one          │ "+secret[:15]+"        │ three", ""),
				row(false, "two          │ abcdefgh123         │ four", ""),
			}, "one          │ " + secret[:15] + "        │ three/two          │ abcdefgh123         │ four",
		},
	} {
		masked, _ := m.Screen(c.rows, 60, nil, nil)
		if got := masked[0].Text() + "/" + masked[1].Text(); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
