package llm

import (
	"encoding/json"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// maxEncodedTools is how many are kept at most. MCP servers change theirs while errand
// runs, and what an agent may delegate differs from person to person.
const maxEncodedTools = 1000

// encodedTools keeps tools as /chat/completions takes them: they are most of a request,
// and the same in nearly all. The zero value is ready.
type encodedTools struct {
	mu    sync.Mutex
	known map[toolContent]json.RawMessage
}

type toolContent struct {
	name, description, parameters string
	strict                        bool
}

func (t Tool) content() toolContent {
	return toolContent{t.Name, t.Description, string(t.Parameters), t.Strict}
}

func (e *encodedTools) encode(t Tool) (json.RawMessage, error) {
	e.mu.Lock()
	encoded, ok := e.known[toolContent{t.Name, t.Description, string(t.Parameters), t.Strict}] // copies nothing
	e.mu.Unlock()
	if ok {
		return encoded, nil
	}
	encoded, err := json.Marshal(openai.Tool{
		Type:     openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: wireParameters(t), Strict: t.Strict && strictSchema(t.Parameters)},
	})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[toolContent]json.RawMessage{}
	}
	for other := range e.known {
		if len(e.known) < maxEncodedTools {
			break
		}
		delete(e.known, other) // any
	}
	e.known[t.content()] = encoded
	return encoded, nil
}
