package llm

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

func brief(m wireMessage) string {
	s := string(m.role) + ": " + m.text
	for _, c := range m.calls {
		s += fmt.Sprintf(" %s=%s(%s)", c.ID, c.Name, c.Arguments)
	}
	if m.callID != "" {
		s += " for " + m.callID
	}
	return s
}

// A transcript that models and broken-off turns have damaged is one that every
// server accepts.
func TestTranscriptsAreMended(t *testing.T) {
	person := func(s string) core.Message { return core.Message{Speaker: core.FromPerson, Text: s} }
	agent := func(s string, calls ...core.ToolCall) core.Message {
		return core.Message{Speaker: core.FromAgent, Text: s, Calls: calls}
	}
	tool := func(id, s string) core.Message {
		return core.Message{Speaker: core.FromTool, CallID: id, Text: s}
	}
	call := func(id, args string) core.ToolCall {
		return core.ToolCall{ID: id, Name: "recall", Arguments: args}
	}
	tests := []struct {
		name string
		in   []core.Message
		want []string
	}{
		{"plain", []core.Message{person("hi"), agent("", call("a", `{"key":"x"}`)), tool("a", "y"), agent("it is y")},
			[]string{"user: hi", `assistant:  a=recall({"key":"x"})`, "tool: y for a", "assistant: it is y"}},
		{"results in another order", []core.Message{agent("", call("a", "{}"), call("b", "{}")), tool("b", "2"), tool("a", "1")},
			[]string{"assistant:  a=recall({}) b=recall({})", "tool: 1 for a", "tool: 2 for b"}},
		{"a turn that was stopped", []core.Message{agent("", call("a", "{}"), call("b", "{}")), tool("a", "1"), person("hello?")},
			[]string{"assistant:  a=recall({}) b=recall({})", "tool: 1 for a", "tool: [no result: the call was not carried out] for b", "user: hello?"}},
		{"a result without its call", []core.Message{tool("a", "1"), person("hi")},
			[]string{"assistant:  a=earlier_call({})", "tool: 1 for a", "user: hi"}},
		{"the same id in two steps", []core.Message{agent("", call("call_1", "{}")), tool("call_1", "1"), agent("", call("call_1", "{}")), tool("call_1", "2")},
			[]string{"assistant:  call_1=recall({})", "tool: 1 for call_1", "assistant:  call_1_2=recall({})", "tool: 2 for call_1_2"}},
		{"arguments that are no object", []core.Message{agent("", call("a", `{"key":`), call("b", ""), call("c", "[1]")), tool("a", ""), tool("b", "2"), tool("c", "3")},
			[]string{`assistant:  a=recall({"not_json":"{\"key\":"}) b=recall({}) c=recall({"not_json":"[1]"})`, "tool: (no output) for a", "tool: 2 for b", "tool: 3 for c"}},
		{"names that no tool can have", []core.Message{agent("", core.ToolCall{ID: "a", Name: "call agent!"}, core.ToolCall{ID: "b"}), tool("a", "1"), tool("b", "2")},
			[]string{"assistant:  a=call_agent_({}) b=unnamed({})", "tool: 1 for a", "tool: 2 for b"}},
		{"empty messages", []core.Message{person(" "), agent(""), person("hi")}, []string{"user: hi"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range wireMessages("", tt.in, "", "", false) {
				got = append(got, brief(m))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestTheRequest(t *testing.T) {
	r := Request{
		Tools:     []Tool{{Name: "list_pending_async_agents"}},
		MaxOutput: 10,
		User:      "u1",
	}
	request, err := chatRequest(r, Provider{BaseURL: "http://127.0.0.1:11434/v1", Model: "llama"}, 99, new(encodedTools))
	require.NoError(t, err)
	got, err := json.Marshal(request)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"llama","messages":null,"stream":true,"stream_options":{"include_usage":true},
		"max_tokens":10,"user":"u1",
		"tools":[{"type":"function","function":{"name":"list_pending_async_agents","parameters":{"type":"object","properties":{}}}}]}`, string(got))

	newer, err := chatRequest(Request{}, Provider{BaseURL: "https://api.openai.com/v1", Model: "gpt-5-mini"}, 99, new(encodedTools))
	require.NoError(t, err)
	require.Equal(t, 99, newer.MaxCompletionTokens)
	//lint:ignore SA1019 the point is that it is not used
	require.Zero(t, newer.MaxTokens, "newer models refuse it")
}
