package mcpclient

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestCleanSchema proves that what providers refuse in a schema is converted to what they take,
// and that a tool is left out whose schema cannot be.
func TestCleanSchema(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	for name, tt := range map[string]struct{ in, want, problem string }{
		"nothing":      {`null`, `{"properties":{},"type":"object"}`, ""},
		"a text":       {`{"type":"string"}`, "", "no JSON Schema of an object"},
		"a tuple":      {property(`{"type":"array","items":[{"type":"string"},{"type":"number"}],"additionalItems":false,"minItems":2}`), property(`{"description":"The items are in the order of anyOf.","items":{"anyOf":[{"type":"string"},{"type":"number"}]},"maxItems":2,"minItems":2,"type":"array"}`), ""},
		"prefixItems":  {property(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`), property(`{"description":"The items are in the order of anyOf.","items":{"anyOf":[{"type":"string"}]},"maxItems":1,"type":"array"}`), ""},
		"no items":     {property(`{"type":["array","null"]}`), property(`{"items":{},"type":["array","null"]}`), ""},
		"draft 4":      {property(`{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}`), property(`{"exclusiveMinimum":1,"maximum":9,"type":"number"}`), ""},
		"draft 3":      {property(`{"type":"any","required":true}`), `{"properties":{"a":{}},"required":["a"],"type":"object"}`, ""},
		"wrong values": {property(`{"type":"string","minLength":"2","pattern":7,"enum":[],"anyOf":[],"additionalProperties":"no"}`), property(`{"type":"string"}`), ""},
		"references":   {`{"$defs":{"b":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/b"},"c":{"$ref":"#/$defs/d"},"e":{"$ref":"https://x.test/"}}}`, `{"$defs":{"b":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/b"},"c":{},"e":{}},"type":"object"}`, ""},
		"moved references": {
			`{"oneOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"b":{"$ref":"#/oneOf/0/properties/a","description":"x"},"c":{"items":[{"$ref":"#/properties/d/items/0"}]},"d":{"items":[{"type":"string"}]},"e":{"properties":{"$ref":{"$ref":"#/properties/b"}}}}}`,
			`{"properties":{"a":{"type":"string"},"b":{"description":"x"},"c":{"description":"The items are in the order of anyOf.","items":{"anyOf":[{}]},"maxItems":1},"d":{"description":"The items are in the order of anyOf.","items":{"anyOf":[{"type":"string"}]},"maxItems":1},"e":{"properties":{"$ref":{"$ref":"#/properties/b"}}}},"type":"object"}`, "",
		},
		"anyOf on top":  {`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"},"b":{}},"required":["a","b"]},{"properties":{"a":{"type":"number"}},"required":["a"]}]}`, `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]},"b":{}},"required":["a"],"type":"object"}`, ""},
		"allOf on top":  {`{"allOf":[{"$ref":"#/$defs/x"},{"properties":{"b":{}},"required":["b"]}],"$defs":{"x":{"properties":{"a":{}},"required":["a"]}}}`, `{"$defs":{"x":{"properties":{"a":{}},"required":["a"]}},"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`, ""},
		"a name":        {`{"properties":{"user name":{}}}`, "", `no parameter with the name "user name"`},
		"no schema":     {property(`"string"`), "", "no JSON Schema"},
		"hidden name":   {property(`{"properties":{"b\u200b":{}}}`), "", "cannot be seen"},
		"hidden values": {property(`{"description":"x\u202ey","enum":["q\udb40\udc41"," "],"default":{"k\u200b":"v\u200b"}}`), property(`{"default":{"k":"v"},"description":"xy","enum":["q"," "]}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var schema any
			if err := json.Unmarshal([]byte(tt.in), &schema); err != nil {
				t.Fatal(err)
			}
			got, err := cleanSchema(schema)
			if err != nil && (tt.problem == "" || !strings.Contains(err.Error(), tt.problem)) || err == nil && tt.problem != "" {
				t.Fatalf("the error is %v, want %q", err, tt.problem)
			}
			var x, y any
			if err == nil && (json.Unmarshal(got, &x) != nil || json.Unmarshal([]byte(tt.want), &y) != nil || !reflect.DeepEqual(x, y)) {
				t.Errorf("it becomes %s, want %s", got, tt.want)
			}
		})
	}
}
