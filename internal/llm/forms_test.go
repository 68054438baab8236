package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
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
		"no schema":   {[]llm.Tool{{Name: "mine__odd", Foreign: true}}, "messages.3: there is no result of 'mine__odd'", "", 2},
		"one of many": {[]llm.Tool{{Name: "mine__odd", Foreign: true}, {Name: "your__odd", Foreign: true}}, "Invalid schema for function 'mine__odd'", "ok", 3},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			p := llm.Provider{Name: "first", BaseURL: Address, Model: "m", HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			}))}
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

// TestRefusedToolIsKept proves that a tool is left out of later requests only if the provider takes
// the request without it; that several tools of one request may be refused; and that no tool has to
// be called which is left out.
func TestRefusedToolIsKept(t *testing.T) {
	odd := []llm.Tool{{Name: "mine__odd", Foreign: true}, {Name: "plan"}, {Name: "your__odd", Foreign: true}}
	refusal := func(name string) http.HandlerFunc {
		return Status(400, "invalid_function_parameters", "Invalid schema for function '"+name+"'")
	}
	other := Status(400, "invalid_request_error", "Unknown parameter: 'user'")
	var bodies []string
	answers := []http.HandlerFunc{
		refusal("mine__odd"), other, // the error was about something else
		refusal("mine__odd"), refusal("your__odd"), Answer("ok"),
		Answer("ok"),
	}
	p := llm.Provider{Name: "first", BaseURL: Address, Model: "m", HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(raw))
		answers[len(bodies)-1](w, r)
	}))}
	c := client(t, p)
	request := hello()
	request.Tools, request.MustCall = odd, "mine__odd"
	_, err := c.Complete(t.Context(), request, nil)
	require.ErrorContains(t, err, "Unknown parameter")
	for range 2 {
		got, err := c.Complete(t.Context(), request, nil)
		require.NoError(t, err)
		require.Equal(t, "ok", got.Text)
	}
	require.Len(t, bodies, len(answers))
	for i, want := range []int{2, 1, 2, 1, 0, 0} {
		require.Equal(t, want, strings.Count(bodies[i], `__odd","parameters"`), "request %d: %s", i, bodies[i])
		require.Equal(t, i == 0 || i == 2, strings.Contains(bodies[i], `"tool_choice"`), "request %d: %s", i, bodies[i])
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
