package config

import _ "embed"

//go:embed schema.json
var schema string

// Schema returns the JSON Schema of errand.yaml, for editors. It has the keys and the kinds
// of their values; whether they fit together, only [Load] says.
func Schema() string { return schema }
