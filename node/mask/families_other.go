package mask

// Others, with forms of their own, in the order of their names.
var otherFamilies = []family{
	{
		name: "Adobe client secret", prefixes: []string{"p8e-"}, body: alnum, least: 28, most: 32,
		example: madeHex[:32], counter: "p8e-kernel",
	},
	{
		name: "Alibaba key id", prefixes: []string{"LTAI"}, body: alnum, least: 16, most: 24, mixed: true, whole: true,
		example: madeMixed[:20], counter: "LTAIRE",
	},
	{
		name: "Brevo key", prefixes: []string{"xkeysib-", "xsmtpsib-"}, body: url, least: 24, full: 60, mixed: true,
		example: madeHex[:64] + "-" + madeMixed[:16], counter: "xkeysib-key",
	},
	{
		name: "Clojars token", prefixes: []string{"CLOJARS_"}, body: lowerAlnum, least: 24, most: 60,
		example: madeLower[:60], counter: "CLOJARS_USERNAME",
	},
	{ // hexadecimal, in two parts
		name: "Cloudflare origin key", prefixes: []string{"v1.0-"}, body: url, least: 100, fits: fitsOrigin,
		example: madeHex[:24] + "-" + madeHex + madeHex[:66], counter: "v1.0-release-candidate",
	},
	{
		name: "Defined Networking key", prefixes: []string{"dnkey-"}, body: token68, least: 32, full: 60, mixed: true,
		example: madeMixed[:26] + "-" + madeMixed[26:78], counter: "dnkey-file",
	},
	{
		name: "Duffel token", prefixes: []string{"duffel_test_", "duffel_live_"}, body: token68, least: 24, full: 43,
		example: madeMixed[:43], counter: "duffel_test_mode",
	},
	{
		name: "EasyPost key", prefixes: []string{"EZAK", "EZTK"}, body: alnum, least: 54, most: 54, mixed: true,
		example: madeMixed[:54], counter: "EZAKIEL",
	},
	{
		name: "Facebook page token", prefixes: []string{"EAAM", "EAAC"}, body: alnum, least: 100, mixed: true,
		example: madeMixed[:110], counter: "EAAMAAAA",
	},
	{
		name: "Flutterwave secret key", prefixes: []string{"FLWSECK-", "FLWSECK_TEST-"}, body: url, least: 12, full: 32,
		example: madeHex[:32] + "-X", counter: "FLWSECK-",
	},
	{
		name: "Frame.io token", prefixes: []string{"fio-u-"}, body: token68, least: 40, full: 64,
		example: madeMixed[:64], counter: "fio-u-name",
	},
	{
		name: "Infracost key", prefixes: []string{"ico-"}, body: alnum, least: 28, most: 32, mixed: true, fits: fitsLetters,
		example: madeMixed[:32], counter: "ico-arrow",
	},
	{
		name: "Intra42 client secret", prefixes: []string{"s-s4t2ud-", "s-s4t2af-"}, body: lowerHex, least: 40, most: 64,
		example: madeHex[:64], counter: "s-s4t2ud-",
	},
	{ // base64 of a JSON Web Token
		name: "JSON Web Token in base64", prefixes: []string{"ZXlK"}, body: base64Std, least: 60, fits: fitsEncodedJWT,
		example: "aGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4SW4wLmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6", counter: "ZXlK" + madeMixed[:80],
	},
	{
		name: "New Relic insert key", prefixes: []string{"NRII-"}, body: url, least: 24, full: 32, mixed: true,
		example: madeMixed[:32], counter: "NRII-KEY",
	},
	{
		name: "OpenShift token", prefixes: []string{"sha256~"}, body: url, least: 32, full: 43, mixed: true,
		example: madeMixed[:43], counter: "sha256~something",
	},
	{
		name: "Readme key", prefixes: []string{"rdme_"}, body: lowerAlnum, least: 40, most: 72,
		example: madeLower[:60] + madeLower[:10], counter: "rdme_docs",
	},
	{
		name: "Scalingo token", prefixes: []string{"tk-us-"}, body: url, least: 40, full: 48, mixed: true,
		example: madeMixed[:48], counter: "tk-us-east",
	},
	{
		name: "SettleMint token", prefixes: []string{"sm_aat_", "sm_pat_", "sm_sat_"}, body: alnum, least: 16, most: 32, mixed: true,
		example: madeMixed[:16], counter: "sm_pat_file",
	},
	{
		name: "Shippo token", prefixes: []string{"shippo_live_", "shippo_test_"}, body: lowerHex, least: 24, most: 40,
		example: madeHex[:40], counter: "shippo_test_mode",
	},
	{
		name: "Typeform token", prefixes: []string{"tfp_"}, body: token68, least: 40, full: 59, mixed: true,
		example: madeMixed[:59], counter: "tfp_form",
	},
	{
		name: "Yandex key", prefixes: []string{"AQVN"}, body: url, least: 35, most: 39, mixed: true,
		example: madeMixed[:36], counter: "AQVNAME",
	},
	{ // the codes of -----BEGIN … PRIVATE KEY, as in a secret of Kubernetes
		name: "private key in base64", body: base64Std, least: 24, full: 64, prefixes: []string{
			"LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tL", "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t",
			"LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZLS0tL", "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVktLS0tL", "LS0tLS1CRUdJTiBEU0EgUFJJVkFURSBLRVktLS0tL",
			"LS0tLS1CRUdJTiBQR1AgUFJJVkFURSBLRVkgQkxPQ0stLS0t",
		},
		example: madeMixed[:80], counter: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t" + madeMixed[:80],
	},
	{ // {"auths":, as in a secret of Kubernetes, and {"payload":", as the registry of AWS has it
		name: "login to a registry in base64", prefixes: []string{"eyJhdXRocyI6", "ewogICJhdXRocyI6", "ewoJImF1dGhzIjog", "eyJwYXlsb2FkIjoi"}, body: base64Std, least: 40, full: 80,
		example: madeMixed[:100], counter: "eyJhdXRocyI6e319",
	},
	{ // {"type": "service_account"
		name: "Google service account in base64", prefixes: []string{"ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudC", "eyJ0eXBlIjoic2VydmljZV9hY2NvdW50"}, body: base64Std, least: 40, full: 80,
		example: madeMixed[:120], counter: "eyJ0eXBlIjoic2VydmljZV9hY2NvdW50In0=",
	},
	{ // postgres:// and others like it
		name: "address with a password in base64", body: base64Std, least: 12, fits: fitsEncodedURL, begins: beginsEncodedURL, prefixes: []string{
			"cG9zdGdyZXM6", "cG9zdGdyZXNxbDov", "bXlzcWw6", "bW9uZ29kYjov", "bW9uZ29kYitzcnY6", "cmVkaXM6", "cmVkaXNzOi8v", "YW1xcDov", "YW1xcHM6",
		},
		example: "Ly9tZTpodW50ZXIyQGRiLmV4YW1wbGUuY29tL2FwcDpodW50ZXIy", counter: "cG9zdGdyZXM6Ly9kYi5leGFtcGxlLmNvbTo1NDMyL2FwcGxpY2F0aW9u",
	},
	{ // BIP 32
		name: "master key of a wallet", prefixes: []string{"xprv", "yprv", "zprv", "tprv"}, body: alnum, least: 90, most: 110, mixed: true,
		example: madeMixed[:107], counter: "xprv9",
	},
}
