package mask

import (
	"strings"
	"testing"
)

// What simple rules miss. Guillemets stand around what must be hidden.
func TestHidden(t *testing.T) {
	t.Parallel()
	var (
		m      = New()
		github = made("ghp_", "«", madeMixed[:36], "»")
		openai = made("sk-", "«", madeMixed[:48], "»")
		jwt    = made("eyJ", "«hbGciOiJIUzI1NiJ9", ".eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0.", madeMixed[:43], "»")
	)
	for _, c := range []struct{ why, text string }{
		{"before an at sign", "https://" + github + "@github.com/a/b"},
		{"before an ampersand", "?a=" + github + "&b=c"},
		{"before a bracket", "f(" + github + ")"},
		{"before a comma", github + ",next"},
		{"before a bar", github + "|next"},
		{"before an escaped quote", `{\"key\":\"` + openai + `\"}`},
		{"after a written newline", `first\n` + openai + `\nnext`},
		{"after a written escape", `\u001b[31m` + openai + `\u001b[0m`},
		{"after what is left of an escape", "[1;31m" + openai + "[0m"},
		{"after a percent code", "q%3D" + openai},
		{"glued, and surely one", "prefix" + github},
		{"removed line of a diff", "-" + openai},
		{"option", "--key=" + openai},
		{"cut", made("ghp_", "«", madeMixed[:20], "»") + "…"},
		{"checksum that is wrong", made("ghp_", "«", strings.Repeat("a", 36), "»")},
		{"key that ends in a minus", made("AIza", "«Sy", madeMixed[:32], "-»") + " next"},
		{"more than the vendor's length", made("ghp_", "«", madeMixed[:50], "»")},
		{"wide characters around", "漢" + github + "字"},
		{"combining mark before", "e\u0301" + github},
		{"not UTF-8 around", "\xff\xfe" + github + "\x80"},
		{"two in one line", github + " " + openai},

		{"token of a bot in its address", "https://api.telegram.org/bot1234567890:AA«" + madeMixed[:33] + "»/sendMessage"},

		{"JWT", jwt},
		{"JWT in a header", "Authorization: Bearer " + jwt},
		{"JWT in a cookie", "session=" + jwt + "; Path=/"},
		{"JWT without its signature", made("eyJ", "«hbGciOiJIUzI1NiJ9", ".eyJ", "zdWIiOiIxMjM0NTY3ODkwIn0»")},

		{"bearer", "Bearer «" + madeMixed[:32] + "»"},
		{"bearer in curl", `curl -H "Authorization: Bearer «` + madeMixed[:32] + `»" https://example.com`},
		{"basic", "Authorization: Basic «dXNlcjpodW50ZXIyaHVudGVyMg==»"},
		{"basic without its header", "got Basic «dXNlcjpodW50ZXIyaHVudGVyMg==» from"},
		{"token scheme", "Authorization: Token «" + madeHex[:40] + "»"},
		{"header without a scheme", "Authorization: «" + madeHex[:40] + "»"},
		{"key header", "X-Api-Key: «" + madeHex[:32] + "»"},
		{"private token header", "PRIVATE-TOKEN: «" + madeMixed[:20] + "»"},

		{"URL", "postgres://user:«hunter2»@db.example.com:5432/app"},
		{"URL without a user", "redis://:«hunter2»@cache:6379/0"},
		{"at sign in the password", "mysql://root:«p@ss@w0rd»@localhost/db"},
		{"slash in the password", "amqps://user:«ab/cd»@queue.example.com"},
		{"proxy", "HTTPS_PROXY=http://me:«s3cret»@proxy:3128"},
		{"URL in quotes", `DATABASE_URL="mongodb+srv://app:«hunter2»@cluster0.example.net/db?retryWrites=true"`},

		{"walrus", `password := "«hunter2hunter2»"`},
		{"arrow", `:password => '«hunter2hunter2»'`},
		{"JSON", `{"password": "«hunter2hunter2»", "user": "me"}`},
		{"JSON in JSON", `"{\"password\":\"«hunter2hunter2»\",\"user\":\"me\"}"`},
		{"JSON in JSON in JSON", `\\\"password\\\": \\\"«hunter2hunter2»\\\"`},
		{"escaped quote in a value", `password = "«hunter2\"hunter2»"`},
		{"YAML", "password: «hunter2hunter2»\nuser: me"},
		{"YAML of plain letters", "  password: «correcthorse»\n"},
		{"shell", "export DB_PASSWORD=«correct-horse-9»"},
		{"shell of plain letters", "DB_PASSWORD=«correcthorse»"},
		{"INI", "password = «hunter2!hunter2»"},
		{"connection string", "Server=db;User Id=sa;Password=«Str0ng!Pass»;Encrypt=true"},
		{"query", "/login?user=me&token=«" + madeHex[:20] + "»&x=1"},
		{"option with a blank", "mysql --password «hunter2hunter2» -u root"},
		{"option with a sign", "mysql --password=«hunter2hunter2» -u root"},
		{"XML", "<password>«hunter2hunter2»</password>"},
		{"typed", `const token: string = "«` + madeMixed[:20] + `»"`},
		{"typed in Python", `api_key: str = '«` + madeMixed[:20] + `»'`},
		{"index", `config["password"] = "«hunter2hunter2»"`},
		{"value cut by the next line of a diff", "-  password: \"«hunter2hunter2»\n+  password: \"${DB_PASSWORD}\""},
		{"pass phrase", `passphrase: "«correct horse battery staple»"`},
		{"stop word in a pass phrase", `password="«example-ish7»"`[:9] + `"«my-example-pass-7»"`},
		{"camel case", `clientSecret: "«` + madeMixed[:20] + `»"`},
		{"figures alone", "password=«1234567890»"},
		{"raw string", `api_key = r"«` + madeMixed[:20] + `»"`},
		{"word of a query", "/login?token=«something»&x=1"},
		{"element over lines", "<apiToken>\n    «" + madeMixed[:20] + "»\n</apiToken>"},
		{"declaration with a type", `var githubToken string = "«` + madeMixed[:20] + `»"`},
		{"two arguments", `System.setProperty("API_TOKEN", "«` + madeMixed[:20] + `»")`},
		{"assignment of make", "API_TOKEN ::= «" + madeMixed[:20] + "»\nAPI_TOKEN :::= «" + madeMixed[:20] + "»"},
		{"assignment of PHP", `$apiToken .= "«` + madeMixed[:20] + `»"`},
		{"user of curl in a command over lines", "curl -X POST \\\n  -H 'A: b' \\\n  -u me:«hunter2hunter2»"},
		{"element that its line cuts", "<password>«hunter2hunter2»\nnext"},
		{"pass phrase between other words", `password: "«hunter2hunter2 and more»"`},
		{"user of curl", "curl -s -u admin:«hunter2» https://example.com"},
		{"user of curl in quotes", "curl --user 'admin:«pass word»' -X POST x"},
		{"user of curl that is a key", "curl -u me:sk_live_" + "«" + madeMixed[:24] + "»"},
		{"netrc over lines", "machine example.com\n  login me\n  password «s3cret»\n"},
		{"netrc for all machines", "default login me password «s3cret»\n"},
		{"base64 with a plus early", "PrivateKey = «" + madeMixed[:7] + "+" + madeMixed[7:42] + "=»"},
		{"key in base64 that reads like words", "aws_secret_access_key=«" + "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYsomeTextKey»"},
		{"cookie whose name says what it is", "Cookie: PHPSESSID=«abcdefghijklmnopqrstuvwxyz»; theme=dark"},
		{"name that ends an identifier, before a colon", "ansible_become_pass: «hunter2222»"},
		{"netrc", "machine example.com login me password «hunter2hunter2» "},
		{"session", "Cookie: theme=dark; session=«" + madeMixed[:32] + "»; lang=en"},
		{"session of a response", "< Set-Cookie: sid=«" + madeHex[:32] + "»; Path=/; HttpOnly"},
		{"session of curl", "-H 'Cookie: connect.sid=«s%3A" + madeMixed[:40] + "»'"},
		{"brackets that people choose", "password = «hu9nter2(hunter3)»\npassword: «q7Rw(w2L9»\nSECRET_KEY=«k3y7abc9(x»\n"},
		{"prompt that tells what holds", "AWS Secret Access Key [None]: «" + madeMixed[:40] + "»\nDefault region name [eu-west-1]: eu-central-1"},
		{"row of a table", "Key         Value\n---         -----\npassword    «hunter2hunter2»\napi_key     «4f9a1c7e0b3d8256»\n"},
		{"row of a table in a frame", "| id        | 12345678       |\n| admin_password | «hunter2hunter2» |\n│ api_key │ «4f9a1c7e0b3d8256» │"},
		{"statement of SQL", "alter user me with password '«hunter2hunter2»';"},
		{"statement of SQL in capitals", "ALTER ROLE me WITH LOGIN PASSWORD '«hunter2»';"},
		{"option with one dash", "influx -username me -password «hunter2hunter2» -token «q7Rw2Lk9Zx4T»"},
		{"key with a number of its own", "Unseal Key 3: «" + madeMixed[:44] + "»"},
		{"secrets of Kubernetes", "  tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t«" + madeMixed[:70] + "»==\n  url: cG9zdGdyZXM6«Ly9tZTpodW50ZXIyQGRiL2FwcA»=="},
		{"recovery codes with a remark", "Your backup codes (save them):\n\n  «1234 5678»\n  «2345 6789»\n\nDone."},
		{"key of OpenSSL", "prime1:\n    «00:9a:1c:7e:0b:3d:82:56:f7:a9:c1:e3:b5:d7:08:»\n    «24:69»\nprime2:\n    «01:02»\n"},
		{"session in quotes", `Set-Cookie: sid="«Yk29dkwpqz9Y»"; Path=/`},
		{"header in JSON", `{"Cookie": "session=«Yk29dkwpqz9Y»; theme=dark", "A": 1}`},
		{"header in JSON in JSON", `{\"cookie\":\"session=«Yk29dkwpqz9Y»\"}`},
		{"cookie of curl", "curl -b 'session=«Yk29dkwpqz9Y»; a=b' https://example.com"},
		{"element that is cut in its end", "<password>«Ok29dkwpqz9»<"},
		{"element that is cut in its end, above a line", "<password>«Ok29dkwpqz9»<\nnext"},
		{"element with a block of text", "<password><![CDATA[«Ok29<dkwpqz9»]]></password>"},
		{"element with a remark", "<password>«Ok29dkwpqz9»<!-- mine --></password>"},
		{"several words in quotes", `DB_PASSWORD="«my dog Rex2019!»"`},
		{"several words without a figure", `DB_PASSWORD="«correct horse battery staple»"`},
		{"words about passwords", `export DB_PASSWORD='«the password of us»'`},
		{"short words", `DB_PASSWORD="«Xk29 dkwpqz9»"`},
		{"several words of an option", `--password='«Xk29 dkwpqz9»'`},
		{"several words behind an option", `--password "«my dog Rex»" -v`},
		{"several words in code", `password = "«my dog Rex»"`},
		{"several words behind a colon", `password: "«correcthorse9 x»"`},
		{"short words behind a colon", `{"password": "«Xk29 dkwpqz9»"}`},
		{"several words in an element", "<password>«my dog Rex2019!»</password>"},
		{"several words of a name that is not chosen", `CLIENT_SECRET="«Xk29 dkwpqz9»"`},
		{"three quotes", `password="""«Xk29dkwpqz9»"""`},
		{"three quotes around several words", `password = '''«my "dog" Rex»''' # mine`},
		{"three quotes in lines of their own", "password = \"\"\"\n«Xk29dkwpqz9»\n\"\"\""},
		{"three quotes in JSON", `"code": "password=\"\"\"«Xk29dkwpqz9»\"\"\""`},
		{"table of CSV", `1,"{""user"": ""me"", ""password"": ""«Xk29dkwpqz9»"", ""n"": 1}",2`},
		{"quotes of a shell", `PASSWORD=$'«Xk29 dkw\'pqz9»'`},
		{"quotes of C# and SQL", `password = @"«Xk29dkwpqz9»"; PASSWORD = N'«Xk29 dkwpqz9»'`},
		{"numbered", "PASSWORD2=«hunter2hunter2»"},
		{"AWS", "aws_secret_access_key = «" + madeMixed[:18] + "/" + madeMixed[18:39] + "»"},
		{"npm", "//registry.npmjs.org/:_authToken=«123e4567-e89b-12d3-a456-426614174000»"},
		{"docker", `"auth": "«dXNlcjpodW50ZXIyaHVudGVyMg==»"`},
		{"token as a value", "GITHUB_TOKEN=" + github},
		{"token in a longer value", "password=" + github + "«!more»"},
		{"letters of another script", "password: «пароль-пароль»"},
		{"comma at the end", `{password: «hunter2hunter2», user: me}`},
		{"beside a name in brackets", "connect(password=«hunter2hunter2»)"},
	} {
		text, want := guillemets(c.text)
		masked, found := m.Text(text, Options{})
		if masked != want || !found {
			t.Errorf("%s: %q\n got %q\nwant %q", c.why, text, masked, want)
		}
		if again, found := m.Text(masked, Options{}); found || again != masked {
			t.Errorf("%s: masked again: %q became %q", c.why, masked, again)
		}
	}
}
