package mask

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// A planted is a made-up secret in a text: the bytes Text[From:To].
type planted struct {
	Kind  string `json:"kind"`
	Named bool   `json:"named"` // a name that says so stands beside it
	Text  string `json:"text"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// eachKind is how many secrets of a kind are made.
const eachKind = 20

// surroundings are where a secret of a vendor's form is planted, alone and
// beside a name.
var surroundings = []struct {
	named       bool
	head, after string
}{
	{false, "K_1=", "\n"},
	{false, `{"k": "`, `"}` + "\n"},
	{false, "2026-11-30T13:00:00Z INFO got ", " from the store\n"},
	{false, "git remote add origin https://", "@example.com/a.git\n"},
	{false, "+    value: ", "\n"},
	{true, "export API_KEY=", "\n"},
	{true, `{"api_key": "`, `", "n": 1}` + "\n"},
	{true, "  token: ", "\n"},
	{true, `const secret = "`, `";` + "\n"},
	{true, "client_secret = '", "'\n"},
}

// madeSecrets makes secrets of every row of the tables, from their examples: each
// character of a made-up stretch becomes another one of its class.
func madeSecrets() []planted {
	random := rand.New(rand.NewPCG(7, 7))
	var all []planted
	plant := func(kind, secret string, n int) {
		a := surroundings[n%len(surroundings)]
		if strings.HasPrefix(a.head, "git ") && strings.ContainsAny(secret, ":/") {
			return // another URL
		}
		all = append(all, planted{kind, a.named, a.head + secret + a.after, len(a.head), len(a.head) + len(secret)})
	}
	for _, f := range families {
		for n := range eachKind {
			body := vary(random, f.example)
			prefix := f.prefixes[n%len(f.prefixes)]
			plant(f.name, summed(f.name, prefix, body), n)
		}
	}
	for _, k := range markeds {
		for n := range eachKind {
			plant(k.name, vary(random, strings.ReplaceAll(k.example, "|", "")), n)
		}
	}
	for _, s := range structures {
		for range eachKind {
			head, rest, _ := strings.Cut(s.example, "«")
			secret := rest[:strings.LastIndex(rest, "»")]
			after := rest[len(secret)+len("»"):]
			secret = vary(random, strings.NewReplacer("«", "", "»", "").Replace(secret))
			if s.kind == beginKind {
				secret = madeKey(random)
			}
			all = append(all, planted{s.name, true, head + secret + after + "\n", len(head), len(head) + len(secret)})
		}
	}
	for _, c := range commands {
		for range eachKind {
			head, rest, _ := strings.Cut(c.example, "«")
			_, after, _ := strings.Cut(rest, "»")
			secret := vary(random, madeMixed[:12])
			all = append(all, planted{c.name, true, "$ " + head + secret + after + "\n", len(head) + 2, len(head) + 2 + len(secret)})
		}
	}
	for _, k := range names {
		for range eachKind {
			sign := strings.IndexAny(k.example, "=:")
			from := sign + 1 + strings.IndexFunc(k.example[sign+1:], func(r rune) bool { return !strings.ContainsRune("= \"'", r) })
			to := from + strings.IndexAny(k.example[from:]+"\n", "\"';\n")
			secret := vary(random, k.example[from:to])
			all = append(all, planted{k.words[0] + " beside its value", true, k.example[:from] + secret + k.example[to:] + "\n", from, from + len(secret)})
		}
	}
	return all
}

// summed completes a made-up token with its checksum, where its family has one.
func summed(family, prefix, body string) string {
	switch family {
	case "GitHub token", "npm token":
		body = withBase62(body[:30])
	case "Grafana token":
		body = body[:33] + littleHex(prefix+body[:32])
	case "Cloudflare token":
		body = body[:40] + bigHex(body[:40])
	}
	return prefix + body
}

// vary replaces the characters of the made-up stretches in a text by others of
// their class, and leaves what a form demands.
func vary(random *rand.Rand, text string) string {
	const least = 6
	out := []byte(text)
	for from := 0; from+least <= len(text); from++ {
		for _, made := range []string{madeMixed, madeHex, madeUpperHex, madeBase32, madeUpper, madeLower} {
			if !strings.Contains(made, text[from:from+least]) {
				continue
			}
			for i := from; i < from+least; i++ {
				out[i] = another(random, text[i], made)
			}
		}
	}
	return string(out)
}

func another(random *rand.Rand, b byte, made string) byte {
	class := "abcdefghijklmnopqrstuvwxyz"
	switch {
	case b >= '0' && b <= '9' && made == madeBase32:
		class = "234567"
	case b >= '0' && b <= '9':
		class = "0123456789"
	case made == madeHex:
		class = "abcdef"
	case made == madeUpperHex:
		class = "ABCDEF"
	case b >= 'A' && b <= 'Z':
		class = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	}
	return class[random.IntN(len(class))]
}

// madeKey is the body of a private key: nine lines of nothing.
func madeKey(random *rand.Rand) string {
	var lines []string
	for range 9 {
		lines = append(lines, vary(random, madeMixed[:64]))
	}
	return strings.Join(lines, "\n")
}

// With COLLIE_MASK_CORPUS the secrets are written into that file, for other
// engines to read too (see integration/peers).
func TestMadeSecretsAreHidden(t *testing.T) {
	t.Parallel()
	m := New()
	missed := map[string]int{}
	all := madeSecrets()
	if file := os.Getenv("COLLIE_MASK_CORPUS"); file != "" {
		data, err := json.MarshalIndent(all, "", " ")
		if err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d secrets of %d kinds", len(all), len(families)+len(markeds)+len(structures)+len(commands)+len(names))
	}
	if raceEnabled {
		all = all[:len(all)/4]
	}
	for _, p := range all {
		if !hides(m, p) {
			missed[p.Kind]++
			if missed[p.Kind] == 1 {
				got, _ := m.Text(p.Text, Options{})
				t.Logf("%s: %q became %q", p.Kind, p.Text, got)
			}
		}
	}
	for kind, n := range missed {
		t.Errorf("%s: %d of %d are not hidden", kind, n, eachKind)
	}
}

// hides reports whether no six characters of a planted secret are shown, but for
// what stays readable of it: half at the most.
func hides(m *Mask, p planted) bool {
	got, found := m.Text(p.Text, Options{})
	if !found {
		return false
	}
	secret := p.Text[p.From:p.To]
	for from := len(secret) / 2; from+6 <= len(secret); from++ {
		if strings.Contains(got, secret[from:from+6]) {
			return false
		}
	}
	return true
}
