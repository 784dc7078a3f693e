package mask

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/grid"
)

func row(wrap bool, runs ...string) grid.Row {
	r := grid.Row{Wrap: wrap}
	for i := 0; i+1 < len(runs); i += 2 {
		r.Runs = append(r.Runs, grid.Run{Text: runs[i], Style: runs[i+1]})
	}
	return r
}

func torn(wrap bool, runs ...string) grid.Row {
	r := row(wrap, runs...)
	r.Torn = true
	return r
}

func TestRows(t *testing.T) {
	t.Parallel()
	m := New()
	secret := made("ghp_", madeMixed[:36])
	for _, c := range []struct {
		name        string
		prior, rows []grid.Row
		want        []grid.Row
	}{
		{
			name: "nothing to hide",
			rows: []grid.Row{row(false, "ls -l", "1"), row(false)},
			want: []grid.Row{row(false, "ls -l", "1"), row(false)},
		},
		{
			name: "styles and their boundaries stay",
			rows: []grid.Row{row(false, "a ", "", secret[:7], "31", secret[7:], "1;32", " b", "")},
			want: []grid.Row{row(false, "a ", "", "ghp_•••", "31", dots(33), "1;32", " b", "")},
		},
		{
			name: "joined by the wrap flag",
			rows: []grid.Row{row(true, "echo "+secret[:15], ""), row(true, secret[15:35], "4"), row(false, secret[35:], "")},
			want: []grid.Row{row(true, "echo ghp_"+dots(11), ""), row(true, dots(20), "4"), row(false, dots(5), "")},
		},
		{
			name: "not joined without it",
			rows: []grid.Row{row(false, secret[:15], ""), row(false, secret[15:], "")},
			want: []grid.Row{row(false, secret[:15], ""), row(false, secret[15:], "")},
		},
		{
			name:  "goes on from the scrollback",
			prior: []grid.Row{row(true, "echo "+secret[:15], "")},
			rows:  []grid.Row{row(true, secret[15:35], ""), row(false, secret[35:]+" x", "")},
			want:  []grid.Row{row(true, dots(20), ""), row(false, dots(5)+" x", "")},
		},
		{
			name:  "secret in the scrollback alone",
			prior: []grid.Row{row(false, secret, "")},
			rows:  []grid.Row{row(false, "x", "")},
			want:  []grid.Row{row(false, "x", "")},
		},
		{
			name: "rests of a token whose beginning is gone",
			rows: []grid.Row{torn(false, secret[20:]+" y", "1"), row(false, "x", ""), torn(true, secret[20:30], ""), row(false, secret[30:]+" z", ""), torn(false, "er "+secret[4:], ""), torn(false, "KzXvBnMqPyHg q", "")},
			want: []grid.Row{torn(false, dots(20)+" y", "1"), row(false, "x", ""), torn(true, dots(10), ""), row(false, dots(10)+" z", ""), torn(false, "er "+dots(36), ""), torn(false, dots(12)+" q", "")},
		},
		{
			name: "rests of other text whose beginning is gone",
			rows: []grid.Row{torn(false, "ordinary words 1234567890", ""), torn(false, "abc12 x", ""), torn(false, "  of the machinery", ""), torn(false, "1234567890", ""), torn(false)},
			want: []grid.Row{torn(false, "ordinary words 1234567890", ""), torn(false, "abc12 x", ""), torn(false, "  of the machinery", ""), torn(false, "1234567890", ""), torn(false)},
		},
		{
			name: "row that wrapped at a blank ends a word",
			rows: []grid.Row{row(true, "0123456789", ""), row(true, "abcde", ""), row(false, "sk-"+madeMixed[:48], "")},
			want: []grid.Row{row(true, "0123456789", ""), row(true, "abcde", ""), row(false, "sk-"+dots(48), "")},
		},
		{
			name: "wide and combining characters",
			rows: []grid.Row{row(false, "漢 password: 密码密码12", "", "e\u0301x", "7")},
			want: []grid.Row{row(false, "漢 password: "+dots(10), "", "••", "7")},
		},
		{
			name: "private key down to the last row",
			rows: []grid.Row{row(false, "-----BEGIN PRIVATE KEY-----", ""), row(false, madeMixed[:64], "32"), row(false, madeMixed[:64], "")},
			want: []grid.Row{row(false, "-----BEGIN PRIVATE KEY-----", ""), row(false, dots(64), "32"), row(false, dots(64), "")},
		},
	} {
		rows := append([]grid.Row(nil), c.rows...)
		for i := range rows {
			rows[i].Runs = append([]grid.Run(nil), rows[i].Runs...)
		}
		masked, found := m.Rows(rows, c.prior, nil)
		if diff := cmp.Diff(c.want, masked); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if changed := !cmp.Equal(c.want, c.rows); found != changed {
			t.Errorf("%s: found %v, changed %v", c.name, found, changed)
		}
		if diff := cmp.Diff(c.rows, rows); diff != "" {
			t.Errorf("%s: the input changed: %s", c.name, diff)
		}
		if again, found := m.Rows(masked, nil, nil); found || !cmp.Equal(masked, again) {
			t.Errorf("%s: masked again: %v", c.name, again)
		}
	}
}

func TestRowsShareWhatDidNotChange(t *testing.T) {
	t.Parallel()
	m := New()
	rows := []grid.Row{row(false, "plain", ""), row(false, "ghp_"+madeMixed[:36], "")}
	masked, _ := m.Rows(rows, nil, nil)
	if &masked[0].Runs[0] != &rows[0].Runs[0] || &masked[1].Runs[0] == &rows[1].Runs[0] {
		t.Error("want the first row shared and the second one new")
	}
	if same, _ := m.Rows(rows[:1], nil, nil); &same[0] != &rows[0] {
		t.Error("want the input itself where nothing is hidden")
	}
}

// Somebody types, and the screen is masked after each key. The cursor stands
// behind the last character.
func TestTypedSecretIsNeverShownInPart(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range []struct{ readable, secret string }{
		{"$ echo ghp_", madeMixed[:36]},
		{"$ export KEY=sk-ant-api03-", madeMixed[:60]},
		{"$ export DB_PASSWORD=", "hunter2hunter2"},
		{"password: ", "short"},
		{`{"token": "`, "abc"},
		{"curl -H 'Authorization: Bearer ", madeMixed[:40]},
		{"Bearer ", madeMixed[:40]},
		{"psql postgres://me:", "hunter2"},
		{"mysql -u root -p", "hunter2"},
		{"sshpass -p ", "hunter2"},
		{"redis-cli -h cache -a '", "correct-horse"},
		{"docker login -u me -p ", "hunter2"},
		{"curl -u me:", "hunter2"},
		{"eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"},
	} {
		for typed := 0; typed <= len(c.secret); typed++ {
			text := c.readable + c.secret[:typed]
			want := c.readable + dots(typed)
			masked, found := m.Rows([]grid.Row{row(false, text, "")}, nil, &grid.Cursor{Col: len(text)})
			if got := masked[0].Text(); got != want || found != (typed > 0) {
				t.Errorf("typed %q: %q", text, got)
			}
			if got, _ := m.Text(text, Options{}.At(len(text))); got != want {
				t.Errorf("text %q with its cursor: %q", text, got)
			}
			again, _ := m.Rows(masked, nil, &grid.Cursor{Col: len(text)})
			if got := again[0].Text(); got != want {
				t.Errorf("masked again: %q became %q", want, got)
			}
		}
	}
}

func TestOrdinaryTypingStaysReadable(t *testing.T) {
	t.Parallel()
	m := New()
	for _, text := range []string{
		"$ sk-", "$ ghp_", "$ cat fc-list", "a task-list", "$ path/to/key-words", "$ make api_key", "http://localhost:8080", "say password",
		"password:", "password: ", "the bearer of news", "$ dapint", "$ sk_new", "$ cat patterns.md",
		"$ grep NTFS", "see MTU", "mysql -u root -p shop", "ssh -p 2222", "cp -p a b", "docker run -p 8080:80", "curl -u me",
		"Set-Cookie: Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=3600", "Visual Basic", "the <password> of it",
	} {
		for n := range len(text) + 1 {
			masked, found := m.Rows([]grid.Row{row(false, text[:n], "")}, nil, &grid.Cursor{Col: n})
			if found {
				t.Errorf("typed %q: %q", text[:n], masked[0].Text())
			}
		}
	}
}

func TestCursorThatMovedOnLeavesThePlainRule(t *testing.T) {
	t.Parallel()
	m := New()
	rows := []grid.Row{row(false, "sk-abc password=abc", ""), row(false, "next", "")}
	for _, c := range []struct {
		why    string
		cursor *grid.Cursor
		want   string
	}{
		{"behind the value", &grid.Cursor{Col: 19}, "sk-abc password=•••"},
		{"within the key", &grid.Cursor{Col: 4}, "sk-••• password=abc"},
		{"a blank further", &grid.Cursor{Col: 20}, "sk-abc password=abc"},
		{"on the next row", &grid.Cursor{Row: 1, Col: 0}, "sk-abc password=abc"},
		{"outside", &grid.Cursor{Row: 7, Col: 3}, "sk-abc password=abc"},
		{"none", nil, "sk-abc password=abc"},
	} {
		masked, _ := m.Rows(rows, nil, c.cursor)
		if got := masked[0].Text(); got != c.want {
			t.Errorf("cursor %s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestCursorAtTheEdgeOfAMaskKeepsIt(t *testing.T) {
	t.Parallel()
	m := New()
	cursor := &grid.Cursor{Col: len("Bearer eyJ")}
	masked, _ := m.Rows([]grid.Row{row(false, "Bearer eyJabc", "")}, nil, cursor)
	if got := masked[0].Text(); got != "Bearer eyJ•••" {
		t.Errorf("got %q", got)
	}
	if again, found := m.Rows(masked, nil, cursor); found {
		t.Errorf("masked again: %q", again[0].Text())
	}
}

func TestBlankTypedIntoAnOpenQuoteKeepsTheValueHidden(t *testing.T) {
	t.Parallel()
	m := New()
	// The emulator leaves out the blank before the cursor.
	rows := []grid.Row{row(false, `passphrase: "a bc`, "")}
	for col, want := range map[int]string{17: `passphrase: "••••`, 18: `passphrase: "••••`, 40: `passphrase: "••••`} {
		masked, _ := m.Rows(rows, nil, &grid.Cursor{Col: col})
		if got := masked[0].Text(); got != want {
			t.Errorf("cursor at %d: %q", col, got)
		}
	}
	if masked, found := m.Rows(rows, nil, &grid.Cursor{Row: 1}); found {
		t.Errorf("cursor on another row: %q", masked[0].Text())
	}
}

func TestCursorBehindAMaskedValueHidesNoMore(t *testing.T) {
	t.Parallel()
	m := New()
	text := `password==api_key==\"` + "hunter2 hunter2"
	cursor := &grid.Cursor{Col: len(text)}
	masked, _ := m.Rows([]grid.Row{row(false, text, "")}, nil, cursor)
	if got := masked[0].Text(); got != `password==api_key==\"`+dots(15) {
		t.Errorf("got %q", got)
	}
	if again, found := m.Rows(masked, nil, cursor); found {
		t.Errorf("masked again: %q", again[0].Text())
	}
}

func TestCursorIsNotInATitle(t *testing.T) {
	t.Parallel()
	text := "12345\x1b]0;sk-abc\x07"
	if masked, found := New().Text(text, Options{}.At(5)); found {
		t.Errorf("got %q", masked)
	}
}

func TestTypedSecretIsHiddenAcrossAWrap(t *testing.T) {
	t.Parallel()
	rows := []grid.Row{row(true, "echo ghp_abc", ""), row(false, "de", "")}
	want := []grid.Row{row(true, "echo ghp_•••", ""), row(false, "••", "")}
	masked, _ := New().Rows(rows, nil, &grid.Cursor{Row: 1, Col: 2})
	if diff := cmp.Diff(want, masked); diff != "" {
		t.Error(diff)
	}
	// The first row is full, the cursor waits on its last column.
	masked, _ = New().Rows(rows[:1], nil, &grid.Cursor{Col: 11})
	if got := masked[0].Text(); got != "echo ghp_•••" {
		t.Errorf("full row: %q", got)
	}
}

func TestTitleIsHiddenWhileItIsTypedAndWhereItWasCut(t *testing.T) {
	t.Parallel()
	m := New()
	for text, want := range map[string]string{
		"vi ghp_":                     "vi ghp_",
		"vi ghp_q7R":                  "vi ghp_•••",
		"vi ghp_q7Rw2Lk9Zx4Tn8Vb":     "vi ghp_" + dots(16),
		"psql postgres://me:hunt":     "psql postgres://me:••••",
		"export DB_PASSWORD=h":        "export DB_PASSWORD=•",
		"vi ghp_q7R.txt":              "vi ghp_q7R.txt",
		"vi ghp_q7R - project":        "vi ghp_q7R - project",
		"make -j8 in ~/src/task-1":    "make -j8 in ~/src/task-1",
		"ghp_q7R\x1b[m":               "ghp_•••\x1b[m",
		"password: •••":               "password: •••",
		"AKIA" + madeBase32[:5] + "…": "AKIA" + madeBase32[:5] + "…",
	} {
		if got, _ := m.Text(text, Options{Surface: "title"}); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if again, found := m.Text(want, Options{Surface: "title"}); found {
			t.Errorf("masked again %q became %q", want, again)
		}
	}
}

// A prefix that begins ordinary words too hides what comes until the next
// character shows that it is one.
func TestWhatIsTypedBehindAnOrdinaryPrefixIsHiddenUntilItIsSettled(t *testing.T) {
	t.Parallel()
	m := New()
	typed := func(text string) string {
		masked, _ := m.Rows([]grid.Row{row(false, text, "")}, nil, &grid.Cursor{Col: len(text)})
		return masked[0].Text()
	}
	for prefix, body := range map[string]string{
		"AKCp": madeMixed[:69], "sk_": madeHex[:48], "r8_": madeMixed[:37], "dapi": madeHex[:32], "rnd_": madeMixed[:28],
		"fc-": madeHex[:32], "key_": madeHex[:64], "v1.0-": madeHex[:24] + "-" + madeHex,
	} {
		for n := range len(body) + 1 {
			if got, want := typed(prefix+body[:n]), prefix+dots(n); got != want {
				t.Errorf("typed %q: %q", prefix+body[:n], got)
			}
		}
	}
	id := "pat" + madeMixed[:14]
	for text, want := range map[string]string{
		"sk_b": "sk_•", "sk_bu": "sk_bu", "key-f": "key-•", "key-fi": "key-fi", "r8_unorm": "r8_•••••", "r8_unorm_": "r8_unorm_", "r8_unorm x": "r8_unorm x",
		"v1.0-be": "v1.0-••", "v1.0-beta": "v1.0-beta", "path": "path", "MTE2": "MTE2", id: id, id + ".4": "pat" + dots(16),
	} {
		if got := typed(text); got != want {
			t.Errorf("typed %q: %q, want %q", text, got, want)
		}
	}
}

func TestBodyOfAKeyWhoseBeginningIsGone(t *testing.T) {
	t.Parallel()
	m := New()
	body := []grid.Row{torn(false, madeMixed[:64], ""), row(false, "+"+madeMixed[20:83], ""), row(false, madeMixed[20:84], ""), row(false, madeMixed[:30], "")}
	hidden := []grid.Row{torn(false, dots(64), ""), row(false, "+"+dots(63), ""), row(false, dots(64), ""), row(false, dots(30), "")}
	for name, test := range map[string]struct {
		end  grid.Row
		want []grid.Row
	}{
		"no end":                {row(false, "$ ", ""), hidden},
		"end":                   {row(false, "-----END PRIVATE KEY-----", ""), hidden},
		"end of something else": {row(false, "-----END CERTIFICATE-----", ""), body},
	} {
		masked, _ := m.Rows(append(body[:4:4], test.end), nil, nil)
		if diff := cmp.Diff(append(test.want[:4:4], test.end), masked); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if again, found := m.Rows(masked, nil, nil); found && name != "end of something else" {
			t.Errorf("%s: masked again %v", name, again)
		}
	}
}
