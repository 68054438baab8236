package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A chunk is one event, or the whole answer of a server that does not stream. The types of
// go-openai are too strict: content may be a list of parts, arguments may be an object, and
// the index may be missing.
type chunk struct {
	Choices []struct {
		Index        int       `json:"index"`
		Delta        *fragment `json:"delta"`
		Message      *fragment `json:"message"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage tokenCount      `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type fragment struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []callFragment  `json:"tool_calls"`

	// See chatState.
	ReasoningContent string            `json:"reasoning_content"`
	Reasoning        json.RawMessage   `json:"reasoning"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	ExtraContent     json.RawMessage   `json:"extra_content"`
}

type callFragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// addChunk adds an event to the answer and returns its text. An event that returns an error
// adds nothing.
func (a *assembly) addChunk(data []byte) (string, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return "", fmt.Errorf("stream event: %w", err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return "", errErrorChunk
	}
	if c.Usage.counted {
		// Some servers send a running count with every event; the last one is final.
		a.tokens = c.Usage
	}
	var added strings.Builder
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // the request asked for one answer
		}
		for _, f := range []*fragment{choice.Delta, choice.Message} {
			if f == nil {
				continue
			}
			added.WriteString(a.addText(contentText(f.Content)))
			added.WriteString(a.addText(f.Refusal))
			a.addState(f)
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
	if isSet(f.ExtraContent) {
		call.extra = f.ExtraContent
	}
}

// callFor finds the call that the fragment f continues. It returns nil if f begins a call.
//
// OpenAI sends an index with every fragment, and the id and the name only with the first.
// Other servers leave the index out, send 0 for every call, or repeat the id and the name in
// each fragment.
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
	// A name after complete arguments begins the next call, unless the id says that it is the
	// same call.
	if f.Function.Name != "" && f.ID == "" && call.complete() {
		return nil
	}
	return call
}

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

func argumentText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
