module paicode

go 1.26.5

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/xrash/smetrics v0.0.0-20250705151800-55b8f293f342
)

require golang.org/x/text v0.14.0 // indirect
