package app_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"errand"
	"errand/internal/app"
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
// answers is gone on without.
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
	key := errand.NewSessionKey(errand.WebRoute("v1-ada"), app.Owner)
	if shown := textsOf(c.in.until(key, replies(4))); !slices.Contains(shown, "→ get_weather") {
		t.Errorf("the page shows %q", shown)
	}

	stream, err := c.CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{Model: "errand", Messages: says(do(cityWeather("Oslo"))), Tools: weatherTool})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var streamed []openai.ToolCall
	var reason openai.FinishReason
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			streamed = append(streamed, choice.Delta.ToolCalls...)
			if choice.FinishReason != "" {
				reason = choice.FinishReason
			}
		}
	}
	if len(streamed) != 1 || streamed[0].Index == nil || *streamed[0].Index != 0 || streamed[0].Function.Arguments != `{"city":"Oslo"}` || reason != openai.FinishReasonToolCalls {
		t.Errorf("streamed are %+v, %q", streamed, reason)
	}

	// A tool with the name of one of errand's is the client's all the same.
	own := []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{Name: "call_agent"}}}
	calls := do(tool("client__call_agent", map[string]string{"city": "Rome"}))
	named := complete(openai.ChatCompletionRequest{Messages: says(calls), Tools: own}).Choices[0].Message
	if len(named.ToolCalls) != 1 || named.ToolCalls[0].Function.Name != "call_agent" {
		t.Fatalf("with a name of errand's the agent calls %+v", named)
	}
	if text = complete(openai.ChatCompletionRequest{Messages: carriedOut(calls, named, "dry"), Tools: own}).Choices[0].Message.Content; text != "told: dry" {
		t.Errorf("with what came of it it is answered %q", text)
	}

	for name, tt := range map[string]struct{ body, want string }{
		"an unknown call": {`{"messages":[{"role":"tool","tool_call_id":"call_x","content":"y"}]}`, "unknown_call"},
		"of another chat": {`{"user":"eve","messages":[{"role":"tool","tool_call_id":"` + streamed[0].ID + `","content":"y"}]}`, "unknown_call"},
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

// A responseCalls is what of a response is about calls.
type responseCalls struct {
	ID, Status string
	Output     []struct {
		Type, ID, Name, Arguments string
		CallID                    string `json:"call_id"`
		Content                   []struct{ Text string }
	}
}

// TestOpenAIResponseTools proves that the API of responses has calls as items, streamed and read
// again, and goes on with what came of them by the response before, by
// an item and by the whole conversation.
func TestOpenAIResponseTools(t *testing.T) {
	t.Parallel()
	c := playOpenAI(t)
	const offer = `"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"},"strict":false}]`
	asked := strconv.Quote(do(cityWeather("Oslo")))
	respond := func(body string) (got responseCalls) {
		t.Helper()
		if status := c.post("/v1/responses", body, &got); status != http.StatusOK {
			t.Fatalf("%s is answered %d %+v", body, status, got)
		}
		return got
	}
	calls := func(body string) responseCalls {
		t.Helper()
		got := respond(body)
		if got.Status != "completed" || len(got.Output) != 1 || got.Output[0].Type != "function_call" || got.Output[0].Name != "get_weather" || got.Output[0].Arguments != `{"city":"Oslo"}` {
			t.Fatalf("the calls are %+v", got)
		}
		return got
	}
	output := func(r responseCalls) string {
		return `{"type":"function_call_output","call_id":"` + r.Output[0].CallID + `","output":"wet"}`
	}
	first := calls(`{"input":` + asked + `,` + offer + `}`)
	var again responseCalls
	if c.get("/v1/responses/"+first.ID, &again); len(again.Output) != 1 || again.Output[0].CallID != first.Output[0].CallID || again.Output[0].ID != first.Output[0].ID {
		t.Errorf("read again it is %+v", again)
	}
	for name, body := range map[string]func(responseCalls) string{
		"by the response": func(r responseCalls) string {
			return `{"previous_response_id":"` + r.ID + `","input":[` + output(r) + `]}`
		},
		"by an item": func(r responseCalls) string {
			return `{"input":[{"role":"user","content":"x"},{"type":"item_reference","id":"` + r.Output[0].ID + `"},` + output(r) + `]}`
		},
		"with all of it": func(r responseCalls) string {
			return `{"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"` + r.Output[0].CallID + `","name":"get_weather","arguments":"{}"},` + output(r) + `]}`
		},
	} {
		called := calls(`{"input":` + asked + `,` + offer + `}`)
		if got := respond(body(called)); len(got.Output) != 1 || len(got.Output[0].Content) != 1 || got.Output[0].Content[0].Text != "told: wet" {
			t.Errorf("%s it goes on %+v", name, got)
		}
	}

	resp, err := c.key.send(c.in, "/v1/responses", `{"stream":true,"input":`+asked+`,`+offer+`}`, "")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	kinds, text, whole := readResponse(t, string(raw))
	if want := []string{"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.output_item.added",
		"response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done", "response.completed"}; !slices.Equal(kinds, want) {
		t.Errorf("the events are %q", kinds)
	}
	if text != `{"city":"Oslo"}` || len(whole.Output) != 2 {
		t.Errorf("streamed is %q, and in the end %+v", text, whole)
	}
}
