package llm

import (
	"encoding/json"
	"sync"

	openai "github.com/sashabaranov/go-openai"
)

// maxEncodedTools bounds the cache: MCP servers change their tools, and delegation tools
// differ by person.
const maxEncodedTools = 1000

// encodedTools caches encoded tools, which make up most of a request and rarely change. The
// zero value is ready to use.
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
	// No allocation for the key.
	encoded, ok := e.known[toolContent{t.Name, t.Description, string(t.Parameters), t.Strict}]
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
		delete(e.known, other) // evict any entry
	}
	e.known[t.content()] = encoded
	return encoded, nil
}
