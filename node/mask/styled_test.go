package mask

import (
	"strings"
	"testing"
)

func TestStyledAndWrappedText(t *testing.T) {
	t.Parallel()
	m := New()
	secret := made("ghp_", madeMixed[:36])
	for _, c := range []struct {
		name, text, want string
		width            int
	}{
		{
			name: "colour before", text: "\x1b[31m" + secret + "\x1b[0m",
			want: "\x1b[31mghp_" + dots(36) + "\x1b[0m",
		},
		{
			name: "colour inside", text: secret[:10] + "\x1b[1;32m" + secret[10:20] + "\x1b[m" + secret[20:],
			want: "ghp_" + dots(6) + "\x1b[1;32m" + dots(10) + "\x1b[m" + dots(20),
		},
		{
			name: "colour inside the prefix", text: "g\x1b[1mh\x1b[Kp_" + secret[4:],
			want: "g\x1b[1mh\x1b[Kp_" + dots(36),
		},
		{
			name: "colour between name and value", text: "password\x1b[0m=\x1b[32m" + "hunter2hunter2",
			want: "password\x1b[0m=\x1b[32m" + dots(14),
		},
		{
			name: "character set and title inside", text: secret[:8] + "\x1b(B\x0f\x1b]0;title\x07" + secret[8:],
			want: "ghp_" + dots(4) + "\x1b(B\x0f\x1b]0;title\x07" + dots(32),
		},
		{
			name: "secret in a title", text: "a\x1b]0;my " + secret + "\x07b",
			want: "a\x1b]0;my ghp_" + dots(36) + "\x07b",
		},
		{
			name: "secret in a link and in its text", text: "\x1b]8;;https://me:hunter2@host/\x1b\\" + secret + "\x1b]8;;\x1b\\",
			want: "\x1b]8;;https://me:" + dots(7) + "@host/\x1b\\ghp_" + dots(36) + "\x1b]8;;\x1b\\",
		},
		{
			name: "title that has no end", text: "\x1b]0;" + secret,
			want: "\x1b]0;ghp_" + dots(36),
		},
		{
			name: "text does not run into a title", text: "ghp_\x1b]0;" + secret[4:] + "\x07",
			want: "ghp_\x1b]0;" + secret[4:] + "\x07",
		},
		{
			name: "key without an end stops before a title", text: "-----BEGIN PRIVATE KEY-----\n" + madeMixed[:64] + "\n\x1b]0;" + madeMixed[:20] + "\x07",
			want: "-----BEGIN PRIVATE KEY-----\n" + dots(64) + "\n\x1b]0;" + madeMixed[:20] + "\x07",
		},
		{
			name: "half an escape", text: secret + "\x1b[31",
			want: "ghp_" + dots(36) + "\x1b[31",
		},
		{
			name: "combining mark inside", text: secret[:20] + "\u0301" + secret[20:],
			want: "ghp_" + dots(36),
		},
		{
			name: "character of no width inside", text: secret[:20] + "\u200b" + secret[20:],
			want: "ghp_" + dots(16) + "\u200b" + dots(20),
		},
		{
			name: "wide characters in a value", text: "password: 密码密码密码12 x",
			want: "password: " + dots(14) + " x",
		},
		{
			name: "joined emoji in a value", text: "password=👩‍👩‍👧👩‍👩‍👧abcd12",
			want: "password=" + dots(10),
		},
		{
			name: "not UTF-8 in a value", text: "password=hunter\xff2hunter2",
			want: "password=" + dots(6) + "\xff" + dots(8),
		},
		{
			name: "sign of a width of its own at the start of a value", text: "password: ाhunter2hunter2",
			want: "password: " + dots(14),
		},
		{
			name: "nothing combines across an escape sequence", text: "password=hunter2\x1b[mाhunter2",
			want: "password=" + dots(7) + "\x1b[m" + dots(8),
		},
		{
			name: "tab in a value", text: "passphrase: \"correct\thorse\"",
			want: "passphrase: \"" + dots(7) + "\t" + dots(5) + "\"",
		},
		{
			name: "only bytes that are not UTF-8", text: "password=\xff\xfe\xff\xfe\xff\xfe\xff\xfe",
			want: "password=\xff\xfe\xff\xfe\xff\xfe\xff\xfe",
		},
		{
			name: "wrapped", text: "x " + secret[:18] + "\n" + secret[18:] + "\nnext", width: 20,
			want: "x ghp_" + dots(14) + "\n" + dots(22) + "\nnext",
		},
		{
			name: "wrapped over three rows, with carriage returns", text: secret[:15] + "\r\n" + secret[15:30] + "\r\n" + secret[30:] + "\r\n", width: 15,
			want: "ghp_" + dots(11) + "\r\n" + dots(15) + "\r\n" + dots(10) + "\r\n",
		},
		{
			name: "wrapped behind wide characters", text: "漢字 " + secret[:15] + "\n" + secret[15:], width: 20,
			want: "漢字 ghp_" + dots(11) + "\n" + dots(25),
		},
		{
			name: "wrapped in the prefix", text: "0123456 gh\x1b[0m\n\x1b[1mp_" + secret[4:], width: 10,
			want: "0123456 gh\x1b[0m\n\x1b[1mp_" + dots(36),
		},
		{
			name: "row of the width that does not go on", text: "abcdefghij\n" + secret, width: 10,
			want: "abcdefghij\nghp_" + dots(36),
		},
		{
			name: "key that begins a row after a full one", text: "abcdefghij\n" + made("sk-", madeMixed[:48]), width: 10,
			want: "abcdefghij\nsk-" + dots(48),
		},
		{
			name: "row that is not full", text: secret[:15] + "\n" + secret[15:], width: 16,
			want: secret[:15] + "\n" + secret[15:],
		},
		{
			name: "name at the end of a full row", text: "password: \n" + "hunter2hunter2", width: 10,
			want: "password: \n" + dots(14),
		},
	} {
		masked, found := m.Text(c.text, Options{Width: c.width})
		if masked != c.want || found != (c.text != c.want) {
			t.Errorf("%s: %q\n got %q\nwant %q", c.name, c.text, masked, c.want)
		}
		if again, found := m.Text(masked, Options{Width: c.width}); found || again != masked {
			t.Errorf("%s: masked again: %q became %q", c.name, masked, again)
		}
		appended, _ := m.Append([]byte("> "), []byte(c.text), Options{Width: c.width})
		if string(appended) != "> "+c.want {
			t.Errorf("%s: Append gave %q", c.name, appended)
		}
	}
}

func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	m := New()
	one, two, last := madeMixed[:64], madeMixed[20:84], madeMixed[:30]+"=="
	begin, end := made("-----BEGIN ", "RSA PRIVATE KEY", "-----"), made("-----END ", "RSA PRIVATE KEY", "-----")
	hidden := func(lines ...string) string { return strings.Join(lines, "\n") }
	for _, c := range []struct{ name, text, want string }{
		{
			"whole", hidden("$ cat key", begin, one, two, last, end, "$ "),
			hidden("$ cat key", begin, dots(64), dots(64), dots(32), end, "$ "),
		},
		{
			"off the screen below", hidden(begin, one, two),
			hidden(begin, dots(64), dots(64)),
		},
		{
			"without an end", hidden(begin, one, two, last, "$ ls", "key"),
			hidden(begin, dots(64), dots(64), dots(32), "$ ls", "key"),
		},
		{
			"off the screen above", hidden("a word", one, two, last, end, "$ "),
			hidden("a word", dots(64), dots(64), dots(32), end, "$ "),
		},
		{
			"headers", hidden(begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", one, last, end),
			hidden(begin, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", dots(64), dots(32), end),
		},
		{
			"headers without an end", hidden(begin, "Proc-Type: 4,ENCRYPTED", "", one),
			hidden(begin, "Proc-Type: 4,ENCRYPTED", "", dots(64)),
		},
		{
			"line numbers", hidden(" 1 "+begin, " 2 "+one, " 3 "+last, " 4 "+end),
			hidden(" 1 "+begin, " "+dots(66), " "+dots(34), " "+dots(1)+" "+end),
		},
		{
			"code that names both lines", hidden(`first = "`+begin+`"`, `last = "`+end+`"`),
			hidden(`first = "`+begin+`"`, `last = "`+end+`"`),
		},
		{
			"diff", hidden("+"+begin, "+"+one, "+"+last, "+"+end),
			hidden("+"+begin, "+"+dots(64), "+"+dots(32), "+"+end),
		},
		{
			"indent", hidden("    "+begin, "    "+one, "    "+last, "    "+end),
			hidden("    "+begin, "    "+dots(64), "    "+dots(32), "    "+end),
		},
		{
			"in a frame", hidden("│ "+begin+" │", "│ "+one+" │", "│ "+last+" │", "│ "+end+" │"),
			hidden("│ "+begin+" │", "│ "+dots(64)+" │", "│ "+dots(32)+" │", "│ "+end+" │"),
		},
		{
			"JSON", `{"private_key": "` + begin + `\n` + one + `\n` + last + `\n` + end + `\n", "id": 1}`,
			`{"private_key": "` + begin + `\n` + dots(64) + `\n` + dots(32) + `\n` + end + `\n", "id": 1}`,
		},
		{
			"JSON without an end", `{"private_key": "` + begin + `\n` + one + `\n` + two + `\n"}`,
			`{"private_key": "` + begin + `\n` + dots(64) + `\n` + dots(64) + `\n"}`,
		},
		{
			"joined strings", hidden(`"`+begin+`\n" +`, `"`+one+`\n" +`, `"`+last+`\n" +`, `"`+end+`\n"`),
			hidden(`"`+begin+`\n" +`, `"`+dots(64)+`\n" +`, `"`+dots(32)+`\n" +`, `"`+end+`\n"`),
		},
		{
			"PGP", hidden(made("-----BEGIN PGP ", "PRIVATE KEY BLOCK-----"), "", one, last, "=njUN", made("-----END PGP ", "PRIVATE KEY BLOCK-----")),
			hidden("-----BEGIN PGP "+"PRIVATE KEY BLOCK-----", "", dots(64), dots(32), dots(5), "-----END PGP "+"PRIVATE KEY BLOCK-----"),
		},
		{
			"behind another secret", hidden("token="+madeMixed[:20]+begin, one),
			hidden("token="+dots(20)+begin, dots(64)),
		},
		{
			"no body but a token", hidden(begin, made("eyJ", "hbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0.abc"), "next"),
			hidden(begin, "eyJ"+dots(37), "next"),
		},
		{
			"two, the first without an end", hidden(begin, one, begin, two, end),
			hidden(begin, dots(64), begin, dots(64), end),
		},
		{
			"coloured", hidden("\x1b[32m"+begin+"\x1b[m", "\x1b[32m"+one+"\x1b[m", end),
			hidden("\x1b[32m"+begin+"\x1b[m", "\x1b[32m"+dots(64)+"\x1b[m", end),
		},
	} {
		masked, _ := m.Text(c.text, Options{})
		if masked != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, masked, c.want)
		}
		if again, found := m.Text(masked, Options{}); found || again != masked {
			t.Errorf("%s: masked again: %q became %q", c.name, masked, again)
		}
	}
}

func TestASignOfADiffIsContentInAFile(t *testing.T) {
	t.Parallel()
	begin, end := made("-----BEGIN ", "PRIVATE KEY", "-----"), made("-----END ", "PRIVATE KEY", "-----")
	text := begin + "\n+" + madeMixed[:63] + "\n" + end
	for surface, want := range map[string]string{
		"file": begin + "\n" + dots(64) + "\n" + end,
		"diff": begin + "\n+" + dots(63) + "\n" + end,
		"":     begin + "\n+" + dots(63) + "\n" + end,
	} {
		if masked, _ := New().Text(text, Options{Surface: surface}); masked != want {
			t.Errorf("surface %q: %q", surface, masked)
		}
	}
}
