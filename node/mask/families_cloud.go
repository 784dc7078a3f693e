package mask

// Where programs run, and what they run with.
var cloudFamilies = []family{
	{
		name: "Google API key", prefixes: []string{"AIza"}, body: url, least: 24,
		example: "Sy" + madeMixed[:32] + "-", counter: "AIzawa",
	},
	{
		name: "Google bound key", prefixes: []string{"AQ.Ab8RN6"}, body: url, least: 24, full: 44,
		example: madeMixed[:44], counter: "AQ.Ab8RN6",
	},
	{
		name: "Google OAuth access token", prefixes: []string{"ya29."}, body: dotted, least: 20, full: 64,
		example: "a0" + madeMixed[:80], counter: "ya29.example",
	},
	{
		name: "Google OAuth client secret", prefixes: []string{"GOCSPX-"}, body: url, least: 16, full: 28,
		example: madeMixed[:28], counter: "GOCSPX-id",
	},
	{
		name: "AWS key id", prefixes: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, body: upper, least: 16, whole: true,
		example: madeBase32[:16], counter: "ASIAPACIFIC",
	},
	{
		name: "AWS key id of old", prefixes: []string{"A3T"}, body: upper, least: 16, whole: true,
		example: madeBase32[:17], counter: "A3TABLE",
	},
	{
		name: "AWS Bedrock key", prefixes: []string{"ABSK"}, body: base64Std, least: 100,
		example: madeMixed[:109], counter: "ABSKURZ",
	},
	{
		name: "AWS Bedrock short-lived key", prefixes: []string{"bedrock-api-key-"}, body: base64Std, least: 32, full: 64,
		example: madeMixed[:100], counter: "bedrock-api-key-rotation",
	},
	{
		name: "DigitalOcean token", prefixes: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, body: lowerHex, least: 24, full: 64,
		example: madeHex[:64], counter: "dop_v1_name",
	},
	{
		name: "Cloudflare token", prefixes: []string{"cfut_", "cfat_", "cfk_"}, body: alnum, least: 24, full: 48, sum: sumCloudflare,
		example: madeMixed[:40] + "54199c8a", counter: "cfk_name",
	},
	{
		name: "Vercel token", prefixes: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, body: url, least: 20, full: 56, mixed: true,
		example: madeMixed[:56], counter: "vcp_handle_incoming_frame_data",
	},
	{
		name: "Netlify token", prefixes: []string{"nfp_", "nfc_", "nfo_", "nfu_", "nfb_"}, body: alnum, least: 24,
		example: madeMixed[:36], counter: "nfp_policy",
	},
	{
		name: "Supabase token", prefixes: []string{"sbp_"}, body: lowerHex, least: 24, full: 40,
		example: madeHex[:40], counter: "sbp_dma",
	},
	{
		name: "Supabase secret key", prefixes: []string{"sb_secret_"}, body: url, least: 20, full: 31, mixed: true,
		example: madeMixed[:31], counter: "sb_secret_key_from_dashboard_page",
	},
	{
		name: "Fly token", prefixes: []string{"fm1r_", "fm1a_", "fm2_"}, body: token68, least: 40,
		example: madeMixed[:110], counter: "fm2_test",
	},
	{
		name: "Fly access token", prefixes: []string{"fo1_"}, body: url, least: 32, full: 43, mixed: true,
		example: madeMixed[:43], counter: "fo1_pin_configuration_register_map",
	},
	{
		name:     "Tailscale key",
		prefixes: []string{"tskey-api-", "tskey-auth-", "tskey-client-", "tskey-scim-", "tskey-webhook-"}, body: url, least: 16, full: 30,
		example: "k" + madeMixed[:11] + "CNTRL-" + madeMixed[11:43], counter: "tskey-auth-key",
	},
	{
		name: "Vault token", prefixes: []string{"hvs.", "hvr.", "hvb."}, body: url, least: 20, full: 90,
		example: madeMixed[:95], counter: "hvs.example",
	},
	{ // before Vault 1.10
		name: "Vault token of old", prefixes: []string{"s."}, body: alnum, least: 24, most: 24, whole: true, mixed: true, id: true, fits: fitsCases,
		example: madeMixed[:24], counter: "s.handleRequestOfVersion2x",
	},
	{
		name: "Vault batch token of old", prefixes: []string{"b.AAAAAQ"}, body: url, least: 24, full: 90,
		example: madeMixed[:120], counter: "b.AAAAAQ",
	},
	{
		name: "PlanetScale token", prefixes: []string{"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, body: dotted, least: 20, full: 32,
		example: madeMixed[:43], counter: "pscale_pw_prompt",
	},
	{
		name: "Doppler token", prefixes: []string{"dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "dp.st."}, body: dotted, least: 32, full: 40, mixed: true,
		example: madeMixed[:43], counter: "dp.st.method_call_with_long_name.other",
	},
	{
		name: "Databricks token", prefixes: []string{"dapi"}, body: lowerHex, least: 28, full: 32,
		example: madeHex[:32], counter: "dapi_driver",
	},
	{
		name: "Heroku key", prefixes: []string{"HRKU-AA"}, body: url, least: 24, full: 58, readable: 5,
		example: madeMixed[:58], counter: "HRKU-AA",
	},
	{
		name: "Neon key", prefixes: []string{"napi_"}, body: alnum, least: 40, full: 64,
		example: madeMixed[:64], counter: "napi_schedule_prep",
	},
	{
		name: "Render key", prefixes: []string{"rnd_"}, body: alnum, least: 24, full: 28, mixed: true,
		example: madeMixed[:28], counter: "rnd_seed",
	},
	{
		name: "age key", prefixes: []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"}, body: upper, least: 16, full: 58,
		example: madeUpper[:58], counter: "AGE-SECRET-KEY-1",
	},
}
