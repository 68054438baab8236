package openaiwire

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
)

type responseIn struct {
	Model        string          `json:"model"`
	Input        json.RawMessage `json:"input"`
	Instructions string          `json:"instructions"`
	Previous     string          `json:"previous_response_id"`
	Conversation json.RawMessage `json:"conversation"`
	User         string          `json:"user"`
	Stream       bool            `json:"stream"`
	Background   bool            `json:"background"` // refused
	toolsIn
}

type response struct {
	ID           string          `json:"id"`
	Object       string          `json:"object"`
	Created      int64           `json:"created_at"`
	Status       string          `json:"status"`
	Model        string          `json:"model"`
	Output       []any           `json:"output"` // an outputItem, and callItems
	Previous     *string         `json:"previous_response_id"`
	Conversation *conversationID `json:"conversation"`
	Usage        *responseUsage  `json:"usage"`
	Error        any             `json:"error"`
	Incomplete   any             `json:"incomplete_details"`

	message outputItem // of a response that has ended
	calls   []callItem

	// Clients expect these fields.
	Instructions      *string           `json:"instructions"`
	Metadata          map[string]any    `json:"metadata"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	Temperature       *float64          `json:"temperature"`
	ToolChoice        json.RawMessage   `json:"tool_choice"`
	Tools             []json.RawMessage `json:"tools"`
	TopP              *float64          `json:"top_p"`
}

type conversationID struct {
	ID string `json:"id"`
}

type outputItem struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputPart `json:"content"`
}

type callItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type outputPart struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
}

type responseUsage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

func responseUsageOf(u *core.Usage) *responseUsage {
	if u == nil {
		return nil
	}
	out := &responseUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
	out.InputDetails.Cached = u.CachedTokens
	return out
}

// responseID contains the chat and the message's event, so that any worker finds the response.
func responseID(chat string, event int64) string {
	return "resp_" + base64.RawURLEncoding.EncodeToString([]byte(chat)) + "_" + strconv.FormatInt(event, 36)
}

func parseResponseID(id string) (chat string, event int64, err error) {
	middle, ok := strings.CutPrefix(id, "resp_")
	if !ok {
		middle, ok = strings.CutPrefix(id, itemPrefix)
	}
	if !ok {
		if middle, ok = strings.CutPrefix(id, callPrefix); ok {
			_, middle, ok = strings.Cut(middle, "_") // after the number of the call
		}
	}
	i := strings.LastIndex(middle, "_")
	if !ok || i < 0 {
		return "", 0, noResponse(id)
	}
	raw, err := base64.RawURLEncoding.DecodeString(middle[:i])
	if err == nil {
		event, err = strconv.ParseInt(middle[i+1:], 36, 64)
	}
	if err != nil || len(raw) == 0 {
		return "", 0, noResponse(id)
	}
	return string(raw), event, nil
}

const itemPrefix = "msg_"

func itemID(response string) string { return itemPrefix + strings.TrimPrefix(response, "resp_") }

const callPrefix = "fc_"

func callItems(response string, calls []core.ClientCall) []callItem {
	list := make([]callItem, len(calls))
	for i, c := range calls {
		list[i] = callItem{"function_call", callPrefix + strconv.Itoa(i+1) + "_" + strings.TrimPrefix(response, "resp_"), "completed", c.ID, c.Name, c.Arguments}
	}
	return list
}

func noResponse(id string) error {
	return &wireError{http.StatusNotFound, "invalid_request_error", "not_found", "previous_response_id", "there is no response " + strconv.Quote(core.Cut(id, 80))}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:10])
}

func (in responseIn) turn(q *request, has func(string) bool) (turn, error) {
	if in.Background {
		return turn{}, invalid("background", "errand has no background responses: use POST /api/tasks for work in the background")
	}
	tools, err := in.toolsIn.read(has)
	if err != nil {
		return turn{}, err
	}
	var messages []message
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		raw, err := json.Marshal(text)
		if err != nil {
			return turn{}, err
		}
		messages = []message{{Role: "user", Content: raw}}
	} else if err := json.Unmarshal(in.Input, &messages); err != nil {
		return turn{}, invalid("input", "the input is neither a text nor a list of messages")
	}
	input, err := read(messages, "input")
	if err != nil {
		return turn{}, err
	}
	if in.Instructions != "" {
		input.before = append([]line{{"system", in.Instructions}}, input.before...)
	}
	t := turn{model: in.Model, input: input, tools: tools}
	if in.Previous == "" {
		in.Previous = input.after
	}
	if in.Previous != "" {
		t.chat, _, err = parseResponseID(in.Previous)
		return t, err
	}
	var name string
	var object conversationID
	if json.Unmarshal(in.Conversation, &name) != nil && json.Unmarshal(in.Conversation, &object) == nil {
		name = object.ID
	}
	t.chat, err = chatNamed(q.Header.Get(chatHeader), name, q.Header.Get(openWebUIHeader), in.User)
	return t, err
}

func (in responseIn) newResponse() response {
	r := response{Object: "response", Created: time.Now().Unix(), Status: "in_progress", Model: cmp.Or(in.Model, anyAgent), Output: []any{},
		Metadata: map[string]any{}, ToolChoice: json.RawMessage(`"auto"`), Tools: []json.RawMessage{}, ParallelToolCalls: in.Parallel == nil || *in.Parallel}
	if len(in.Tools) > 0 {
		r.Tools = in.Tools
	}
	if len(in.Choice) > 0 && string(in.Choice) != "null" {
		r.ToolChoice = in.Choice
	}
	if in.Previous != "" {
		r.Previous = &in.Previous
	}
	if in.Instructions != "" {
		r.Instructions = &in.Instructions
	}
	return r
}

func (r response) ended(got reply) response {
	r.ID, r.Status, r.Usage = got.id, "completed", responseUsageOf(got.usage)
	if got.reason != "stop" && got.reason != core.ToolCalls {
		r.Status = "incomplete"
		why := got.reason
		if why == "length" {
			why = "max_output_tokens"
		}
		r.Incomplete = map[string]string{"reason": why}
	}
	text := got.late + got.text
	r.message = outputItem{Type: "message", ID: itemID(r.ID), Status: "completed", Role: "assistant", Content: []outputPart{{"output_text", text, []any{}}}}
	r.calls = callItems(r.ID, got.calls)
	r.Output = []any{}
	if text != "" || len(r.calls) == 0 {
		r.Output = append(r.Output, r.message)
	}
	for _, c := range r.calls {
		r.Output = append(r.Output, c)
	}
	return r
}

// postResponse finds the conversation by the header, conversation, previous_response_id or user.
// Without any of them it starts one, which previous_response_id can name later.
func (s *Server) postResponse(q *request) error {
	var in responseIn
	if err := q.read(&in); err != nil {
		return err
	}
	t, err := in.turn(q, s.HasTool)
	if err != nil {
		return err
	}
	r := in.newResponse()
	if !in.Stream {
		got, err := s.take(q, t, whole{})
		if err != nil {
			return err
		}
		return q.reply(r.ended(got))
	}
	return s.streamResponse(q, t, r)
}

func (s *Server) streamResponse(q *request, t turn, r response) error {
	out := newResponseStream(s.Logger, q, s.Beat, r)
	defer out.end()
	got, err := s.take(q, t, out)
	if err != nil {
		return s.broken(q, out, err)
	}
	return out.done(r.ended(got))
}

func (s *Server) broken(q *request, out *responseStream, err error) error {
	if !out.began {
		return err
	}
	e, r := s.wireErrorOf(q, err), out.response
	r.Status, r.Error = "failed", map[string]string{"code": e.code, "message": e.message}
	return out.event("response.failed", map[string]any{"response": r})
}
