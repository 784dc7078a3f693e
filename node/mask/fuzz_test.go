package mask

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
)

// terminalWidth measures as the terminal does: escape sequences have no width
// and end a character. Text in a string sequence is measured on its own.
func terminalWidth(line []byte) int {
	var plain []byte
	for i := 0; i < len(line); {
		if line[i] != escape {
			plain = append(plain, line[i])
			i++
			continue
		}
		end, from, to := sequence(line, i)
		plain = append(plain, 0)
		if from < to {
			plain = append(append(plain, line[from:to]...), 0)
		}
		i = end
	}
	return displaywidth.Bytes(plain)
}

func FuzzMask(f *testing.F) {
	secret := made("ghp_", madeMixed[:36])
	for _, text := range []string{
		"", "plain text", secret, "\x1b[31m" + secret + "\x1b[0m", secret[:9] + "\n" + secret[9:], "password=hunter2hunter2",
		"password: \"hunter2 hunter2\" x", `{\"token\":\"` + madeMixed[:20] + `\"}`, "https://me:p@ss@host/", "\x1b]0;" + secret + "\x07x",
		"-----BEGIN PRIVATE KEY-----\n" + madeMixed[:64] + "\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\\n" + madeMixed[:64],
		madeMixed[:64] + "\n-----END PRIVATE KEY-----", "password=密码密码密码é\u0301\xff12", "password=👩‍👩‍👧1️⃣aaaaaa", "Bearer " + madeMixed[:30],
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "Basic dXNlcjpodW50ZXIyaHVudGVyMg==", "sk-ant-" + secret, "<password>hunter2hunter2</password>",
		"token: string = \"" + madeMixed[:20] + "\"", "password=\u0600abcdefgh\u0600\"", "password=ाabcdefgh", "AKIA" + madeBase32[:16] + "sk-" + madeMixed[:30],
		"?sv=1&sig=" + madeMixed[:30], "h:5432:d:u:" + madeMixed[:9], "Private-Lines: 2\n" + madeMixed[:64] + "\nq7\nPrivate-MAC: 1", "12345678:AA" + madeMixed[:30],
		`password="""a b"""`, `""password"": ""` + madeMixed[:12] + `""`, "<password><![CDATA[" + madeMixed[:12] + "]]></password>", `Set-Cookie: sid="` + madeMixed[:12] + `"; Path=/`, "Basic dXNlcjp",
		"token%3D" + madeMixed[:12] + "%26", "%22password%22%3A%22" + madeMixed[:12] + "%22", "a%3A%2F%2Fb%3Apass%40c",
		"?k%3Dsk-%2D%252Da" + madeMixed[:30] + `\/\u002d`, "12345678%3AAA" + madeMixed[:30], "--token " + madeMixed[:12],
		"abC8Q~" + madeMixed[:34], "T3Blbk" + "FJ" + madeMixed[:30], madeHex[:32] + "-us12", "MTE2Mzg0OTAxMjM0NTY3ODkw.q7Rw2L." + madeMixed[:38],
	} {
		f.Add([]byte(text), uint8(10), uint16(0))
		f.Add([]byte(text), uint8(0), uint16(len(text)+1))
	}
	m := New()
	f.Fuzz(func(t *testing.T, text []byte, width uint8, cursor uint16) {
		checkText(t, m, text, Options{Width: int(width), Cursor: int(cursor)})
	})
}

// checkText checks what holds for every text.
func checkText(t *testing.T, m *Mask, text []byte, o Options) {
	t.Helper()
	masked, found := m.Append(nil, text, o)
	if found == bytes.Equal(masked, text) {
		t.Fatalf("found is %v: %q became %q", found, text, masked)
	}
	if fromText, _ := m.Text(string(text), o); fromText != string(masked) {
		t.Fatalf("Text gave %q, Append %q", fromText, masked)
	}
	if got, want := sequences(masked), sequences(text); got != want {
		t.Fatalf("escape sequences %q became %q", want, got)
	}
	before, after := bytes.Split(text, []byte("\n")), bytes.Split(masked, []byte("\n"))
	if len(before) != len(after) {
		t.Fatalf("%d lines became %d", len(before), len(after))
	}
	for i := range before {
		if !utf8.Valid(before[i]) || bytes.ContainsFunc(before[i], combinesForwards) {
			continue // no sure width to keep
		}
		if got, want := terminalWidth(after[i]), terminalWidth(before[i]); got != want {
			t.Fatalf("%d columns became %d: %q, %q", want, got, before[i], after[i])
		}
	}
	o.Cursor = 0
	masked, _ = m.Append(nil, text, o)
	if again, found := m.Append(nil, masked, o); found || !bytes.Equal(again, masked) {
		t.Fatalf("masked again: %q became %q became %q", text, masked, again)
	}
}

// combinesForwards reports whether a character takes the column of the one
// behind it, like the signs of Arabic numbers. A keycap behind one has the width
// of neither.
func combinesForwards(r rune) bool {
	return r >= 0xa0 && displaywidth.Rune(r) == 0 && displaywidth.String(string(r)+"x") == 0
}

// sequences returns the escape sequences of a text, without what stands in a
// string sequence.
func sequences(text []byte) string {
	var all strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != escape {
			continue
		}
		end, from, to := sequence(text, i)
		if from < to {
			all.Write(text[i:from])
			all.Write(text[to:end])
		} else {
			all.Write(text[i:end])
		}
		i = end - 1
	}
	return all.String()
}

func FuzzRowsAgreeWithText(f *testing.F) {
	secret := made("ghp_", madeMixed[:36])
	f.Add("a "+secret+" b\nnext", uint8(5), uint16(3), uint8(0), uint8(4))
	for cut := range uint8(3) {
		f.Add("the key is "+secret[:22]+"   and other text\n"+secret[22:]+" of it      beside it", 9+cut, uint16(0), cut, uint8(30))
		f.Add("│ the key is "+secret[:22]+" │ and other text │\n│ "+secret[22:]+" of it    │ beside it      │", 9+cut, uint16(0), cut, uint8(30))
	}
	f.Add("password: 密码密码密码12", uint8(7), uint16(0), uint8(0), uint8(9))
	f.Add("-----BEGIN PRIVATE KEY-----\n"+madeMixed[:64], uint8(9), uint16(1), uint8(1), uint8(2))
	m := New()
	f.Fuzz(func(t *testing.T, text string, cut uint8, wraps uint16, cursorRow, cursorCol uint8) {
		checkRows(t, m, cutRows(text, int(cut), wraps), cursorRow, cursorCol)
	})
}

// checkRows checks that rows and text agree.
func checkRows(t *testing.T, m *Mask, rows []grid.Row, cursorRow, cursorCol uint8) {
	t.Helper()
	joined := join(rows)
	masked, found := m.Rows(rows, nil, nil)
	got := join(masked)
	if found != (got != joined) {
		t.Fatalf("found is %v: %q became %q", found, joined, got)
	}
	if want, _ := m.Text(joined, Options{}); got != want && !short(rows) && !boxed(m, rows) {
		t.Fatalf("rows of %q gave %q, text %q", joined, got, want)
	}
	for i := range rows {
		if len(rows[i].Runs) != len(masked[i].Runs) || rows[i].Wrap != masked[i].Wrap {
			t.Fatalf("row %d: %v became %v", i, rows[i], masked[i])
		}
		for j, run := range rows[i].Runs {
			got := masked[i].Runs[j]
			if got.Style != run.Style || displaywidth.String(got.Text) != displaywidth.String(run.Text) && !strings.ContainsFunc(run.Text, combinesForwards) {
				t.Fatalf("row %d: run %v became %v", i, run, got)
			}
		}
	}
	screen, _ := m.Screen(rows, 80, nil, nil)
	if again, found := m.Screen(screen, 80, nil, nil); found {
		t.Fatalf("masked again as a screen: %v became %v", screen, again)
	}
	cursor := &grid.Cursor{Row: int(cursorRow), Col: int(cursorCol)}
	live, _ := m.Rows(rows, nil, cursor)
	if again, found := m.Rows(live, nil, cursor); found {
		t.Fatalf("masked again with its cursor: %v became %v", live, again)
	}
}

// cutRows makes rows of a text, in runs of so many characters. Controls have
// no place in a row.
func cutRows(text string, cut int, wraps uint16) []grid.Row {
	var rows []grid.Row
	for i, line := range strings.Split(strings.ToValidUTF8(text, "?"), "\n") {
		line = strings.Map(func(r rune) rune {
			if r < ' ' || r >= rubout && r < 0xa0 {
				return -1
			}
			return r
		}, line)
		// No cell begins with what combines with the one before it.
		first := displaywidth.StringGraphemes("x" + line)
		first.Next()
		line = line[len(first.Value())-1:]
		row := grid.Row{Wrap: i < 16 && wraps&(1<<i) != 0}
		start, n := 0, 0
		characters := displaywidth.StringGraphemes(line)
		for end := 0; characters.Next(); {
			end += len(characters.Value())
			if n++; n == cut || end == len(line) {
				row.Runs = append(row.Runs, grid.Run{Text: line[start:end], Style: "1"})
				start, n = end, 0
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// short reports whether a row wraps that is not full: there the text has a blank
// that can be hidden, and the row has none.
func short(rows []grid.Row) bool {
	for _, row := range rows {
		if row.Wrap && rowWidth(row) < wrapWidth(rows)-1 {
			return true
		}
	}
	return false
}

// boxed reports whether a program may have wrapped rows by itself, which a text
// does not tell.
func boxed(m *Mask, rows []grid.Row) bool {
	s := m.take()
	defer m.give(s)
	for _, row := range rows {
		s.addRow(row, wrapWidth(rows), 0)
	}
	s.columns(rows, 0, 0)
	s.read(Options{})
	s.gutters(rows, 0, 0)
	return len(s.chains) > 0 || len(s.joints(nil, rows, 0, 0)) > 0
}

// join writes rows as one text.
func join(rows []grid.Row) string {
	var all strings.Builder
	width := wrapWidth(rows)
	for i, row := range rows {
		all.WriteString(row.Text())
		switch {
		case !row.Wrap:
			all.WriteByte('\n')
		case rowWidth(row) < width-1 && i < len(rows)-1:
			all.WriteByte(' ')
		}
	}
	return all.String()
}
