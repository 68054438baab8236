package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand"
	"errand/internal/llm"
	"errand/internal/store"
)

// Names of the delegating tools.
const (
	CallAgent      = "call_agent"
	CallAgentAsync = "call_agent_async"
)

const delegateParameters = `{
	"type": "object",
	"properties": {
		"agent": {"type": "string", "description": "name of the agent"},
		"task": {"type": "string", "description": "what is to be done, complete in itself: the agent does not see this conversation"}
	},
	"required": ["agent", "task"]
}`

// Delegating are the tools that send another agent on an errand.
func Delegating(procedures ...errand.Procedure) []Tool {
	return []Tool{{
		Name:        CallAgent,
		Description: "Have another agent do a task and wait for its report. When it takes long you are told the task id instead, and the result comes later.",
		Parameters:  json.RawMessage(delegateParameters),
		By:          store.ByDelegation,
	}, {
		Name:        CallAgentAsync,
		Description: "Send another agent on a task in the background and go on. You get the task id at once; the result comes to this conversation by itself, however late.",
		Parameters:  json.RawMessage(delegateParameters),
		By:          store.ByDelegation,
	}, withProcedures(askTeam(), procedures), consult()}
}

// A Delegation is what a call of a delegating tool asks for.
type Delegation struct {
	Agent errand.AgentName
	Task  string
	Waits bool // the turn waits for the task
}

// maxTask is how long the text of a task may be, in bytes.
const maxTask = 32 << 10

// ParseDelegation reads a call of a delegating tool. The error is for the model to
// read.
func ParseDelegation(call errand.ToolCall) (Delegation, error) {
	in, err := Parse[struct{ Agent, Task string }](json.RawMessage(call.Arguments))
	if err != nil {
		return Delegation{}, err
	}
	d := Delegation{
		Agent: errand.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))),
		Task:  strings.TrimSpace(in.Task),
		Waits: call.Name == CallAgent,
	}
	switch {
	case d.Agent == "":
		return d, errors.New(`"agent" is missing`)
	case d.Task == "":
		return d, errors.New(`"task" is missing`)
	case len(d.Task) > maxTask:
		return d, fmt.Errorf("the task has %d bytes; at most %d", len(d.Task), maxTask)
	}
	return d, nil
}

// NarrowAgents narrows the agent parameter of t to names, and says what each is
// good at.
func NarrowAgents(t llm.Tool, names []errand.AgentName, about func(errand.AgentName) string) llm.Tool {
	lines := make([]string, len(names))
	for i, n := range names {
		lines[i] = fmt.Sprintf("%s: %s", n, about(n))
	}
	var schema map[string]any
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return t // the parameters are written here: it cannot fail
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil {
		return t
	}
	if _, several := properties["agents"]; several {
		properties["agents"] = map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": names}, "description": strings.Join(lines, "\n")}
	} else {
		properties["agent"] = map[string]any{"type": "string", "enum": names, "description": strings.Join(lines, "\n")}
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return t // names are strings: it cannot fail
	}
	t.Parameters = raw
	return t
}
