package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/llm/llmtest"
)

// TestRefusedTool proves that a tool of an MCP server which a provider refuses is left out, and
// the request made once more, then and from then on; and that no tool of errand's own is.
func TestRefusedTool(t *testing.T) {
	for name, tt := range map[string]struct {
		tools  []llm.Tool
		says   string
		answer string
		calls  int // for two requests
	}{
		"named":       {[]llm.Tool{{Name: "plan"}, {Name: "mine__odd", Foreign: true}}, "Invalid schema for function 'mine__odd': [] is not of type 'object'", "ok", 3},
		"by place":    {[]llm.Tool{{Name: "plan"}, {Name: "mine__odd", Foreign: true}}, "tools.1.custom.input_schema: JSON schema is invalid", "ok", 3},
		"errand's":    {[]llm.Tool{{Name: "plan"}, {Name: "odd"}}, "Invalid schema for function 'odd'", "", 2},
		"none":        {[]llm.Tool{{Name: "mine__odd", Foreign: true}}, "Unknown parameter: 'user'", "", 2},
		"one of many": {[]llm.Tool{{Name: "mine__odd", Foreign: true}, {Name: "your__odd", Foreign: true}}, "Invalid schema for function 'mine__odd'", "ok", 3},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			p := llm.Provider{Name: "first", Model: "m", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				raw, _ := io.ReadAll(r.Body)
				var body struct {
					Tools []struct{ Function struct{ Name string } }
				}
				require.NoError(t, json.Unmarshal(raw, &body))
				refused := tt.answer == "" || slices.ContainsFunc(body.Tools, func(t struct{ Function struct{ Name string } }) bool { return t.Function.Name == "mine__odd" })
				if refused {
					Status(400, "invalid_function_parameters", tt.says)(w, r)
					return
				}
				Answer("ok")(w, r)
			})}
			c := client(t, p)
			request := hello()
			request.Tools = tt.tools
			for range 2 {
				got, err := c.Complete(t.Context(), request, nil)
				require.Equal(t, tt.answer, got.Text, "%v", err)
			}
			require.Equal(t, tt.calls, calls)
			require.Len(t, request.Tools, len(tt.tools))
		})
	}
}

// TestMaxTools proves that a request of a model has room for what each of its providers takes.
func TestMaxTools(t *testing.T) {
	first, _ := handled("first", Answer(""))
	second, _ := handled("second", Answer(""))
	second.MaxTools = 64
	require.Equal(t, 128, client(t, first).MaxTools("default"))
	require.Equal(t, 64, client(t, first, second).MaxTools("default"))
}
