package mask

// Where language models are.
var modelFamilies = []family{
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
		name: "Langfuse key", prefixes: []string{"sk-lf-"}, body: url, least: 16, fits: fitsUUID,
		example: "4f9a1c7e-0b3d-8256-f7a9-c1e3b5d70824", counter: "sk-lf-left-column-of-page",
	},
	{
		name: "xAI key", prefixes: []string{"xai-"}, body: alnum, least: 32, full: 80,
		example: madeMixed[:80], counter: "xai-explainable",
	},
	{
		name: "Groq key", prefixes: []string{"gsk_"}, body: alnum, least: 24,
		example: madeMixed[:52], counter: "gsk_renderer_new",
	},
	{
		name: "Perplexity key", prefixes: []string{"pplx-"}, body: alnum, least: 24, full: 48,
		example: madeMixed[:48], counter: "pplx-70b-online",
	},
	{
		name: "Replicate token", prefixes: []string{"r8_"}, body: alnum, least: 28, full: 37,
		example: madeMixed[:37], counter: "r8_unorm_pixel",
	},
	{
		name: "ElevenLabs key", prefixes: []string{"sk_"}, body: lowerHex, least: 40,
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
		name: "Firecrawl key", prefixes: []string{"fc-"}, body: lowerHex, least: 24,
		example: madeHex[:32], counter: "fc-cache",
	},
	{
		name: "Jina key", prefixes: []string{"jina_"}, body: alnum, least: 40, full: 60,
		example: madeMixed[:60], counter: "jina_embeddings",
	},
	{
		name: "Hugging Face token", prefixes: []string{"hf_", "api_org_"}, body: alnum, least: 28,
		example: madeMixed[:34], counter: "hf_hub_download",
	},
	{
		name: "Cursor key", prefixes: []string{"key_"}, body: lowerHex, least: 64, most: 64,
		example: madeHex[:64], counter: "key_deadbeef",
	},
}
