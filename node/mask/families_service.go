package mask

// What programs talk to: messages, payments, mail, documents.
var serviceFamilies = []family{
	{
		name: "Slack token", prefixes: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxe-"},
		body: url, least: 16, full: 30,
		example: "123456789012-123456789012-" + madeMixed[:24], counter: "xoxb-token",
	},
	{
		name: "Slack cookie", prefixes: []string{"xoxd-"}, body: token68, least: 16, full: 60,
		example: madeMixed[:80], counter: "xoxd-cookie",
	},
	{
		name: "Slack configuration token", prefixes: []string{"xoxe.xoxp-", "xoxe.xoxb-"}, body: url, least: 16, full: 60,
		example: "1-" + madeMixed[:120], counter: "xoxe.xoxp-1-",
	},
	{
		name: "Slack app token", prefixes: []string{"xapp-"}, body: url, least: 20, full: 40, mixed: true,
		example: "1-A0123456789-1234567890123-" + madeHex[:64], counter: "xapp-settings-panel-container",
	},
	{
		name: "Stripe secret key", prefixes: []string{"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"},
		body: alnum, least: 10, full: 24,
		example: madeMixed[:24], counter: "sk_test_mode",
	},
	{
		name: "Stripe webhook secret", prefixes: []string{"whsec_"}, body: base64Std, least: 20, full: 32,
		example: madeMixed[:32], counter: "whsec_rotate",
	},
	{
		name: "SendGrid key", prefixes: []string{"SG."}, body: dotted, least: 40, mixed: true,
		example: madeMixed[:22] + "." + madeMixed[22:65], counter: "SG.handler.with_a_long_method_name.that_goes_on",
	},
	{ // an id of 14 characters, a dot, and 64 of hexadecimal
		name: "Airtable token", prefixes: []string{"pat"}, body: dotted, least: 60, id: true, mixed: true, fits: fitsAirtable,
		example: madeMixed[:14] + "." + madeHex[:64], counter: "pattern.matching.of.a.very.long.dotted.name.in.some.package.or.other",
	},
	{
		name: "Notion token", prefixes: []string{"ntn_"}, body: alnum, least: 32, full: 46,
		example: "12345678901" + madeMixed[:35], counter: "ntn_block",
	},
	{
		name: "Figma token", prefixes: []string{"figd_"}, body: url, least: 24, full: 40, mixed: true,
		example: madeMixed[:40], counter: "figd_export_settings_panel_item",
	},
	{
		name: "Shopify token", prefixes: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, body: alnum, least: 24, full: 32,
		example: madeHex[:32], counter: "shpat_scope",
	},
	{
		name: "Square secret", prefixes: []string{"sq0atp-", "sq0csp-"}, body: url, least: 16, full: 22,
		example: madeMixed[:22], counter: "sq0atp-id",
	},
	{
		name: "1Password service account", prefixes: []string{"ops_eyJ"}, body: token68, least: 60, full: 250, readable: 4,
		example: madeMixed + madeMixed[:80] + madeMixed[:60], counter: "ops_eyJ",
	},
	{
		name: "Slack webhook", prefixes: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"},
		body: base64Std, least: 24, full: 40,
		example: "T0A1B2C3D/B0A1B2C3D/" + madeMixed[:24], counter: "hooks.slack.com/services/T/B",
	},
	{
		name: "Discord webhook", prefixes: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"},
		body: token68, least: 40, full: 80,
		example: "123456789012345678/" + madeMixed[:68], counter: "discord.com/api/webhooks/{id}",
	},
	{
		name: "Square access token", prefixes: []string{"EAAA"}, body: url, least: 56, most: 64, mixed: true,
		example: madeMixed[:60], counter: "EAAAAAAAABAAAAAA",
	},
	{
		name: "Twilio key", prefixes: []string{"SK"}, body: lowerHex, least: 32, most: 32, whole: true,
		example: madeHex[:32], counter: "SKdeadbeef",
	},
	{
		name: "Mailgun key", prefixes: []string{"key-"}, body: lowerHex, least: 32, most: 32, whole: true,
		example: madeHex[:32], counter: "key-deadbeef",
	},
	{ // the id of the bot, a number in base64, and two parts behind it
		name: "Discord bot token", prefixes: []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}, body: dotted, least: 54, id: true, fits: fitsDiscord,
		example: "E2Mzg0OTAxMjM0NTY3ODkw" + "." + madeMixed[:6] + "." + madeMixed[6:44], counter: "MTE2Mzg0OTAxMjM0",
	},
	{
		name: "Teams webhook", prefixes: []string{"/IncomingWebhook/"}, body: token68, least: 32, full: 60,
		example: madeHex[:32] + "/4f9a1c7e-0b3d-8256-f7a9-c1e3b5d70824", counter: "/IncomingWebhook/{id}",
	},
}
