package llm

import (
	"encoding/json"
	"fmt"
)

// A responsesEvent is also the whole response of a server that does not stream:
// https://platform.openai.com/docs/api-reference/responses-streaming
type responsesEvent struct {
	Type        string          `json:"type"`
	Sequence    *int            `json:"sequence_number"`
	OutputIndex int             `json:"output_index"`
	Delta       string          `json:"delta"`
	Item        json.RawMessage `json:"item"`
	Response    json.RawMessage `json:"response"`
	Object      string          `json:"object"`
}

type responsesBody struct {
	ID     string            `json:"id"`
	Status string            `json:"status"`
	Output []json.RawMessage `json:"output"`
	Error  json.RawMessage   `json:"error"`
	Why    *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage tokenCount `json:"usage"`
}

type responsesOutput struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Phase     string          `json:"phase"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Encrypted string `json:"encrypted_content"`
}

func (responsesWire) add(a *assembly, data []byte) (string, error) {
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return "", fmt.Errorf("stream event: %w", err)
	}
	if e.Sequence != nil {
		a.sequence = *e.Sequence + 1
	}
	switch {
	case e.Type == "error":
		return "", &reportedError{data}
	case e.Object == "response":
		return a.endResponse(data)
	}
	switch e.Type {
	case "response.created", "response.queued", "response.in_progress":
		a.thinking = true // it sends no text until the reasoning is done
	case "response.output_text.delta", "response.refusal.delta":
		a.thinking = false
		a.streamed(e.OutputIndex)
		return a.addText(e.Delta), nil
	case "response.function_call_arguments.delta":
		a.thinking = false
		if call := a.byIndex[e.OutputIndex]; call != nil {
			call.args.WriteString(a.take(e.Delta))
		}
	case "response.output_item.added":
		return "", a.beginItem(e)
	case "response.output_item.done":
		return a.endItem(e.OutputIndex, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		return a.endResponse(e.Response)
	}
	return "", nil
}

func (a *assembly) beginItem(e responsesEvent) error {
	var item responsesOutput
	if err := json.Unmarshal(e.Item, &item); err != nil {
		return fmt.Errorf("stream event: %w", err)
	}
	switch item.Type {
	case "function_call":
		a.thinking = false
		a.callAt(e.OutputIndex, item)
	case "reasoning":
		a.thinking = true
	}
	return nil
}

// callAt returns nil if there are too many calls.
func (a *assembly) callAt(index int, item responsesOutput) *partialCall {
	if call := a.byIndex[index]; call != nil || a.cut {
		return call
	}
	if len(a.calls) == maxCalls {
		a.cut = true
		return nil
	}
	call := &partialCall{id: a.take(item.CallID), name: a.take(item.Name)}
	a.calls = append(a.calls, call)
	if a.byIndex == nil {
		a.byIndex = map[int]*partialCall{}
	}
	a.byIndex[index] = call
	return call
}

func (a *assembly) streamed(index int) {
	if a.texts == nil {
		a.texts = map[int]bool{}
	}
	a.texts[index] = true
}

// endItem takes the parts of an item that were not streamed, and the state that the provider
// wants back.
func (a *assembly) endItem(index int, raw json.RawMessage) (string, error) {
	var item responsesOutput
	if err := json.Unmarshal(raw, &item); err != nil {
		return "", fmt.Errorf("stream event: %w", err)
	}
	if a.ended[index] {
		return "", nil
	}
	if a.ended == nil {
		a.ended = map[int]bool{}
	}
	a.ended[index] = true
	a.thinking = true // the model may reason again before the next item
	switch item.Type {
	case "message":
		a.items = append(a.items, responsesItem{Type: "message", Phase: item.Phase})
		if a.texts[index] {
			return "", nil
		}
		added := ""
		for _, part := range item.Content {
			added += a.addText(part.Text) + a.addText(part.Refusal)
		}
		return added, nil
	case "function_call":
		a.items = append(a.items, responsesItem{Type: "function_call"})
		if call := a.callAt(index, item); call != nil && call.args.Len() == 0 {
			call.args.WriteString(a.take(argumentText(item.Arguments)))
		}
	case "reasoning":
		if kept := reasoningItem(raw, item); kept != nil {
			a.items = append(a.items, responsesItem{Type: "reasoning", Raw: kept})
		}
	}
	return "", nil
}

// reasoningItem removes the id and status of encrypted items. The server has not stored
// them, and it looks for any item that has an id.
func reasoningItem(raw json.RawMessage, item responsesOutput) json.RawMessage {
	if item.Encrypted == "" {
		if len(item.Content) == 0 {
			return nil
		}
		return raw
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	delete(fields, "id")
	delete(fields, "status")
	if !isSet(fields["content"]) {
		delete(fields, "content")
	}
	if fields["summary"] == nil {
		fields["summary"] = json.RawMessage("[]")
	}
	return mustMarshal(fields)
}

func (a *assembly) endResponse(raw json.RawMessage) (string, error) {
	var r responsesBody
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", fmt.Errorf("stream event: %w", err)
	}
	if r.Usage.counted {
		a.tokens = r.Usage
	}
	added := ""
	for i, item := range r.Output {
		text, err := a.endItem(i, item)
		if err != nil {
			return "", err
		}
		added += text
	}
	switch {
	case r.Status == "failed":
		return "", &reportedError{mustMarshal(map[string]json.RawMessage{"error": r.Error})}
	case r.Status == "incomplete" && r.Why != nil && r.Why.Reason == "content_filter":
		a.finish = "content_filter"
	case r.Status == "incomplete":
		a.finish = "length"
	case r.Status == "cancelled":
		a.finish = "error"
	default:
		a.finish = "stop"
	}
	return added, nil
}

func (responsesWire) state(a *assembly, out Response) any {
	calls, reasoned := 0, false
	for _, item := range a.items {
		switch item.Type {
		case "function_call":
			calls++
		case "reasoning":
			reasoned = true
		}
	}
	// If the answer was cut off, or its calls were not allowed, it no longer matches the
	// provider's reasoning.
	if n := len(a.items); !reasoned || out.Truncated || calls != len(out.Calls) || a.items[n-1].Type == "reasoning" {
		return nil
	}
	return a.items
}
