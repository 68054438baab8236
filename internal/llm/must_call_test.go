package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMustCall proves how both wires are told that a tool has to be called, and that its
// arguments fit its schema where the schema is one that the wire takes so.
func TestMustCall(t *testing.T) {
	strict := Tool{Name: "weather", Strict: true, Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)}
	loose := strict
	loose.Parameters = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)
	for name, tt := range map[string]struct {
		in              Request
		chat, responses string
		strict          bool
	}{
		"any":         {Request{Tools: []Tool{strict}, MustCall: AnyTool}, `"tool_choice":"required"`, `"tool_choice":"required"`, true},
		"one":         {Request{Tools: []Tool{strict}, MustCall: "weather"}, `"tool_choice":{"type":"function","function":{"name":"weather"}}`, `"tool_choice":{"name":"weather","type":"function"}`, true},
		"none may be": {Request{Tools: []Tool{loose}, MustCall: "weather", NoTools: true}, `"tool_choice":"none"`, `"tool_choice":"none"`, false},
	} {
		chat, err := chatRequest(tt.in, Provider{Model: "m"}, 10, &encodedTools{})
		if err != nil {
			t.Fatal(err)
		}
		for _, wire := range []struct {
			body any
			want string
		}{{chat, tt.chat}, {responsesRequest(tt.in, Provider{Model: "m"}, 10), tt.responses}} {
			raw, err := json.Marshal(wire.body)
			if err != nil || !strings.Contains(string(raw), wire.want) || strings.Contains(string(raw), `"strict":true`) != tt.strict {
				t.Errorf("%s: %s, %v; want %s", name, raw, err, wire.want)
			}
		}
	}
}
