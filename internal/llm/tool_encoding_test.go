package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEncodedTools proves that a tool is encoded once, that one that has changed is
// encoded anew, and that what is kept is bounded.
func TestEncodedTools(t *testing.T) {
	var e encodedTools
	tool := Tool{Name: "look_up", Description: "Looks up.", Parameters: json.RawMessage(`{"type": "object"}`)}
	first, err := e.encode(tool)
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "function", "function": {"name": "look_up", "description": "Looks up.", "parameters": {"type": "object"}}}`, string(first))
	again, err := e.encode(Tool{Name: "look_up", Description: "Looks up.", Parameters: json.RawMessage(`{"type": "object"}`)})
	require.NoError(t, err)
	require.Same(t, &first[0], &again[0], "it was encoded twice")

	for _, changed := range []Tool{
		{Name: "find", Description: tool.Description, Parameters: tool.Parameters},
		{Name: tool.Name, Description: "Finds.", Parameters: tool.Parameters},
		{Name: tool.Name, Description: tool.Description, Parameters: json.RawMessage(`{"type": "object", "properties": {}}`)},
	} {
		other, err := e.encode(changed)
		require.NoError(t, err)
		require.NotEqual(t, string(first), string(other))
	}

	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := e.encode(tool); err != nil {
			t.Fatal(err)
		}
	}), "nothing is copied to find it")

	for i := range 2*maxEncodedTools + 1 {
		before := len(e.known)
		_, err := e.encode(Tool{Name: fmt.Sprint("tool", i)})
		require.NoError(t, err)
		require.Len(t, e.known, min(before+1, maxEncodedTools), "few are dropped")
	}
	_, err = e.encode(Tool{Name: "broken", Parameters: json.RawMessage(`{`)})
	require.Error(t, err)
}

// BenchmarkTools is the body of a request with 20 tools of two kilobytes each.
func BenchmarkTools(b *testing.B) {
	r := Request{System: "x"}
	for i := range 20 {
		r.Tools = append(r.Tools, Tool{Name: fmt.Sprint("tool", i), Description: strings.Repeat("It finds things. ", 10),
			Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","description":"` + strings.Repeat("what to find, ", 130) + `"}}}`)})
	}
	p := &provider{tools: new(encodedTools)}
	b.ReportAllocs()
	for b.Loop() {
		request, err := chatRequest(r, p.Provider, 0, p.tools)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(request); err != nil {
			b.Fatal(err)
		}
	}
}
