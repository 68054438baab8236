package llm

import (
	"context"
	"encoding/json"

	"errand/internal/core"
)

// A wire is a protocol for calling models. Each provider uses one.
type wire interface {
	// open sends r over x and returns the events of the answer.
	open(ctx context.Context, p *provider, x *exchange, r Request, maxOutput int) (eventStream, error)
	// add adds an event to the answer and returns its text. An event that returns an error adds
	// nothing.
	add(a *assembly, event []byte) (string, error)
	// state returns what the provider wants back for the answer out; nil: nothing.
	state(a *assembly, out Response) any
}

func wireOf(api API) wire {
	if api == APIResponses {
		return responsesWire{}
	}
	return chatWire{}
}

// An eventStream delivers an answer as it arrives. The streams of go-openai implement it.
type eventStream interface {
	RecvRaw() ([]byte, error) // io.EOF at the end
	Close() error
}

// stateOf returns nil for a state that is too large.
func stateOf(p *provider, a *assembly, out Response) *core.ProviderState {
	state := p.wire.state(a, out)
	if state == nil || a.cut {
		return nil
	}
	data, err := json.Marshal(state)
	if err != nil || len(data) > maxState {
		return nil
	}
	return &core.ProviderState{For: p.stateFor, Data: data}
}

func wireParameters(t Tool) json.RawMessage {
	if len(t.Parameters) > 0 {
		return t.Parameters
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// strictSchema applies OpenAI's rules: no additional properties, and all properties are
// required.
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
