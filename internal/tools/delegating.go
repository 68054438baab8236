package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/internal/core"
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
		"task": {"type": "string", "description": "what to do, understandable by itself: the agent does not see this conversation"}
	},
	"required": ["agent", "task"]
}`

// Delegating returns the tools that delegate tasks to other agents.
func Delegating(procedures ...core.Procedure) []Tool {
	return []Tool{{
		Name:        CallAgent,
		Description: "Give a task to another agent and wait for its report. If it takes long, you get the task id instead and the result later.",
		Parameters:  json.RawMessage(delegateParameters),
		By:          store.ByDelegation,
	}, {
		Name:        CallAgentAsync,
		Description: "Give a task to another agent in the background and continue. You get the task id at once. The result comes to this conversation by itself, however late.",
		Parameters:  json.RawMessage(delegateParameters),
		By:          store.ByDelegation,
	}, withProcedures(askTeam(), procedures), consult()}
}

// A Delegation is a parsed call of a delegating tool.
type Delegation struct {
	Agent core.AgentName
	Task  string
	Waits bool // the turn waits for the task
}

// maxTask is the maximum length of a task's text, in bytes.
const maxTask = 32 << 10

// ParseDelegation parses a call of a delegating tool. The model reads the error.
func ParseDelegation(call core.ToolCall) (Delegation, error) {
	in, err := Parse[struct{ Agent, Task string }](json.RawMessage(call.Arguments))
	if err != nil {
		return Delegation{}, err
	}
	d := Delegation{
		Agent: core.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))),
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

// NarrowAgents limits the agent parameter of t to names, and describes what each agent is good at.
func NarrowAgents(t llm.Tool, names []core.AgentName, about func(core.AgentName) string) llm.Tool {
	lines := make([]string, len(names))
	for i, n := range names {
		lines[i] = fmt.Sprintf("%s: %s", n, about(n))
	}
	var schema map[string]any
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return t // cannot happen: the parameters are constants
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
		return t // cannot happen: strings always marshal
	}
	t.Parameters = raw
	return t
}
