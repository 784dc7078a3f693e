package mask

// A name is a word that says of the value beside it that it is secret. It
// counts where an identifier ends with it: DB_PASSWORD and clientSecret, not
// password_changed_at or tokens.
type name struct {
	// words are joined with every separator that identifiers use.
	words []string
	// chosen says that people make these up, so that plain letters can be one.
	chosen bool
	// alone wants the name to be a whole part of the identifier, where longer
	// words end with it.
	alone bool
	// assigned wants a sign that assigns, or quotes, where the name is also an
	// ordinary word before a colon ("PASS: TestName").
	assigned bool
	// sure says that nothing else is called that, so that NAME=value without blanks
	// is hidden whatever the value looks like.
	sure bool
	// header says that the value may begin with a scheme (Bearer, Basic).
	header bool
	// example is a text whose value is hidden, counter one that is left.
	example, counter string
}

var names = []name{
	{
		words: []string{"pgpassword"}, chosen: true, sure: true,
		example: "PGPASSWORD=" + "hunter2hunter2", counter: "PGPASSWORD=$(cat file)",
	},
	{
		words: []string{"mysql", "pwd"}, chosen: true, sure: true,
		example: "MYSQL_PWD=" + "hunter2hunter2", counter: "MYSQL_PWD=${MYSQL_PWD}",
	},
	{
		words: []string{"sshpass"}, chosen: true, sure: true,
		example: "SSHPASS=" + "hunter2hunter2", counter: "SSHPASS=\"$(pass show box)\"",
	},
	{
		words: []string{"rediscli", "auth"}, chosen: true, sure: true,
		example: "REDISCLI_AUTH=" + "hunter2hunter2", counter: "REDISCLI_AUTH=<password>",
	},
	{
		words: []string{"password"}, chosen: true,
		example: "DB_PASSWORD=" + "correcthorse", counter: "password_changed_at=2026-11-30T10:00:00Z",
	},
	{
		words: []string{"passwd"}, chosen: true,
		example: "passwd: " + "hunter2hunter2", counter: "passwd: command not found",
	},
	{
		words: []string{"passphrase"}, chosen: true,
		example: `"passphrase": "` + `correct horse battery staple"`, counter: "passphrase: ${PASSPHRASE}",
	},
	{
		words: []string{"pwd"}, chosen: true, alone: true, assigned: true,
		example: "MYSQL_PWD=" + "hunter2hunter2", counter: "PWD=/home/user/project",
	},
	{
		words: []string{"pass"}, chosen: true, alone: true, assigned: true,
		example: "pass=" + "hunter2hunter2", counter: "--- PASS: TestHide2Names (0.00s)",
	},
	{
		words:   []string{"secret"},
		example: "client_secret = '" + "q7Rw2Lk9Zx4T'", counter: "secret_name=4f9a1c7e0b3d",
	},
	{
		words:   []string{"token"},
		example: "token := \"" + "q7Rw2Lk9Zx4T\"", counter: "max_tokens: 40960000",
	},
	{
		words:   []string{"api", "key"},
		example: "api_key=" + "4f9a1c7e0b3d", counter: "api_key_id=4f9a1c7e0b3d",
	},
	{
		words:   []string{"access", "key"},
		example: "AWS_SECRET_ACCESS_KEY=" + "q7Rw2Lk9Zx/4Tn8Vb3Hs6Yd1", counter: "access_keys: 12345678",
	},
	{
		words:   []string{"secret", "key"},
		example: "secret-key: " + "q7Rw2Lk9Zx4T", counter: "secret_key: config.secret_key",
	},
	{
		words:   []string{"secret", "key", "base"},
		example: "SECRET_KEY_BASE=" + "4f9a1c7e0b3d8256", counter: "secret_key_base: ENV.fetch",
	},
	{
		words:   []string{"account", "key"},
		example: "AccountKey=" + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1==;EndpointSuffix=x", counter: "account_key: ${ACCOUNT_KEY}",
	},
	{
		words:   []string{"private", "key"},
		example: "PrivateKey = " + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiOoWrStDl=", counter: "private_key: /etc/ssl/private/server.pem",
	},
	{
		words:   []string{"preshared", "key"},
		example: "PresharedKey = " + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiOoWrStDl=", counter: "PresharedKey = (none)",
	},
	{
		words:   []string{"signing", "key"},
		example: "signing_key: " + "q7Rw2Lk9Zx4T", counter: "signingKey := crypto.Signer(nil)",
	},
	{
		words:   []string{"encryption", "key"},
		example: "encryption_key=" + "q7Rw2Lk9Zx4T", counter: "encryption_key_version=12345678",
	},
	{
		words:   []string{"master", "key"},
		example: "RAILS_MASTER_KEY=" + "4f9a1c7e0b3d8256", counter: "master_key_id: 4f9a1c7e0b3d8256",
	},
	{
		words:   []string{"unseal", "key"},
		example: "Unseal Key 1: " + "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcA", counter: "Unseal Key Shares: 5",
	},
	{
		words: []string{"psk"}, chosen: true, alone: true,
		example: "psk=" + "hunter2hunter2", counter: "key_mgmt=WPA-PSK",
	},
	{
		words:   []string{"auth", "key"},
		example: "AUTH_KEY='" + "q7Rw2Lk9Zx4T'", counter: "auth_key: <your key>",
	},
	{
		words:   []string{"client", "key", "data"},
		example: "client-key-data: " + "LS0tLS1CRUdJTiBQUklWQVRF", counter: "client-certificate-data: LS0tLS1CRUdJTg",
	},
	{
		words: []string{"auth"}, alone: true, assigned: true,
		example: "//registry.example/:_auth=" + "dXNlcjpodW50ZXIy", counter: "needs_auth=true",
	},
	{
		words: []string{"authorization"}, header: true,
		example: "Authorization: Basic " + "dXNlcjpodW50ZXIy", counter: "Authorization: required",
	},
}

// literals returns the spellings of a name.
func (n *name) spellings() []string {
	all := []string{n.words[0]}
	for _, word := range n.words[1:] {
		var next []string
		for _, head := range all {
			for _, separator := range []string{"", "_", "-", " ", "."} {
				next = append(next, head+separator+word)
			}
		}
		all = next
	}
	return all
}
