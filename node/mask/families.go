package mask

// A family is a kind of secret that is known by how it begins. The families
// are data: the engine knows none of them by name.
type family struct {
	name     string
	prefixes []string
	// body is what the secret is written in after its prefix. Any other
	// character ends it.
	body alphabet
	// least is the bytes of body from which it is hidden; it is below the
	// vendor's length, since a token that was cut is still a secret.
	least int
	// full is the vendor's shortest length, from which a token glued to other
	// text is hidden too. 0: never where it is glued.
	full int
	// mixed demands a long stretch with a digit and a letter, where the prefix
	// also begins slugs and style classes.
	mixed bool
	// quiet is a prefix that begins ordinary words too: at the cursor it takes
	// leastRemnant bytes with a digit and a letter.
	quiet bool
	// readable is how many bytes of the prefix stay, where that is not all.
	readable int
	// example is a made-up body, counter a text that begins alike and is none.
	// Both are here to be read and to be tested; no text in this file is a
	// whole secret.
	example, counter string
}

// Made-up bodies to cut examples from.
const (
	madeMixed = "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiOoWrStDlKzXvBnMqPyHgFjC7u2E9a4T6w8Q1z3X5v0N7b" +
		"M2k4J6h8G1f3D5s7A9p0O2i4U6y8T1r3E5w7Qq9Zz"
	madeHex = "4f9a1c7e0b3d8256f7a9c1e3b5d70824691bd3f5a7c9e0128f4b6d3a5c7e9f10" +
		"2b4d6f8a0c1e3f5b"
	madeUpperHex = "4F9A1C7E0B3D8256"
	madeBase32   = "K7QW2LRZX4TNBV3HSY6DPF5GMJCAEUIO"
	madeUpper    = "Q7RW2LK9ZX4TN8VB3HS6YD1PF5GM0JCAEUI8OWRST2DLKZXVB4NMQPYHG6FJ"
)

var families = []family{
	{
		name: "GitHub token", prefixes: []string{"ghp_", "gho_", "ghu_"}, body: alnum, least: 16, full: 36,
		example: madeMixed[:36], counter: "ghp_short",
	},
	{
		name: "GitHub refresh token", prefixes: []string{"ghr_"}, body: alnum, least: 16, full: 36,
		example: madeMixed[:76], counter: "ghr_rate_limit",
	},
	{ // also the stateless form: an application, _ and a JWT
		name: "GitHub server token", prefixes: []string{"ghs_"}, body: dotted, least: 16, full: 36, mixed: true,
		example: "12345_eyJ" + madeMixed[:20] + ".eyJ" + madeMixed[20:50] + "." + madeMixed[50:86],
		counter: "ghs_compact_nested_state_machine",
	},
	{
		name: "GitHub fine-grained token", prefixes: []string{"github_pat_"}, body: word, least: 16, full: 82,
		example: madeMixed[:22] + "_" + madeMixed[22:81], counter: "github_pat_token",
	},
	{
		name:     "GitLab token",
		prefixes: []string{"glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glffct-", "glimt-", "glptt-", "glcbt-", "glagent-", "gloas-"},
		body:     dotted, least: 16, full: 20, example: madeMixed[:20], counter: "glpat-example",
	},
	{
		name: "GitLab runner registration", prefixes: []string{"GR1348941"}, body: url, least: 16, full: 20,
		example: madeMixed[:20], counter: "GR1348941",
	},
	{
		name: "npm token", prefixes: []string{"npm_"}, body: alnum, least: 24, full: 36,
		example: madeMixed[:36], counter: "npm_config_registry",
	},
	{
		name: "secret key", prefixes: []string{"sk-"}, body: url, least: 20, mixed: true,
		example: madeMixed[:48], counter: "sk-loading-spinner-container-2",
	},
	{
		name: "OpenAI key", prefixes: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-"}, body: url, least: 20, full: 90, mixed: true,
		example: madeMixed[:58] + "T3Blbk" + "FJ" + madeMixed[40:98], counter: "sk-proj-list-item-container",
	},
	{
		name: "Anthropic key", prefixes: []string{"sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-sid01-", "sk-ant-sid02-"},
		body: url, least: 16, full: 80,
		example: madeMixed[:91] + "-_AA", counter: "sk-ant-api03-",
	},
	{ // kinds that came after this table
		name: "Anthropic key of another kind", prefixes: []string{"sk-ant-"}, body: url, least: 16, mixed: true,
		example: "new09-" + madeMixed[:60], counter: "sk-ant-colony-animation",
	},
	{
		name: "OpenRouter key", prefixes: []string{"sk-or-v1-"}, body: alnum, least: 20, full: 64,
		example: madeHex[:64], counter: "sk-or-v1-beta",
	},
	{
		name: "Langfuse key", prefixes: []string{"sk-lf-"}, body: url, least: 20, mixed: true,
		example: "4f9a1c7e-0b3d-8256-f7a9-c1e3b5d7082469ab", counter: "sk-lf-left-column-of-page",
	},
	{
		name: "xAI key", prefixes: []string{"xai-"}, body: alnum, least: 32, full: 80,
		example: madeMixed[:80], counter: "xai-explainable",
	},
	{
		name: "Groq key", prefixes: []string{"gsk_"}, body: alnum, least: 24, full: 52,
		example: madeMixed[:52], counter: "gsk_renderer_new",
	},
	{
		name: "Perplexity key", prefixes: []string{"pplx-"}, body: alnum, least: 24, full: 48,
		example: madeMixed[:48], counter: "pplx-70b-online",
	},
	{
		name: "Replicate token", prefixes: []string{"r8_"}, body: alnum, least: 28, full: 37, quiet: true,
		example: madeMixed[:37], counter: "r8_unorm_pixel",
	},
	{
		name: "ElevenLabs key", prefixes: []string{"sk_"}, body: lowerHex, least: 40, quiet: true,
		example: madeHex[:48], counter: "sk_buff_head_init",
	},
	{
		name: "Cerebras key", prefixes: []string{"csk-"}, body: alnum, least: 32, full: 48,
		example: madeMixed[:48], counter: "csk-module",
	},
	{
		name: "NVIDIA key", prefixes: []string{"nvapi-"}, body: url, least: 32, full: 60,
		example: madeMixed[:64], counter: "nvapi-dynamic-library",
	},
	{
		name: "LangSmith key", prefixes: []string{"lsv2_pt_", "lsv2_sk_"}, body: word, least: 20, full: 43,
		example: madeHex[:32] + "_" + madeHex[32:42], counter: "lsv2_pt_name",
	},
	{
		name: "Pinecone key", prefixes: []string{"pcsk_"}, body: word, least: 40, full: 69,
		example: madeMixed[:6] + "_" + madeMixed[6:69], counter: "pcsk_enabled",
	},
	{
		name: "Weights & Biases key", prefixes: []string{"wandb_v1_"}, body: word, least: 32, full: 77,
		example: madeMixed[:77], counter: "wandb_v1_config",
	},
	{
		name: "Together key", prefixes: []string{"tgp_v1_"}, body: url, least: 24, full: 43,
		example: madeMixed[:43], counter: "tgp_v1_schema",
	},
	{
		name: "Tavily key", prefixes: []string{"tvly-"}, body: url, least: 24, full: 32, mixed: true,
		example: madeMixed[:32], counter: "tvly-search-results-container",
	},
	{
		name: "Firecrawl key", prefixes: []string{"fc-"}, body: lowerHex, least: 24, quiet: true,
		example: madeHex[:32], counter: "fc-cache",
	},
	{
		name: "Jina key", prefixes: []string{"jina_"}, body: alnum, least: 40, full: 60,
		example: madeMixed[:60], counter: "jina_embeddings",
	},
	{
		name: "Hugging Face token", prefixes: []string{"hf_", "api_org_"}, body: alnum, least: 28, full: 34,
		example: madeMixed[:34], counter: "hf_hub_download",
	},
	{
		name: "Google API key", prefixes: []string{"AIza"}, body: url, least: 24, full: 35,
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
		name: "AWS key id", prefixes: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, body: upper, least: 16,
		example: madeBase32[:16], counter: "ASIAPACIFIC",
	},
	{
		name: "AWS key id of old", prefixes: []string{"A3T"}, body: upper, least: 16, quiet: true,
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
	{
		name: "Docker Hub token", prefixes: []string{"dckr_pat_", "dckr_oat_"}, body: url, least: 16, full: 27,
		example: madeMixed[:27], counter: "dckr_pat_file",
	},
	{
		name: "Docker swarm token", prefixes: []string{"SWMTKN-1-", "SWMKEY-1-"}, body: url, least: 24, full: 43,
		example: madeHex[:50] + "-" + madeHex[:25], counter: "SWMTKN-1-",
	},
	{
		name: "PyPI token", prefixes: []string{"pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"}, body: url, least: 16, full: 85, readable: 5,
		example: madeMixed[:100], counter: "pypi-AgEIcHlwaS5vcmc",
	},
	{
		name: "RubyGems key", prefixes: []string{"rubygems_"}, body: lowerHex, least: 24, full: 48,
		example: madeHex[:48], counter: "rubygems_version",
	},
	{
		name: "DigitalOcean token", prefixes: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, body: lowerHex, least: 24, full: 64,
		example: madeHex[:64], counter: "dop_v1_name",
	},
	{
		name: "Cloudflare token", prefixes: []string{"cfut_", "cfat_", "cfk_"}, body: alnum, least: 24, full: 48,
		example: madeMixed[:40] + madeHex[:8], counter: "cfk_name",
	},
	{
		name: "Vercel token", prefixes: []string{"vcp_", "vci_", "vca_", "vcr_", "vck_"}, body: url, least: 20, full: 56, mixed: true,
		example: madeMixed[:56], counter: "vcp_handle_incoming_frame_data",
	},
	{
		name: "Netlify token", prefixes: []string{"nfp_", "nfc_", "nfo_", "nfu_", "nfb_"}, body: alnum, least: 24, full: 36,
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
		name: "Fly token", prefixes: []string{"fm1r_", "fm1a_", "fm2_"}, body: token68, least: 40, full: 100,
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
	{
		name: "Pulumi token", prefixes: []string{"pul-"}, body: lowerHex, least: 24, full: 40,
		example: madeHex[:40], counter: "pul-feed",
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
		name: "Databricks token", prefixes: []string{"dapi"}, body: lowerHex, least: 28, full: 32, quiet: true,
		example: madeHex[:32], counter: "dapi_driver",
	},
	{
		name: "Grafana token", prefixes: []string{"glsa_"}, body: word, least: 24, full: 41,
		example: madeMixed[:32] + "_" + madeHex[:8], counter: "glsa_name",
	},
	{
		name: "Grafana cloud token", prefixes: []string{"glc_"}, body: token68, least: 40, full: 60, mixed: true,
		example: "eyJ" + madeMixed[:80], counter: "glc_context_create_from_display/and/surface",
	},
	{
		name: "Sentry token", prefixes: []string{"sntrys_", "sntryu_"}, body: token68, least: 32, full: 64,
		example: "eyJ" + madeMixed[:60] + "_" + madeMixed[60:103], counter: "sntrys_region",
	},
	{
		name: "Atlassian token", prefixes: []string{"ATATT3xFfGF0", "ATCTT3xFfG"}, body: token68, least: 32, full: 100, readable: 5,
		example: madeMixed[:110] + "=" + madeUpperHex[:8], counter: "ATATT3xFfGF0",
	},
	{
		name: "Bitbucket app password", prefixes: []string{"ATBB"}, body: alnum, least: 24, full: 32, quiet: true, mixed: true,
		example: madeMixed[:32], counter: "ATBBoardOfTheWholeCompany",
	},
	{ // an id of 14 characters, a dot, and 64 of hexadecimal
		name: "Airtable token", prefixes: []string{"pat"}, body: dotted, least: 60, quiet: true, mixed: true,
		example: madeMixed[:14] + "." + madeHex[:64], counter: "pattern.matching.of.a.very.long.dotted.name.in.some.package.or.other",
	},
	{ // behind the number of the bot
		name: "Telegram bot token", prefixes: []string{":AA"}, body: url, least: 30, full: 30, quiet: true, mixed: true,
		example: madeMixed[:33], counter: ":AA",
	},
	{
		name: "Linear key", prefixes: []string{"lin_api_"}, body: alnum, least: 24, full: 40,
		example: madeMixed[:40], counter: "lin_api_client",
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
		name: "Postman key", prefixes: []string{"PMAK-"}, body: url, least: 24, full: 59,
		example: madeHex[:24] + "-" + madeHex[24:58], counter: "PMAK-key",
	},
	{
		name: "New Relic key", prefixes: []string{"NRAK-"}, body: upper, least: 20, full: 27,
		example: madeUpper[:27], counter: "NRAK-KEY",
	},
	{
		name: "Dynatrace token", prefixes: []string{"dt0c01.", "dt0s01.", "dt0s16."}, body: dotted, least: 24, full: 89,
		example: madeBase32[:24] + "." + madeUpper + madeBase32[:4], counter: "dt0c01.example",
	},
	{
		name: "PostHog key", prefixes: []string{"phx_"}, body: alnum, least: 32, full: 41,
		example: madeMixed[:43], counter: "phx_router",
	},
	{
		name: "Heroku key", prefixes: []string{"HRKU-AA"}, body: url, least: 24, full: 58, readable: 5,
		example: madeMixed[:58], counter: "HRKU-AA",
	},
	{
		name: "Sourcegraph token", prefixes: []string{"sgp_"}, body: word, least: 36, full: 40, mixed: true,
		example: madeHex[:16] + "_" + madeHex[16:56], counter: "sgp_register_write_with_mask_and_delay_now",
	},
	{
		name: "Sonar token", prefixes: []string{"squ_", "sqp_", "sqa_"}, body: lowerHex, least: 24, full: 40,
		example: madeHex[:40], counter: "sqp_face",
	},
	{
		name: "Buildkite token", prefixes: []string{"bkua_"}, body: alnum, least: 24, full: 40,
		example: madeHex[:40], counter: "bkua_name",
	},
	{
		name: "CircleCI token", prefixes: []string{"CCIPAT_"}, body: word, least: 24, full: 63,
		example: madeMixed[:22] + "_" + madeHex[:40], counter: "CCIPAT_NAME",
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
		name: "Neon key", prefixes: []string{"napi_"}, body: alnum, least: 40, full: 64,
		example: madeMixed[:64], counter: "napi_schedule_prep",
	},
	{
		name: "Render key", prefixes: []string{"rnd_"}, body: alnum, least: 24, full: 28, quiet: true, mixed: true,
		example: madeMixed[:28], counter: "rnd_seed",
	},
	{
		name: "Prefect key", prefixes: []string{"pnu_"}, body: alnum, least: 28, full: 36,
		example: madeMixed[:36], counter: "pnu_name",
	},
	{
		name: "Deno token", prefixes: []string{"ddp_"}, body: alnum, least: 28, full: 36,
		example: madeMixed[:36], counter: "ddp_table",
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
		name: "Artifactory key", prefixes: []string{"AKCp"}, body: alnum, least: 56, full: 69, quiet: true,
		example: madeMixed[:69], counter: "AKCprojekt",
	},
	{
		name: "age key", prefixes: []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"}, body: upper, least: 16, full: 58,
		example: madeUpper[:58], counter: "AGE-SECRET-KEY-1",
	},
}
