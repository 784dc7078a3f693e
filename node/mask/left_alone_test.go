package mask

import "testing"

// What simple rules hide wrongly, and what is left alone on purpose.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	m := New()
	for _, c := range []struct{ why, text string }{
		{"bare hash", "commit " + madeHex[:40]},
		{"bare SHA-256", madeHex[:64] + "  file.tar.gz"},
		{"bare base64", madeMixed[:64] + "=="},
		{"UUID", "123e4567-e89b-12d3-a456-426614174000"},
		{"lone password", "hunter2hunter2"},
		{"integrity of a lock file", `"integrity": "sha512-` + madeMixed[:86] + `=="`},
		{"source map", "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0="},

		{"style class", `<div class="sk-loading-spinner sk-fading-circle sk-circle-12">`},
		{"slug", "https://example.com/blog/sk-something-2024-long-read-about-keys"},
		{"long slug", "/task-sk-learn-how-to-use-transformers-v2"},
		{"key of a language", "kind of sk-SK locale"},
		{"function", "sk_buff_head_init(); pat_match(); hf_hub_download(repo)"},
		{"npm variable", "npm_config_user_agent=npm/10.2.0 npm_lifecycle_event=build"},
		{"word", "task-desk-risk- dapint fc-list fc-match key-value"},
		{"AWS id that is none", "AKIA is the prefix; AIDA" + madeBase32[:16]},
		{"prefix in prose", "tokens that begin with ghp_, sk-ant- or xoxb- are hidden"},
		{"ellipsis", "export OPENAI_API_KEY=sk-..."},
		{"placeholder token", "ghp_" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"placeholder key", "sk-your-api-key-here-1234567890"},

		{"reference to a store", "password: op://vault/item/field"},
		{"reference to a variable", "password = var.db_password"},
		{"reference to a secret", "token: ${{ secrets.GITHUB_TOKEN }}"},
		{"shell variable", "PASSWORD=$DB_PASSWORD"},
		{"shell expansion", `PASSWORD="${DB_PASSWORD:-}"`},
		{"command", "TOKEN=$(gh auth token)"},
		{"template", "password: {{ .Values.password }}"},
		{"Windows variable", "set PASSWORD=%DB_PASSWORD%"},
		{"file name beside a name", "DB_PASSWORD_FILE=/run/secrets/db_password"},
		{"path", "password=/run/secrets/db_password"},
		{"relative path", "secret: ./secrets/production.yaml"},
		{"environment", "token = process.env.API_TOKEN"},
		{"call", "password = getPassword(user)"},
		{"call with digits", "token := sha256.Sum256(data)"},
		{"index", `token = os.environ["API_TOKEN"]`},
		{"field", "req.Token = session.CurrentToken"},
		{"keyword argument", "login(password=password, token=access_token)"},
		{"type", "password: string;"},
		{"generic type", "token: Option<SecretString>,"},
		{"declaration", "func verify(token string, secret []byte) error {"},
		{"comparison", "if token == expectedToken {"},
		{"assignment", "token := parser.nextToken"},
		{"placeholder", "password=<your password>"},
		{"placeholder word", "api_key=your-api-key-goes-here"},
		{"stars", "password: ************"},
		{"crosses", "token=XXXXXXXXXXXXXXXX"},
		{"redacted", "secret=REDACTED_BY_CI"},
		{"constant of a program", "TOKEN=IDENTIFIER_NAME SECRET=PRODUCTION"},
		{"state in an environment", "DB_PASSWORD=undefined"},
		{"variable inside", "api_key=prefix-1a2b3c4d-${SUFFIX}"},
		{"store", "token: vault:secret/data/app1#token2"},
		{"Ruby variable", "password=#{ENV_PASSWORD_2}"},
		{"word passed on", "connect(token=something, secret=otherthing)"},
		{"null", `"password": null, "token": undefined`},
		{"short", "password=abc123"},

		{"time beside a name", "password_changed_at=2026-11-30T13:00:00Z"},
		{"time as value", "token: 2026-11-30T13:00:00"},
		{"count", "max_tokens: 4096000000"},
		{"count of tokens", "tokens used: 1234567890"},
		{"token count", "token_count=12345678901"},
		{"number", "token: 1234567890"},
		{"constant", "SIOCGLIFTOKEN = 0x3f879678"},
		{"secret's name", "secret_name=production-db-1a2b3c4d"},
		{"longer names", "secret-name: q7Rw2Lk9Zx4T token-id=q7Rw2Lk9Zx4T"},
		{"public key", "public_key=" + madeMixed[:44]},
		{"keyword", "keyword=q7Rw2Lk9Zx4T monkey=q7Rw2Lk9Zx4T"},
		{"test output", "--- PASS: TestRead2Files (0.01s)"},

		{"prose after a colon", "Password: must be at least 8 characters long"},
		{"state after a colon", "password: incorrect"},
		{"prose in quotes", `"password": "Please enter your new password"`},
		{"label", `"token": "The token that was given at login."`},
		{"value on the next line", "password:\n  hunter2hunter2"},
		{"key before a block", "secrets:\n  token:\n    from: " + madeMixed[:20]},
		{"error text", "error: invalid token: unexpected end of input"},
		{"question", "Enter passphrase for key '/home/user/.ssh/id_ed25519': "},

		{"bearer in prose", "the bearer authentication-mechanism-of-choice"},
		{"words", "a Bearer token; Bearer realm=\"example\""},
		{"basic in prose", "Basic authentication, basic understanding"},
		{"header name", "Authorization: required"},

		{"publishable keys", "pk_live_" + madeMixed[:24] + " sb_publishable_" + madeMixed[:31] + " phc_" + madeMixed[:43]},
		{"account id", "AC" + madeHex[:32]},
		{"age recipient", "age1" + "ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"},
		{"certificate", "-----BEGIN CERTIFICATE-----\n" + madeMixed[:64] + "\n-----END CERTIFICATE-----"},
		{"public PEM", "-----BEGIN PUBLIC KEY-----\n" + madeMixed[:64] + "\n-----END PUBLIC KEY-----"},

		{"user and group", "docker run -u 1000:1000 alpine; chown -u root:root /srv; sudo -u app:app sh"},
		{"user alone", "curl -u admin https://example.com/a:b"},
		{"variable of curl", `curl -u "$USER:$PASSWORD" https://example.com -u me:$(pass me)`},
		{"cookies that tell nothing", "Cookie: theme=dark; lang=en-GB; path=/; _ga=GA1.2.1234567890.1234567890"},
		{"cookie in prose", "cookie: a small piece of data, see RFC=6265"},
		{"attributes of a cookie", "Set-Cookie: a=b; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Strict"},
		{"netrc without a password", "machine example.com login me account other1234"},
		{"login in prose", "the machine wants you to login as root2 password changed1234"},

		{"port", "http://localhost:8080/@scope/package"},
		{"user", "ssh://git@example.com/repo.git"},
		{"package", "https://unpkg.com:443/react@18.2.0/umd"},
		{"variable in a URL", "postgres://user:${PASSWORD}@db/app postgres://user:$PW@db/app"},
		{"placeholder in a URL", "postgres://user:<password>@db/app"},
		{"stars in a URL", "https://user:***@example.com"},
		{"mail", "mailto:user@example.com, see https://example.com or user@example.com"},
		{"IPv6", "http://[::1]:8080/a@b"},

		{"marks of a list", "• token • secret • password"},
		{"begin of a key in prose", "a line -----BEGIN PRIVATE KEY----- starts it\nand ordinary text follows here"},
	} {
		for _, surface := range []string{"", "file", "diff"} {
			if masked, found := m.Text(c.text, Options{Surface: surface}); found || masked != c.text {
				t.Errorf("%s: %q became %q", c.why, c.text, masked)
			}
		}
	}
}
