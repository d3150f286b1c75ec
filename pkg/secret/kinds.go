package secret

// kind is one kind of secret. All of its pattern stands on one line.
type kind struct {
	name     string
	keywords string // without one of them in the text the pattern is not tried; blanks between them
	pattern  string // RE2; its first group is the secret, else all of it
	template bool   // a value that begins like a variable of a template is none
}

// kinds are the secrets that have a form of their own, by what their issuers document
// and what gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml) looks for. What
// merely looks random is none: a hash that is withheld costs a model more than it saves.
func kinds() []kind {
	return []kind{
		{name: "AWS access key", keywords: "AKIA ASIA", pattern: `\bA[KS]IA[0-9A-Z]{16}\b`},
		{name: "AWS secret key", keywords: "ccess", pattern: `(?i)secret[_-]?access[_-]?key["'\])]*[ \t]*[:=,>(]{1,3}[ \t]*["']?([0-9A-Za-z/+]{40})(?:[^0-9A-Za-z/+]|$)`},
		{name: "AWS secret key", keywords: "wJalr", pattern: `\bwJalrXUtnFEMI/K7MDENG/[0-9A-Za-z]{17}\b`}, // the manual's own
		{name: "GitHub token", keywords: "ghp_ gho_ ghu_ ghs_ ghr_", pattern: `\bgh[pousr]_[0-9A-Za-z]{36,255}\b`},
		{name: "GitHub token", keywords: "github_pat_", pattern: `\bgithub_pat_[0-9A-Za-z_]{22,255}\b`},
		{name: "GitLab token", keywords: "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-", pattern: `\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[0-9A-Za-z_.-]{20,}`},
		{name: "Slack token", keywords: "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", pattern: `\bxox[abeoprs]-[0-9A-Za-z-]{10,}`},
		{name: "Slack token", keywords: "xapp-", pattern: `\bxapp-[0-9A-Za-z-]{20,}`},
		{name: "Slack webhook", keywords: "hooks.slack.com/", pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z/+_-]{20,})`},
		{name: "Discord webhook", keywords: "/api/webhooks/", pattern: `/api/webhooks/[0-9]{15,}/([0-9A-Za-z_-]{40,})`},
		{name: "Google API key", keywords: "AIza", pattern: `\bAIza[0-9A-Za-z_-]{35}`},
		{name: "Google OAuth secret", keywords: "GOCSPX-", pattern: `\bGOCSPX-[0-9A-Za-z_-]{20,}`},
		{name: "Google OAuth token", keywords: "ya29.", pattern: `\bya29\.[0-9A-Za-z_-]{20,}`},
		{name: "Azure key", keywords: "AccountKey=", pattern: `AccountKey=([0-9A-Za-z+/]{40,}={0,2})`},
		{name: "Azure key", keywords: "SharedAccessKey=", pattern: `SharedAccessKey=([0-9A-Za-z+/]{40,}={0,2})`},
		{name: "Azure signature", keywords: "sig=", pattern: `[?&]sig=([0-9A-Za-z%+/]{43,}={0,2})`},
		{name: "Azure client secret", keywords: "Q~", pattern: `\b[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}`},
		{name: "API key", keywords: "sk-", pattern: `\bsk-(?:[a-z0-9]{2,10}-)?(?:[a-z0-9]{2,6}-)?[0-9A-Za-z_]{20,}[0-9A-Za-z_-]*`}, // OpenAI, Anthropic, OpenRouter, DeepSeek
		{name: "API key", keywords: "gsk_", pattern: `\bgsk_[0-9A-Za-z]{20,}\b`},
		{name: "API key", keywords: "xai-", pattern: `\bxai-[0-9A-Za-z]{40,}\b`},
		{name: "API key", keywords: "pplx-", pattern: `\bpplx-[0-9A-Za-z]{40,}\b`},
		{name: "Stripe key", keywords: "k_live_ k_test_ k_prod_", pattern: `\b[sr]k_(?:live|test|prod)_[0-9A-Za-z]{10,}\b`},
		{name: "Stripe webhook secret", keywords: "whsec_", pattern: `\bwhsec_[0-9A-Za-z+/]{24,}`},
		{name: "Square token", keywords: "sq0atp- sq0csp- sq0idp-", pattern: `\bsq0[a-z]{3}-[0-9A-Za-z_-]{22,}`},
		{name: "Shopify token", keywords: "shpat_ shpca_ shppa_ shpss_", pattern: `\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b`},
		{name: "Twilio key", keywords: "SK", pattern: `\bSK[0-9a-f]{32}\b`},
		{name: "SendGrid key", keywords: "SG.", pattern: `\bSG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{16,64}`},
		{name: "Mailgun key", keywords: "key-", pattern: `\bkey-[0-9a-f]{32}\b`},
		{name: "Telegram token", keywords: ":AA", pattern: `\b[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}`},
		{name: "npm token", keywords: "npm_", pattern: `\bnpm_[0-9A-Za-z]{36}\b`},
		{name: "npm token", keywords: ":_", pattern: `:_(?:authToken|auth|password)[ \t]*=[ \t]*["']?([^\s"']{8,})`, template: true},
		{name: "PyPI token", keywords: "pypi-", pattern: `\bpypi-[0-9A-Za-z_-]{50,}`},
		{name: "RubyGems key", keywords: "rubygems_", pattern: `\brubygems_[0-9a-f]{48}\b`},
		{name: "NuGet key", keywords: "oy2", pattern: `\boy2[0-9a-z]{43}\b`},
		{name: "Docker token", keywords: "dckr_", pattern: `\bdckr_[a-z]{3}_[0-9A-Za-z_-]{20,}`},
		{name: "Hugging Face token", keywords: "hf_", pattern: `\bhf_[0-9A-Za-z]{30,}\b`},
		{name: "Replicate token", keywords: "r8_", pattern: `\br8_[0-9A-Za-z]{37,}\b`},
		{name: "DigitalOcean token", keywords: "_v1_", pattern: `\bdo[opr]_v1_[0-9a-f]{64}\b`},
		{name: "Databricks token", keywords: "dapi", pattern: `\bdapi[0-9a-f]{32}\b`},
		{name: "Vault token", keywords: "hvs. hvb. hvr.", pattern: `\bhv[sbr]\.[0-9A-Za-z_-]{20,}`},
		{name: "Terraform token", keywords: ".atlasv1.", pattern: `\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}`},
		{name: "Grafana token", keywords: "glsa_ glc_", pattern: `\bgl(?:sa|c)_[0-9A-Za-z+/_=]{32,}`},
		{name: "New Relic key", keywords: "NRAK-", pattern: `\bNRAK-[0-9A-Z]{27}\b`},
		{name: "Sentry token", keywords: "sntrys_ sntryu_", pattern: `\bsntry[su]_[0-9A-Za-z+/=_-]{40,}`},
		{name: "Linear key", keywords: "lin_api_", pattern: `\blin_api_[0-9A-Za-z]{32,}\b`},
		{name: "Notion token", keywords: "ntn_", pattern: `\bntn_[0-9A-Za-z]{40,}\b`},
		{name: "Postman key", keywords: "PMAK-", pattern: `\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b`},
		{name: "Supabase token", keywords: "sbp_ sb_secret_", pattern: `\bsb(?:p|_secret)_[0-9A-Za-z_-]{30,}`},
		{name: "PlanetScale token", keywords: "pscale_", pattern: `\bpscale_(?:tkn|oauth|pw)_[0-9A-Za-z_.=-]{32,}`},
		{name: "Figma token", keywords: "figd_", pattern: `\bfigd_[0-9A-Za-z_-]{30,}`},
		{name: "Doppler token", keywords: "dp.", pattern: `\bdp\.(?:pt|st|sa|ct|scim|audit)\.[0-9A-Za-z_.-]{40,}`},
		{name: "Fly token", keywords: "fm1_ fm1a_ fm1r_ fm2_", pattern: `\bfm[12][ar]?_[0-9A-Za-z+/=]{60,}`},
		{name: "Atlassian token", keywords: "ATATT3", pattern: `\bATATT3[0-9A-Za-z_=-]{60,}`},
		{name: "Age key", keywords: "AGE-SECRET-KEY-1", pattern: `\bAGE-SECRET-KEY-1[0-9A-Z]{50,}\b`},
		{name: "JWT", keywords: "eyJ", pattern: `\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{4,}\.[0-9A-Za-z_-]{8,}`},
		{name: "credentials of a request", keywords: "uthorization", pattern: `(?i)authorization["'\]]*[ \t]*[:=,][ \t]*["']?(?:bearer|basic|token)[ \t]+([0-9A-Za-z._~+/-]{16,}=*)`},
		{name: "password in a URL", keywords: "://", pattern: `[A-Za-z][0-9A-Za-z+.-]*://[^\s/:@'"<>` + "`" + `]*:([^\s/'"<>` + "`" + `]+)@`, template: true},
	}
}
