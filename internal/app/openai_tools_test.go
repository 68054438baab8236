package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"errand/internal/app"
	"errand/internal/core"
)

var weatherTool = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
	Name: "get_weather", Description: "the weather in a city", Parameters: map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}},
}}}

func cityWeather(city string) call { return tool("get_weather", map[string]string{"city": city}) }

func carriedOut(asked string, answer openai.ChatCompletionMessage, outputs ...string) []openai.ChatCompletionMessage {
	list := append(says(asked), answer)
	for i, c := range answer.ToolCalls {
		if i < len(outputs) {
			list = append(list, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: c.ID, Content: outputs[i]})
		}
	}
	return list
}

// TestOpenAITools proves that an agent calls the tools of a client of OpenAI's API, beside its
// own and those it delegates to, goes on with what came of them, and that a client which never
// answers is gone on without. .ci/openai/clients.mjs has streams, names of errand's own tools and
// the API of responses.
func TestOpenAITools(t *testing.T) {
	t.Parallel()
	c := playOpenAI(t)
	complete := func(r openai.ChatCompletionRequest) openai.ChatCompletionResponse {
		t.Helper()
		r.Model = "errand"
		got, err := c.CreateChatCompletion(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}

	both := do(cityWeather("Oslo"), cityWeather("Rome"))
	got := complete(openai.ChatCompletionRequest{Messages: says(both), Tools: weatherTool})
	answer := got.Choices[0].Message
	if got.Choices[0].FinishReason != openai.FinishReasonToolCalls || len(answer.ToolCalls) != 2 || answer.Content != "" || got.Usage.TotalTokens == 0 ||
		answer.ToolCalls[1].Function != (openai.FunctionCall{Name: "get_weather", Arguments: `{"city":"Rome"}`}) {
		t.Fatalf("the calls are %+v", got)
	}
	text := complete(openai.ChatCompletionRequest{Messages: carriedOut(both, answer, "wet", "dry"), Tools: weatherTool}).Choices[0].Message.Content
	if text != "told: wet | dry" {
		t.Errorf("with what came of them it is answered %q", text)
	}
	text = complete(openai.ChatCompletionRequest{Messages: append(carriedOut(both, answer, "wet", "dry"), says("so?")...), Tools: weatherTool}).Choices[0].Message.Content
	if !strings.Contains(text, "tool: (get_weather, "+answer.ToolCalls[1].ID+") dry") || !strings.HasSuffix(text, "so?") {
		t.Errorf("of calls that were answered before the agent reads %q", text)
	}

	// An agent's own calls are carried out meanwhile.
	mixed := do(ask("sasha", "say the cake"), cityWeather("Oslo"))
	answer = complete(openai.ChatCompletionRequest{Messages: says(mixed), Tools: weatherTool, User: "ada"}).Choices[0].Message
	if len(answer.ToolCalls) != 1 {
		t.Fatalf("beside its own the agent calls %+v", answer)
	}
	text = complete(openai.ChatCompletionRequest{Messages: carriedOut(mixed, answer, "wet"), Tools: weatherTool, User: "ada"}).Choices[0].Message.Content
	if !strings.Contains(text, "the cake") || !strings.HasSuffix(text, " | wet") {
		t.Errorf("with both it is answered %q", text)
	}

	// A client that writes something else is gone on without.
	complete(openai.ChatCompletionRequest{Messages: says(do(cityWeather("Oslo"))), Tools: weatherTool, User: "ada"})
	if text = c.chat("errand", "ada", "never mind").Choices[0].Message.Content; !strings.Contains(text, "did not answer the call") || !strings.HasSuffix(text, "never mind") {
		t.Errorf("without an answer it goes on %q", text)
	}
	key := core.NewSessionKey(core.WebRoute("v1-ada"), app.Owner)
	if shown := textsOf(c.in.until(key, replies(4))); !slices.Contains(shown, "→ get_weather") {
		t.Errorf("the page shows %q", shown)
	}

	for name, tt := range map[string]struct{ body, want string }{
		"an unknown call": {`{"messages":[{"role":"tool","tool_call_id":"call_x","content":"y"}]}`, "unknown_call"},
		"of another chat": {`{"user":"eve","messages":[{"role":"tool","tool_call_id":"` + answer.ToolCalls[0].ID + `","content":"y"}]}`, "unknown_call"},
		"answered before": {`{"user":"ada","messages":[{"role":"tool","tool_call_id":"` + answer.ToolCalls[0].ID + `","content":"y"}]}`, "unknown_call"},
	} {
		var said struct {
			Error struct{ Message, Type, Code string }
		}
		if status := c.post("/v1/chat/completions", tt.body, &said); status != http.StatusBadRequest || said.Error.Type != "invalid_request_error" || said.Error.Code != tt.want {
			t.Errorf("%s is answered %d %+v", name, status, said)
		}
	}
}
