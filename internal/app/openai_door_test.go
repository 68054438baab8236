package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ownerkey"
)

// An openAIClient speaks OpenAI's API to an installation.
type openAIClient struct {
	*openai.Client
	in    *installation
	stage *stage
	key   bearer
}

func playOpenAI(t *testing.T) *openAIClient {
	t.Helper()
	in, s := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	cfg := openai.DefaultConfig(string(owner))
	cfg.BaseURL = "http://" + in.Address + "/v1"
	return &openAIClient{openai.NewClientWithConfig(cfg), in, s, bearer(owner)}
}

func says(texts ...string) (list []openai.ChatCompletionMessage) {
	for i, text := range texts {
		role := openai.ChatMessageRoleUser
		if i%2 == 1 {
			role = openai.ChatMessageRoleAssistant
		}
		list = append(list, openai.ChatCompletionMessage{Role: role, Content: text})
	}
	return list
}

func (c *openAIClient) chat(model, user string, texts ...string) openai.ChatCompletionResponse {
	c.in.t.Helper()
	got, err := c.CreateChatCompletion(c.in.t.Context(), openai.ChatCompletionRequest{Model: model, User: user, Messages: says(texts...)})
	if err != nil {
		c.in.t.Fatal(err)
	}
	return got
}

// TestOpenAIDoor proves that a client of OpenAI's API finds errand's agents as models, talks
// with them in one request, in a stream and in a conversation, and hears there of what came
// late; and that what is wrong is an error in that API's shape.
func TestOpenAIDoor(t *testing.T) {
	t.Parallel()
	c := playOpenAI(t)
	models, err := c.ListModels(t.Context())
	if err != nil || len(models.Models) < 3 || models.Models[0].ID != "errand" {
		t.Fatalf("the models are %+v, %v", models, err)
	}

	got := c.chat("errand", "", "My cat is Mo.", "A fine name.", "say Mo")
	text := got.Choices[0].Message.Content
	if !strings.Contains(text, "My cat is Mo.") || !strings.Contains(text, "say Mo") || got.Choices[0].FinishReason != "stop" || got.Usage.TotalTokens == 0 {
		t.Errorf("with what the client tells it is answered %+v", got)
	}
	if text := c.chat("sasha", "", "who?").Choices[0].Message.Content; !strings.Contains(text, "who?") {
		t.Errorf("another model answers %q", text)
	}

	stream, err := c.CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{Model: "errand", Messages: says("count to ten"), StreamOptions: &openai.StreamOptions{IncludeUsage: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var streamed strings.Builder
	var reason openai.FinishReason
	var usage *openai.Usage
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, choice := range chunk.Choices {
			streamed.WriteString(choice.Delta.Content)
			if choice.FinishReason != "" {
				reason = choice.FinishReason
			}
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
	}
	if !strings.Contains(streamed.String(), "count to ten") || reason != "stop" || usage == nil || usage.TotalTokens == 0 {
		t.Errorf("streamed is %q, %q, %+v", &streamed, reason, usage)
	}

	c.chat("errand", "ada", do(send("sasha", "wait cake")))
	c.stage.open("cake")
	c.in.until(core.NewSessionKey(core.WebRoute("v1-ada"), app.Owner), func(events []core.Event) bool {
		return slices.ContainsFunc(events, func(e core.Event) bool { return e.Type == core.EventLate })
	})
	if text := c.chat("errand", "ada", "anything new?").Choices[0].Message.Content; !strings.Contains(text, "done cake") || !strings.HasSuffix(text, "anything new?") {
		t.Errorf("with what came late it is answered %q", text)
	}

	for name, tt := range map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"no such model":       {"/v1/chat/completions", `{"model":"gpt-9","messages":[{"role":"user","content":"x"}]}`, http.StatusNotFound, "model_not_found"},
		"nothing said":        {"/v1/chat/completions", `{"messages":[]}`, http.StatusBadRequest, "there is no message"},
		"an assistant's":      {"/v1/chat/completions", `{"messages":[{"role":"assistant","content":"x"}]}`, http.StatusBadRequest, "must be from the user"},
		"a picture elsewhere": {"/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://127.0.0.1/x.png"}}]}]}`, http.StatusBadRequest, "data URL"},
		"no JSON":             {"/v1/responses", `{`, http.StatusBadRequest, "the body is not valid"},
		"no such response":    {"/v1/responses", `{"input":"x","previous_response_id":"resp_x"}`, http.StatusNotFound, "no response"},
		"no such path":        {"/v1/embeddings", `{}`, http.StatusNotFound, "unknown_url"},
	} {
		var said struct {
			Error struct{ Message, Type, Code string }
		}
		status := c.post(tt.path, tt.body, &said)
		if status != tt.status || said.Error.Type != "invalid_request_error" || !strings.Contains(said.Error.Message+said.Error.Code, tt.want) {
			t.Errorf("%s is answered %d %+v", name, status, said)
		}
	}
	expiredToken(t, c.in)
}

// send posts a body to an installation, with a key by which it may be sent again.
func (b bearer) send(in *installation, path, body, again string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(in.t.Context(), http.MethodPost, "http://"+in.Address+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if again != "" {
		req.Header.Set("Idempotency-Key", again)
	}
	return b.RoundTrip(req)
}

func (c *openAIClient) post(path, body string, out any) int {
	c.in.t.Helper()
	resp, err := c.key.send(c.in, path, body, "")
	return c.answered(resp, err, out)
}

func (c *openAIClient) answered(resp *http.Response, err error, out any) int {
	c.in.t.Helper()
	if err != nil {
		c.in.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		c.in.t.Fatalf("%s: %v", resp.Request.URL, err)
	}
	return resp.StatusCode
}
