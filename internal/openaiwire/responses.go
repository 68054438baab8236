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

	"errand"
	"errand/internal/service"
)

type responseIn struct {
	Model        string            `json:"model"`
	Input        json.RawMessage   `json:"input"`
	Instructions string            `json:"instructions"`
	Previous     string            `json:"previous_response_id"`
	Conversation json.RawMessage   `json:"conversation"`
	User         string            `json:"user"`
	Stream       bool              `json:"stream"`
	Background   bool              `json:"background"`
	Tools        []json.RawMessage `json:"tools"`
}

// A response is one on the wire.
type response struct {
	ID           string          `json:"id"`
	Object       string          `json:"object"`
	Created      int64           `json:"created_at"`
	Status       string          `json:"status"`
	Model        string          `json:"model"`
	Output       []outputItem    `json:"output"`
	Previous     *string         `json:"previous_response_id"`
	Conversation *conversationID `json:"conversation"`
	Usage        *responseUsage  `json:"usage"`
	Error        any             `json:"error"`
	Incomplete   any             `json:"incomplete_details"`

	// What clients expect to be there.
	Instructions      *string        `json:"instructions"`
	Metadata          map[string]any `json:"metadata"`
	ParallelToolCalls bool           `json:"parallel_tool_calls"`
	Temperature       *float64       `json:"temperature"`
	ToolChoice        string         `json:"tool_choice"`
	Tools             []any          `json:"tools"`
	TopP              *float64       `json:"top_p"`
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

func responseUsageOf(u errand.Usage) *responseUsage {
	out := &responseUsage{Input: u.InputTokens, Output: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
	out.InputDetails.Cached = u.CachedTokens
	return out
}

// responseID names what becomes of a message so that any worker finds it: by the chat, which
// only its person can read, and the message's event.
func responseID(chat string, event int64) string {
	return "resp_" + base64.RawURLEncoding.EncodeToString([]byte(chat)) + "_" + strconv.FormatInt(event, 36)
}

// parseResponseID is the way back, also from the id of the message in a response.
func parseResponseID(id string) (chat string, event int64, err error) {
	middle, ok := strings.CutPrefix(id, "resp_")
	if !ok {
		middle, ok = strings.CutPrefix(id, itemPrefix)
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

// itemPrefix is what the id of the message in a response begins with, in place of "resp_".
const itemPrefix = "msg_"

func itemID(response string) string { return itemPrefix + strings.TrimPrefix(response, "resp_") }

func noResponse(id string) error {
	return &wireError{http.StatusNotFound, "invalid_request_error", "not_found", "previous_response_id", "there is no response " + strconv.Quote(errand.Cut(id, 80))}
}

// digest stands for a text in the name of a chat.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:10])
}

// turn is what the request says.
func (in responseIn) turn(q *request) (turn, error) {
	switch {
	case in.Background:
		return turn{}, invalid("background", "background is not there yet: POST /api/tasks begins a task that goes on by itself")
	case len(in.Tools) > 0:
		return turn{}, invalid("tools", "a client's own tools are not taken: errand's agents have tools of their own")
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
	said, err := read(messages, "input")
	if err != nil {
		return turn{}, err
	}
	if in.Instructions != "" {
		said.before = append([]line{{"system", in.Instructions}}, said.before...)
	}
	t := turn{model: in.Model, said: said}
	if in.Previous == "" {
		in.Previous = said.after
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
	t.chat, err = chatNamed(q.Header.Get(chatHeader), name, in.User)
	return t, err
}

// newResponse is one that is under way.
func (in responseIn) newResponse() response {
	r := response{Object: "response", Created: time.Now().Unix(), Status: "in_progress", Model: cmp.Or(in.Model, anyAgent), Output: []outputItem{},
		Metadata: map[string]any{}, ToolChoice: "auto", Tools: []any{}, ParallelToolCalls: true}
	if in.Previous != "" {
		r.Previous = &in.Previous
	}
	if in.Instructions != "" {
		r.Instructions = &in.Instructions
	}
	return r
}

// ended is the response with what came of it.
func (r response) ended(got reply) response {
	r.ID, r.Status, r.Usage = got.id, "completed", responseUsageOf(got.usage)
	if got.reason != "stop" {
		r.Status = "incomplete"
		why := got.reason
		if why == "length" {
			why = "max_output_tokens"
		}
		r.Incomplete = map[string]string{"reason": why}
	}
	r.Output = []outputItem{{Type: "message", ID: itemID(r.ID), Status: "completed", Role: "assistant",
		Content: []outputPart{{"output_text", got.late + got.text, []any{}}}}}
	return r
}

// postResponse answers what is said. The conversation is named by a header, by itself, by a
// response before or by a user; without any of them it is one that the response begins, and
// previous_response_id goes on with it.
func (s *Server) postResponse(q *request) error {
	var in responseIn
	if err := q.read(&in); err != nil {
		return err
	}
	t, err := in.turn(q)
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

// streamResponse sends a response as it comes.
func (s *Server) streamResponse(q *request, t turn, r response) error {
	out := &responseStream{stream: newStream(q, s.Beat), response: r, item: outputItem{"message", "", "in_progress", "assistant", []outputPart{}}}
	defer out.end()
	got, err := s.take(q, t, out)
	switch {
	case err != nil && !out.began:
		return err
	case err != nil:
		e := s.wireErrorOf(q, err)
		r.ID, r.Status, r.Error = out.response.ID, "failed", map[string]string{"code": e.code, "message": e.message}
		return out.event("response.failed", map[string]any{"response": r})
	}
	return out.done(r.ended(got))
}

// A responseStream sends a response in events, which are numbered.
type responseStream struct {
	*stream
	response response
	item     outputItem
	number   int
	text     strings.Builder // so far
}

// event sends one. A client that is gone is no error: its response is kept.
func (o *responseStream) event(kind string, fields map[string]any) error {
	fields["type"], fields["sequence_number"] = kind, o.number
	o.number++
	return o.send(kind, fields)
}

// ofPart are the fields of an event about the one part of the one item.
func (o *responseStream) ofPart(name string, value any) map[string]any {
	return map[string]any{"item_id": o.item.ID, "output_index": 0, "content_index": 0, name: value}
}

func (o *responseStream) accepted(id string) error {
	o.response.ID, o.item.ID = id, itemID(id)
	for _, e := range []func() error{
		func() error { return o.event("response.created", map[string]any{"response": o.response}) },
		func() error { return o.event("response.in_progress", map[string]any{"response": o.response}) },
		func() error {
			return o.event("response.output_item.added", map[string]any{"output_index": 0, "item": o.item})
		},
		func() error {
			return o.event("response.content_part.added", o.ofPart("part", outputPart{"output_text", "", []any{}}))
		},
	} {
		if err := e(); err != nil {
			return err
		}
	}
	return nil
}

func (o *responseStream) piece(text string) error {
	o.text.WriteString(text)
	return o.event("response.output_text.delta", o.ofPart("delta", text))
}

func (o *responseStream) done(r response) error {
	item := &r.Output[0]
	item.Content[0].Text = o.text.String()
	last := "response.completed"
	if r.Status == "incomplete" {
		last = "response.incomplete"
	}
	for _, e := range []func() error{
		func() error { return o.event("response.output_text.done", o.ofPart("text", o.text.String())) },
		func() error { return o.event("response.content_part.done", o.ofPart("part", item.Content[0])) },
		func() error {
			return o.event("response.output_item.done", map[string]any{"output_index": 0, "item": *item})
		},
		func() error { return o.event(last, map[string]any{"response": r}) },
	} {
		if err := e(); err != nil {
			return err
		}
	}
	return nil
}

// getResponse reads a response again.
func (s *Server) getResponse(q *request) error {
	id := q.PathValue("id")
	chat, event, err := parseResponseID(id)
	if err != nil {
		return err
	}
	route, err := service.WebRoute(chat)
	if err != nil {
		return noResponse(id)
	}
	key := errand.NewSessionKey(route, q.by.Person)
	r := responseIn{}.newResponse()
	r.ID = id
	var message string
	for after := event - 1; ; {
		list, err := s.Backend.Events(q.Context(), q.by, key, after, 100)
		switch {
		case err != nil:
			return err
		case message == "" && (len(list) == 0 || list[0].ID != event || list[0].Type != errand.EventMessage):
			return noResponse(id)
		case len(list) == 0:
			return q.reply(r) // it is in progress
		}
		if message == "" {
			message, r.Created = list[0].Message, list[0].Created.Unix()
		}
		for _, e := range list {
			answers, err := s.Backend.Answers(q.Context(), q.by, e, key, message)
			if err != nil {
				return err
			}
			if !answers {
				continue
			}
			r.Model = string(e.Agent)
			if e.Type != errand.EventReply && e.Type != errand.EventQuestion {
				r.Status, r.Error = "failed", map[string]string{"code": "no_reply", "message": e.Text}
				return q.reply(r)
			}
			return q.reply(r.ended(reply{id: id, event: e, text: textOf(e), reason: cmp.Or(e.Cause, "stop"), usage: s.usageOf(q.Context(), q, e)}))
		}
		after = list[len(list)-1].ID
	}
}
