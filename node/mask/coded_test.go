package mask

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
)

// codes are how one character is written in an address, in an address in an
// address, and in JSON, also within a string of JSON.
var codes = []string{"%%%02X", "%%%02x", "%%25%02X", `\u00%02x`, `\\u00%02X`}

// withCodes writes what is no letter or figure in a text as codes, and its third
// and last characters.
func withCodes(text, code string) string {
	var b strings.Builder
	for i := range len(text) {
		if in(text[i], alnum) && i != 2 && i != len(text)-1 {
			b.WriteByte(text[i])
			continue
		}
		fmt.Fprintf(&b, code, text[i])
	}
	return b.String()
}

func TestEveryFamilyIsHiddenWithCodesInIt(t *testing.T) {
	t.Parallel()
	m := New()
	for _, f := range families {
		readable := f.prefixes[0]
		body := ""
		if f.readable > 0 {
			readable, body = readable[:f.readable], readable[f.readable:]
		}
		for i, code := range codes {
			if raceEnabled && i > 0 {
				break // the detector makes it slow, and the rest is the same
			}
			secret := body + withCodes(f.example, code)
			for _, around := range [][2]string{
				{"", ""},
				{"Cookie: d=", "; lang=en"},
				{"curl -b 'd=", "' https://example.com"},
				{"https://example.com/?k=", "&n=1"},
				{"?u=a%3Fk%3D", "%26n%3D1"},
				{"?u=a%253Fk%253D", "%2526n%253D1"},
				{`{"k":"`, `","n":1}`},
			} {
				text, want := around[0]+readable+secret+around[1], around[0]+readable+dots(len(secret))+around[1]
				if got, _ := m.Text(text, Options{}); got != want {
					t.Errorf("%s: %q\n got %q", f.name, text, got)
				}
			}
			text, want := readable+secret, []rune(readable+dots(len(secret)))
			for i := range len(text) {
				if coloured, _ := m.Text(text[:i]+"\x1b[1m"+text[i:], Options{}); coloured != string(want[:i])+"\x1b[1m"+string(want[i:]) {
					t.Errorf("%s: coloured at %d: %q", f.name, i, coloured)
				}
				wrapped, _ := m.Rows([]grid.Row{row(true, text[:i], ""), row(false, text[i:], "")}, nil, nil)
				if got := wrapped[0].Text() + wrapped[1].Text(); got != string(want) {
					t.Errorf("%s: wrapped at %d: %q", f.name, i, got)
				}
			}
		}
	}
}

func TestCodesInSecrets(t *testing.T) {
	t.Parallel()
	m := New()
	for _, text := range []string{
		"SLACK_COOKIE=xoxd-«AbCdEfGhIjKlMnOpQrSt%2BabcdefABCDEF123456%2Fghijkl7890%3D%3D»",
		"xoxd-«Ab%2Bcdef%2FghijklMN»",
		"curl -b d=xoxd-«Ab%2Bcdef%2FghijklMN» https://example.com",
		"?t=ya29.«" + madeMixed[:30] + "%2D" + madeMixed[:20] + "»&n=1",
		"FlyV1%20fm2_«" + madeMixed[:40] + "%2B" + madeMixed[:20] + "»%2Cfm2_«" + madeMixed[:50] + "%3D»",
		"Authorization: Bearer «" + madeMixed[:20] + "%2B" + madeMixed[:9] + "%3D»",
		"u=https%3A%2F%2Fhooks.slack.com%2Fservices%2F«T0A1B2C3D%2FB0A1B2C3D%2F" + madeMixed[:24] + "»",
		`"url":"https:\/\/hooks.slack.com\/services\/«T0A1B2C3D\/B0A1B2C3D\/` + madeMixed[:24] + `»"`,
		"https://api.telegram.org/bot1234567890%3AAA«" + madeMixed[:33] + "»/send",
		"client_secret=«abC8Q%7E" + madeMixed[:34] + "»&n=1",
		"x=«abC8Q%7E" + madeMixed[:34] + "»&n=1",
		"?next=https%3A%2F%2Fa.example%2F%3Faccess_token%3D«Xk29dkwpqz9%21»%26n%3D1&b=2",
		"u=%7B%22password%22%3A%22«Xk29dkwpqz9%21»%22%2C%22n%22%3A1%7D",
		"/login?token=«%2Bk29dkwpqz9%2F»&x=1",
		`"url":"postgres:\/\/me:«hunter2»@db.example.com\/app"`,
		"?u=redis%3A%2F%2F%3A«p%2540ss%252Fw0rd»%40cache&n=1",
	} {
		text, want := guillemets(text)
		if got, _ := m.Text(text, Options{}); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	for _, text := range []string{
		"set PASSWORD=%DB_PASSWORD% TOKEN=%TOKEN%", "?u=https%3A%2F%2Fme%40example.com%3A8080%2Fa%3Ab%40c", "?a=token%3D%24%7BTOKEN%7D", "token%3Dshort%26x", "password%3A%20must%20be%20long",
		"sk-loading%2Dspinner%2Dcontainer%2Delement", "/blog/sk-something%2D2024%2Dlong%2Dread%2Dabout%2Dkeys", "xoxb-token%20is", "ghp_%s", "sk-%d-%d-%d-%d-%d-%d-%d",
		"sk-live\\\\n", "fm2_test%2Fa", "https%3A%2F%2Fhooks.slack.com%2Fservices%2FT%2FB", "100%25 of sk-proj-%2Fa", `sk-ant-\u2026`, "ghp_xxxxxx%78xxxxxxxxxxxxxxxxxxxxxx",
	} {
		if got, found := m.Text(text, Options{}); found {
			t.Errorf("%q became %q", text, got)
		}
	}
}
