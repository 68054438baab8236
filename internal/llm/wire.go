package llm

import (
	"context"
	"encoding/json"

	"errand"
)

// A wire is one of the ways in which models are spoken to. A provider has one.
type wire interface {
	// open sends r over x and returns the events of its answer.
	open(ctx context.Context, p *provider, x *exchange, r Request, maxOutput int) (eventStream, error)
	// add takes one event into the answer and returns the text that it adds. An error
	// means that the event is not part of an answer.
	add(a *assembly, event []byte) (string, error)
	// state is what the provider wants back of an answer that is out; nil: nothing.
	state(a *assembly, out Response) any
}

func wireOf(api API) wire {
	if api == APIResponses {
		return responsesWire{}
	}
	return chatWire{}
}

// An eventStream is an answer while it comes in; go-openai's streams are some.
type eventStream interface {
	RecvRaw() ([]byte, error) // io.EOF at its end
	Close() error
}

// stateOf is what p wants back of an answer; nil: nothing, or too much.
func stateOf(p *provider, a *assembly, out Response) *errand.ProviderState {
	state := p.wire.state(a, out)
	if state == nil || a.cut {
		return nil
	}
	data, err := json.Marshal(state)
	if err != nil || len(data) > maxState {
		return nil
	}
	return &errand.ProviderState{For: p.stateFor, Data: data}
}

func wireParameters(t Tool) json.RawMessage {
	if len(t.Parameters) > 0 {
		return t.Parameters
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
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
