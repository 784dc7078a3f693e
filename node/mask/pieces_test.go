package mask

import (
	"math/rand/v2"
	"testing"
)

// pieces are what texts with secrets, and texts that look alike, are made of.
var pieces = []string{
	"ghp_", madeMixed[:36], madeMixed[:20], "sk-", "sk-ant-api03-", "AKIA", madeBase32[:16], "xoxb-", "npm_", "hf_", "AIza", "pypi-AgEIcHlwaS5vcmc", "SG.",
	"sig=", "sv=1", "se=2", ":5432:", ":*:", "Private-Lines: 2\n", "Private-MAC:", "12345678", ":AA", "Q~", "abC8", "T3Blbk" + "FJ", ".atlasv1.", "-us", "MTE2Mzg0", "AZDO", madeHex[:32],
	"eyJ", "hbGciOiJIUzI1NiJ9", ".", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "Bearer ", "Basic ", "dXNlcjpodW50ZXIyaHVudGVyMg==", "Authorization", "Token ",
	"password", "PASSWORD", "passphrase", "token", "secret", "api_key", "apiKey", "pass", "auth", "db_", "--", "2",
	"=", ":", ": ", " = ", ":=", "=>", "==", ">", "<", "</", "{", "}", "(", ")", "[", "]", ",", ";", "&", "|", "@", "/", "?", "#", "$", "%", "!", "*", "_", "-", "+",
	`"`, "'", "`", `\"`, `\\"`, `\`, `\n`, " ", "  ", "\t", "\n", "\r\n", "\n+", "\n-", "\n    ",
	"hunter2", "hunter2hunter2", "correct horse", "correcthorse", "abc", "x", "xxxxxxxx", "your-", "12345678", "string", "getPassword", "var.x",
	"https://", "postgres://", "me:", "user", "host:8080", "op://vault/x",
	"-----BEGIN ", "PRIVATE KEY", "-----", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", madeMixed[:64], "AAAAAAAAAAAAAAAAAAAA", "Proc-Type: 4,ENCRYPTED",
	"priv:", "prime1:", "4f:9a:1c:", "4f", "recovery codes", "1. ", "1234-5678", "4f9a1-c7e0b", "|", "│", "[None]", "]:", "PASSWORD '", "IDENTIFIED BY '", "Unseal Key 1",
	"htpasswd -b ", "sudo -S ", "passwd ", "echo ", "printf ", " | ", "<<<", "sqlplus ", "me/", "x25519(", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t", "cG9zdGdyZXM6Ly9t",
	mark, mark + mark + mark, dots(9), "é", "e\u0301", "\u0301", "漢字", "密码", "👩‍👩‍👧", "1\ufe0f\u20e3", "\u200b", "\ufeff", "\u093e", "\u200d", "│ ", "\xff", "\xe2\x80", "\u0085",
	"\x1b[31m", "\x1b[0m", "\x1b[K", "\x1b(B", "\x0f", "\x07", "\x1b]0;", "\x1b\\", "\x1b]8;;", "\x1b", "\x1b[", "\x1bP", "\x18", "\x08",
}

// piecesTried is how many texts each run makes.
const piecesTried = 10_000

func TestEveryTextOfPiecesKeepsItsShape(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	m := New()
	var text []byte
	for range piecesTried {
		text = text[:0]
		for range 1 + random.IntN(12) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		var o Options
		if random.IntN(3) == 0 {
			o.Width = 1 + random.IntN(40)
		}
		if random.IntN(3) == 0 {
			o = o.At(random.IntN(len(text) + 1))
		}
		checkText(t, m, text, o)
		checkRows(t, m, cutRows(string(text), random.IntN(9), uint16(random.Uint32())), uint8(random.IntN(3)), uint8(random.IntN(50)))
		if t.Failed() {
			return
		}
	}
}
