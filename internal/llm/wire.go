package llm

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// chatRequest is r as p is asked for it.
func chatRequest(r Request, p Provider, maxOutput int) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{
		Model:         p.Model,
		Messages:      wireMessages(r.System, r.Messages, r.Note),
		User:          r.User,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	if r.MaxOutput > 0 {
		maxOutput = r.MaxOutput
	}
	// OpenAI's newer models refuse max_tokens; most other servers know nothing else.
	if wantsCompletionTokens(p) {
		out.MaxCompletionTokens = maxOutput
	} else {
		//lint:ignore SA1019 Ollama, Mistral and older servers know no other name for it.
		out.MaxTokens = maxOutput
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, wireTool(t))
	}
	if r.NoTools && len(r.Tools) > 0 {
		out.ToolChoice = "none"
	}
	if len(r.Schema) > 0 {
		name := r.SchemaName
		if name == "" {
			name = "answer"
		}
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: name, Schema: r.Schema, Strict: strictSchema(r.Schema),
			},
		}
	}
	return out
}

func wireTool(t Tool) openai.Tool {
	params := t.Parameters
	if len(params) == 0 {
		params = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return openai.Tool{
		Type:     openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: params},
	}
}

func wantsCompletionTokens(p Provider) bool {
	u, err := url.Parse(p.BaseURL)
	if err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com")) {
		return true
	}
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(p.Model, prefix) {
			return true
		}
	}
	return false
}

// wireMessages makes of a transcript what every server accepts. One message
// that a server refuses would fail every later turn of the conversation, so
// what models and broken-off turns leave behind is mended here: each call has
// exactly one result, right after it, ids are unique, names and arguments have
// the required form, and nothing is empty. It adds and renames; it drops only
// messages without any content.
func wireMessages(system string, transcript []errand.Message, note string) []openai.ChatCompletionMessage {
	w := wireTranscript{used: map[string]bool{}}
	if system != "" {
		w.out = append(w.out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: system})
	}
	for i, m := range transcript {
		switch {
		case m.Speaker == errand.FromTool:
			if !w.isAnswered(transcript, i) {
				w.orphan(m)
			}
		case m.Speaker == errand.FromAgent && len(m.Calls) > 0:
			w.calls(m, results(transcript, i))
		case strings.TrimSpace(m.Text) != "":
			w.out = append(w.out, openai.ChatCompletionMessage{Role: string(m.Speaker), Content: m.Text})
		}
	}
	if note != "" {
		w.out = append(w.out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: note})
	}
	return w.out
}

type wireTranscript struct {
	out  []openai.ChatCompletionMessage
	used map[string]bool // ids of calls so far
}

// calls appends an answer that asks for tools, and their results.
func (w *wireTranscript) calls(m errand.Message, found map[string]string) {
	answer := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: m.Text}
	var replies []openai.ChatCompletionMessage
	for i, c := range m.Calls {
		id := w.id(c.ID, i)
		answer.ToolCalls = append(answer.ToolCalls, openai.ToolCall{
			ID: id, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: wireName(c.Name), Arguments: wireArguments(c.Arguments)},
		})
		text, ok := found[c.ID]
		if !ok {
			text = "[no result: the call was not carried out]"
		}
		replies = append(replies, toolMessage(id, text))
	}
	w.out = append(append(w.out, answer), replies...)
}

// orphan appends a result whose call is not in the transcript, for instance
// because it was summarised. Its words must not be lost, and must not pass for
// somebody else's.
func (w *wireTranscript) orphan(m errand.Message) {
	id := w.id(m.CallID, 0)
	w.out = append(w.out,
		openai.ChatCompletionMessage{
			Role: openai.ChatMessageRoleAssistant,
			ToolCalls: []openai.ToolCall{{
				ID: id, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: "earlier_call", Arguments: "{}"},
			}},
		},
		toolMessage(id, m.Text))
}

// isAnswered reports whether the tool message at i answers the calls before it.
func (w *wireTranscript) isAnswered(transcript []errand.Message, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if transcript[j].Speaker == errand.FromTool {
			continue
		}
		for _, c := range transcript[j].Calls {
			if c.ID == transcript[i].CallID {
				return true
			}
		}
		break
	}
	return false
}

// id returns an id that no earlier call has: models reuse theirs.
func (w *wireTranscript) id(id string, position int) string {
	if id == "" {
		id = fmt.Sprintf("call_%d", position+1)
	}
	unique := id
	for n := 2; w.used[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", id, n)
	}
	w.used[unique] = true
	return unique
}

// results are the texts of the tool messages that follow transcript[i].
func results(transcript []errand.Message, i int) map[string]string {
	found := map[string]string{}
	for _, m := range transcript[i+1:] {
		if m.Speaker != errand.FromTool {
			break
		}
		found[m.CallID] = m.Text
	}
	return found
}

func toolMessage(id, text string) openai.ChatCompletionMessage {
	if strings.TrimSpace(text) == "" {
		text = "(no output)" // an empty content would be left out, which servers refuse
	}
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: id, Content: text}
}

var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// wireName is a hallucinated name in the form that servers require.
func wireName(name string) string {
	name = notInName.ReplaceAllString(name, "_")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// wireArguments wraps arguments that are no JSON object: servers parse the ones
// in the transcript and refuse the request over them.
func wireArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	wrapped, _ := json.Marshal(map[string]string{"not_json": args}) // a string always marshals
	return string(wrapped)
}

// strictSchema reports whether schema satisfies what OpenAI asks of strict
// ones: no object of it allows further properties, and all are required.
func strictSchema(schema json.RawMessage) bool {
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Additional *bool                      `json:"additionalProperties"`
		Items      json.RawMessage            `json:"items"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	if s.Items != nil && !strictSchema(s.Items) {
		return false
	}
	if s.Type != "object" {
		return len(s.Properties) == 0
	}
	if s.Additional == nil || *s.Additional || len(s.Required) != len(s.Properties) {
		return false
	}
	for _, p := range s.Properties {
		if !strictSchema(p) {
			return false
		}
	}
	return true
}
