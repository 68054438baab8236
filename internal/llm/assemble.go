package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand"
)

// Beyond these an answer is cut, and is Truncated: the model has lost its way,
// what it wrote is paid for, and asking again would most likely buy the same.
const (
	maxAnswer = 1 << 20 // bytes of text, names and arguments
	maxCalls  = 128
)

// A chunk is one event of the stream, or the whole answer of a server that does
// not stream. It is decoded here and not into go-openai's types because servers
// differ: content may be a list of parts, arguments an object, an index absent.
type chunk struct {
	Choices []struct {
		Index        int       `json:"index"`
		Delta        *fragment `json:"delta"`
		Message      *fragment `json:"message"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type fragment struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []callFragment  `json:"tool_calls"`
}

type callFragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// errErrorChunk: the event is the provider's report of an error.
var errErrorChunk = errors.New("error in the stream")

// An assembly puts an answer together from its chunks.
type assembly struct {
	text    strings.Builder
	calls   []*partialCall
	byIndex map[int]*partialCall // the newest call of each index
	size    int
	finish  string // finish_reason, once it is there
	cut     bool   // a limit was exceeded: stop reading

	input, output int // tokens, as the provider counted them
}

type partialCall struct {
	id, name string
	args     strings.Builder
}

// add takes one event and returns the text that it adds to the answer. An error
// means that the event is not part of an answer.
func (a *assembly) add(data []byte) (string, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return "", fmt.Errorf("stream event: %w", err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return "", errErrorChunk
	}
	if c.Usage != nil && c.Usage.PromptTokens >= 0 && c.Usage.CompletionTokens >= 0 {
		// Some servers count along in every event; the last one counts.
		a.input, a.output = c.Usage.PromptTokens, c.Usage.CompletionTokens
	}
	var added strings.Builder
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		for _, f := range []*fragment{choice.Delta, choice.Message} {
			if f == nil {
				continue
			}
			added.WriteString(a.addText(contentText(f.Content)))
			added.WriteString(a.addText(f.Refusal))
			for _, tc := range f.ToolCalls {
				a.addCall(tc)
			}
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return added.String(), nil
}

func (a *assembly) addText(s string) string {
	s = a.take(s)
	a.text.WriteString(s)
	return s
}

// take cleans s and cuts it to what the answer has room for.
func (a *assembly) take(s string) string {
	if a.cut || s == "" {
		return ""
	}
	s = clean(s)
	if room := maxAnswer - a.size; len(s) > room {
		a.cut = true
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s = s[:room]
	}
	a.size += len(s)
	return s
}

func (a *assembly) addCall(f callFragment) {
	if a.cut {
		return
	}
	args := argumentText(f.Function.Arguments)
	call := a.callFor(f)
	if call == nil {
		if len(a.calls) == maxCalls {
			a.cut = true
			return
		}
		call = &partialCall{}
		a.calls = append(a.calls, call)
	}
	if f.Index != nil {
		if a.byIndex == nil {
			a.byIndex = map[int]*partialCall{}
		}
		a.byIndex[*f.Index] = call
	}
	if call.id == "" {
		call.id = a.take(f.ID)
	}
	if name := f.Function.Name; name != "" && name != call.name && call.args.Len() == 0 {
		call.name += a.take(name)
	}
	call.args.WriteString(a.take(args))
}

// callFor finds the call that f goes on with; nil means that f begins one.
//
// OpenAI sends an index with every fragment, the id and the name with the first
// one only. Others leave the index out, send 0 for every call, or repeat id and
// name in each fragment.
func (a *assembly) callFor(f callFragment) *partialCall {
	var call *partialCall
	switch {
	case f.Index != nil:
		call = a.byIndex[*f.Index]
	case f.ID != "":
		for _, c := range a.calls {
			if c.id == clean(f.ID) {
				call = c
			}
		}
	case len(a.calls) > 0:
		call = a.calls[len(a.calls)-1]
	}
	if call == nil {
		return nil
	}
	if f.ID != "" && call.id != "" && clean(f.ID) != call.id {
		return nil
	}
	// A name after arguments that are complete is the next call, unless the id
	// says that it is the same one.
	if f.Function.Name != "" && f.ID == "" && call.complete() {
		return nil
	}
	return call
}

// complete reports whether the arguments are whole. It looks at their end
// first, because it may be asked with every fragment.
func (c *partialCall) complete() bool {
	args := c.args.String()
	return strings.HasSuffix(strings.TrimSpace(args), "}") && json.Valid([]byte(args))
}

// response is what has been put together so far.
func (a *assembly) response() Response {
	r := Response{Text: a.text.String(), Truncated: a.cut || a.finish == "length", Filtered: a.finish == "content_filter"}
	used := map[string]bool{}
	for i, c := range a.calls {
		if c.name == "" && c.args.Len() == 0 {
			continue // an empty fragment asks for nothing
		}
		id := c.id
		if id == "" || used[id] {
			id = fmt.Sprintf("call_%d", i+1)
		}
		for used[id] {
			id += "_"
		}
		used[id] = true
		r.Calls = append(r.Calls, errand.ToolCall{ID: id, Name: c.name, Arguments: c.args.String()})
	}
	return r
}

// contentText is the text of a content, which is a string, null, or a list of
// parts of which only those of type text are the answer.
func contentText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		if p.Type == "text" {
			s += p.Text
		}
	}
	return s
}

// argumentText is the text of arguments, which are a string or, from some
// servers, the object itself.
func argumentText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// clean makes s storable everywhere: valid UTF-8, and no NUL, which PostgreSQL
// refuses.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
