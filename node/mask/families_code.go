package mask

// Where programs are kept, built, published and watched.
var codeFamilies = []family{
	{
		name: "GitHub token", prefixes: []string{"ghp_", "gho_", "ghu_"}, body: alnum, least: 16, full: 36, sum: sumBase62,
		example: withBase62(madeMixed[:30]), counter: "ghp_short",
	},
	{
		name: "GitHub refresh token", prefixes: []string{"ghr_"}, body: alnum, least: 16, full: 36,
		example: madeMixed[:76], counter: "ghr_rate_limit",
	},
	{ // also the stateless form: an application, _ and a JWT
		name: "GitHub server token", prefixes: []string{"ghs_"}, body: dotted, least: 16, full: 36, mixed: true, sum: sumBase62,
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
		body:     dotted, least: 16, full: 20, sum: sumGitLab, example: madeMixed[:20], counter: "glpat-example",
	},
	{
		name: "GitLab runner registration", prefixes: []string{"GR1348941"}, body: url, least: 16, full: 20,
		example: madeMixed[:20], counter: "GR1348941",
	},
	{
		name: "npm token", prefixes: []string{"npm_"}, body: alnum, least: 24, full: 36, sum: sumBase62,
		example: withBase62(madeMixed[:30]), counter: "npm_config_registry",
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
		name: "RubyGems key", prefixes: []string{"rubygems_"}, body: lowerHex, least: 24, most: 48,
		example: madeHex[:48], counter: "rubygems_version",
	},
	{
		name: "Pulumi token", prefixes: []string{"pul-"}, body: lowerHex, least: 24, most: 40,
		example: madeHex[:40], counter: "pul-feed",
	},
	{
		name: "Grafana token", prefixes: []string{"glsa_"}, body: word, least: 24, full: 41, sum: sumGrafana,
		example: madeMixed[:32] + "_" + "c47c51f5", counter: "glsa_name",
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
		name: "Bitbucket app password", prefixes: []string{"ATBB"}, body: alnum, least: 24, whole: true, mixed: true,
		example: madeMixed[:32], counter: "ATBBoardOfTheWholeCompany",
	},
	{
		name: "Linear key", prefixes: []string{"lin_api_"}, body: alnum, least: 24, full: 40,
		example: madeMixed[:40], counter: "lin_api_client",
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
		name: "Sourcegraph token", prefixes: []string{"sgp_"}, body: word, least: 36, mixed: true,
		example: madeHex[:16] + "_" + madeHex[16:56], counter: "sgp_register_write_with_mask_and_delay_now",
	},
	{
		name: "Sonar token", prefixes: []string{"squ_", "sqp_", "sqa_"}, body: lowerHex, least: 24, most: 40,
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
		name: "Prefect key", prefixes: []string{"pnu_"}, body: alnum, least: 28,
		example: madeMixed[:36], counter: "pnu_name",
	},
	{
		name: "Deno token", prefixes: []string{"ddp_"}, body: alnum, least: 28,
		example: madeMixed[:36], counter: "ddp_table",
	},
	{
		name: "Artifactory key", prefixes: []string{"AKCp"}, body: alnum, least: 56, most: 80,
		example: madeMixed[:69], counter: "AKCprojekt",
	},
	{
		name: "Bitbucket token of a project", prefixes: []string{"BBDC-"}, body: base64Std, least: 36, full: 44,
		example: madeMixed[:44], counter: "BBDC-mirror",
	},
	{
		name: "NuGet key", prefixes: []string{"oy2"}, body: lowerAlnum, least: 43, most: 43, whole: true, mixed: true,
		example: madeLower[:43], counter: "oy2mm",
	},
	{
		name: "Rust registry token", prefixes: []string{"cio"}, body: alnum, least: 32, most: 32, mixed: true,
		example: madeMixed[:32], counter: "ciosGeneratedBindingsOfTheMachine",
	},
	{ // base64 of "reft"
		name: "Artifactory reference token", prefixes: []string{"cmVmd"}, body: alnum, least: 59, most: 59, mixed: true,
		example: madeMixed[:59], counter: "cmVmdA",
	},
	{ // base64 of {"k":"
		name: "Grafana key of old", prefixes: []string{"eyJrIjoi"}, body: token68, least: 60, most: 120,
		example: madeMixed[:80] + "==", counter: "eyJrIjoi",
	},
}
