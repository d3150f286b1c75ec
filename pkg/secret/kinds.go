package secret

// kind is one kind of secret. All of its pattern is on one line.
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
		{name: "AWS access key", keywords: "AKIA ASIA", pattern: `A[KS]IA[0-9A-Z]{16}`},
		{name: "AWS secret key", keywords: "ccess",
			pattern: `(?i)secret[_-]?access[_-]?key["'\])]*[ \t]*[:=,>(]{1,3}[ \t]*["']?([0-9A-Za-z/+]{40})(?:[^0-9A-Za-z/+]|$)`},
		{name: "AWS secret key", keywords: "wJalr", pattern: `wJalrXUtnFEMI/K7MDENG/[0-9A-Za-z]{17}`}, // the manual's own
		{name: "GitHub token", keywords: "ghp_ gho_ ghu_ ghs_ ghr_", pattern: `gh[pousr]_[0-9A-Za-z]{36,255}`},
		{name: "GitHub token", keywords: "github_pat_", pattern: `github_pat_[0-9A-Za-z_]{22,255}`},
		{name: "GitLab token", keywords: "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-",
			pattern: `gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[0-9A-Za-z_.-]{20,}`},
		{name: "Slack token", keywords: "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-",
			pattern: `xox[abeoprs]-[0-9A-Za-z-]{10,}`},
		{name: "Slack token", keywords: "xapp-", pattern: `xapp-[0-9A-Za-z-]{20,}`},
		{name: "Slack webhook", keywords: "hooks.slack.com/",
			pattern: `hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z/+_-]{20,})`},
		{name: "Discord webhook", keywords: "/api/webhooks/", pattern: `/api/webhooks/[0-9]{15,}/([0-9A-Za-z_-]{40,})`},
		{name: "Google API key", keywords: "AIza", pattern: `AIza[0-9A-Za-z_-]{35}`},
		{name: "Google OAuth secret", keywords: "GOCSPX-", pattern: `GOCSPX-[0-9A-Za-z_-]{20,}`},
		{name: "Google OAuth token", keywords: "ya29.", pattern: `ya29\.[0-9A-Za-z_-]{20,}`},
		{name: "Azure key", keywords: "AccountKey=", pattern: `AccountKey=([0-9A-Za-z+/]{40,}={0,2})`},
		{name: "Azure key", keywords: "SharedAccessKey=", pattern: `SharedAccessKey=([0-9A-Za-z+/]{40,}={0,2})`},
		{name: "Azure signature", keywords: "sig=", pattern: `[?&]sig=([0-9A-Za-z%+/]{43,}={0,2})`},
		{name: "Azure client secret", keywords: "Q~", pattern: `[0-9A-Za-z_~.]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34}`},
		// OpenAI, Anthropic, OpenRouter, DeepSeek
		{name: "API key", keywords: "sk-",
			pattern: `(?:^|[^0-9A-Za-z]|\\[nrt])(sk-(?:[a-z0-9]{2,10}-)?(?:[a-z0-9]{2,6}-)?[0-9A-Za-z_]{20,}[0-9A-Za-z_-]*)`},
		{name: "API key", keywords: "gsk_", pattern: `gsk_[0-9A-Za-z]{20,}`},
		{name: "API key", keywords: "xai-", pattern: `xai-[0-9A-Za-z]{40,}`},
		{name: "API key", keywords: "pplx-", pattern: `pplx-[0-9A-Za-z]{40,}`},
		{name: "Stripe key", keywords: "k_live_ k_test_ k_prod_", pattern: `[sr]k_(?:live|test|prod)_[0-9A-Za-z]{10,}`},
		{name: "Stripe webhook secret", keywords: "whsec_", pattern: `whsec_[0-9A-Za-z+/]{24,}`},
		{name: "Square token", keywords: "sq0atp- sq0csp- sq0idp-", pattern: `sq0[a-z]{3}-[0-9A-Za-z_-]{22,}`},
		{name: "Shopify token", keywords: "shpat_ shpca_ shppa_ shpss_", pattern: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`},
		{name: "Twilio key", keywords: "SK", pattern: `SK[0-9a-f]{32}`},
		{name: "SendGrid key", keywords: "SG.", pattern: `SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{16,64}`},
		{name: "Mailgun key", keywords: "key-", pattern: `key-[0-9a-f]{32}`},
		{name: "Telegram token", keywords: ":AA", pattern: `[0-9]{8,10}:AA[0-9A-Za-z_-]{32,34}`},
		{name: "npm token", keywords: "npm_", pattern: `npm_[0-9A-Za-z]{36}`},
		{name: "npm token", keywords: ":_",
			pattern: `(?i):_(?:authToken|auth|password)(?:\[\])?[ \t]*=[ \t]*["']?([^\s"']{4,})`, template: true},
		{name: "npm token", keywords: "_auth _password _AUTH",
			pattern: `(?:^|\n)[ \t;#]*_(?:authToken|auth|password|AUTHTOKEN)[ \t]*=[ \t]*["']?([0-9A-Za-z+/_-]{3,}[0-9=][0-9A-Za-z+/=_-]{3,})["']?[ \t]*(?:\r?\n|$)`, template: true},
		{name: "npm token", keywords: "npmAuth", pattern: `npmAuth(?:Token|Ident)["']?[ \t]*:[ \t]*["']?([^\s"']{8,})`,
			template: true},
		{name: "PyPI token", keywords: "pypi-", pattern: `pypi-[0-9A-Za-z_-]{50,}`},
		{name: "RubyGems key", keywords: "rubygems_", pattern: `rubygems_[0-9a-f]{48}`},
		{name: "NuGet key", keywords: "oy2", pattern: `\boy2[0-9a-z]{43}`},
		{name: "Docker token", keywords: "dckr_", pattern: `dckr_[a-z]{3}_[0-9A-Za-z_-]{20,}`},
		{name: "Hugging Face token", keywords: "hf_", pattern: `hf_[0-9A-Za-z]{30,}`},
		{name: "Replicate token", keywords: "r8_", pattern: `r8_[0-9A-Za-z]{37,}`},
		{name: "DigitalOcean token", keywords: "_v1_", pattern: `do[opr]_v1_[0-9a-f]{64}`},
		{name: "Databricks token", keywords: "dapi", pattern: `dapi[0-9a-f]{32}`},
		{name: "Vault token", keywords: "hvs. hvb. hvr.", pattern: `hv[sbr]\.[0-9A-Za-z_-]{20,}`},
		{name: "Terraform token", keywords: ".atlasv1.", pattern: `[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,}`},
		{name: "Grafana token", keywords: "glsa_ glc_", pattern: `gl(?:sa|c)_[0-9A-Za-z+/_=]{32,}`},
		{name: "New Relic key", keywords: "NRAK-", pattern: `NRAK-[0-9A-Z]{27}`},
		{name: "Sentry token", keywords: "sntrys_ sntryu_", pattern: `sntry[su]_[0-9A-Za-z+/=_-]{40,}`},
		{name: "Linear key", keywords: "lin_api_", pattern: `lin_api_[0-9A-Za-z]{32,}`},
		{name: "Notion token", keywords: "ntn_", pattern: `ntn_[0-9A-Za-z]{40,}`},
		{name: "Postman key", keywords: "PMAK-", pattern: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
		{name: "Supabase token", keywords: "sbp_ sb_secret_", pattern: `sb(?:p|_secret)_[0-9A-Za-z_-]{30,}`},
		{name: "PlanetScale token", keywords: "pscale_", pattern: `pscale_(?:tkn|oauth|pw)_[0-9A-Za-z_.=-]{32,}`},
		{name: "Figma token", keywords: "figd_", pattern: `figd_[0-9A-Za-z_-]{30,}`},
		{name: "Doppler token", keywords: "dp.", pattern: `dp\.(?:pt|st|sa|ct|scim|audit)\.[0-9A-Za-z_.-]{40,}`},
		{name: "Fly token", keywords: "fm1_ fm1a_ fm1r_ fm2_ fo1_", pattern: `f(?:m[12][ar]?|o1)_[0-9A-Za-z+/=_-]{40,}`},
		{name: "Atlassian token", keywords: "ATATT3", pattern: `ATATT3[0-9A-Za-z_=-]{60,}`},
		{name: "AWS session token", keywords: "ession",
			pattern: `(?i)aws_?session_?token["'\])]*[ \t]*[:=,>(]{1,3}[ \t]*["']?([0-9A-Za-z/+=]{40,})`},
		{name: "Tailscale key", keywords: "tskey-", pattern: `tskey-[a-z]+-[0-9A-Za-z-]{16,}`},
		{name: "Square token", keywords: "EAAA", pattern: `EAAA[0-9A-Za-z_-]{56,}`},
		{name: "Pulumi token", keywords: "pul-", pattern: `pul-[0-9a-f]{40}`},
		{name: "crates.io token", keywords: "cio", pattern: `cio[0-9A-Za-z]{32}`},
		{name: "Age key", keywords: "AGE-SECRET-KEY-1", pattern: `AGE-SECRET-KEY-1[0-9A-Z]{50,}`},
		{name: "JWT", keywords: "eyJ", pattern: `eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{4,}\.[0-9A-Za-z_-]{8,}`},
		{name: "credentials of a request", keywords: "uthorization",
			pattern: `(?i)authorization["'\]]*[ \t]*[:=,][ \t]*["']?(?:bearer|basic|token)[ \t]+([0-9A-Za-z._~+/-]{16,}=*)`},
		{name: "password in a URL", keywords: "://",
			pattern: `[A-Za-z][0-9A-Za-z+.-]*://[^\s/:@'"<>` + "`" + `]*:([^\s/'"<>` + "`" + `]+)@`, template: true},
		{name: "password in a URL", keywords: "://",
			pattern:  `[A-Za-z][0-9A-Za-z+.-]*://[^\s/:@'"<>` + "`" + `]*:([^\s@'"<>` + "`" + `]*/[^\s@'"<>` + "`" + `]*)@`,
			template: true},
	}
}
