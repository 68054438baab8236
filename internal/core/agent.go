package core

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
)

// An AgentKind is where an agent works, which decides the workflow of its tasks.
type AgentKind string

// A local agent, the default, has a model that errand calls. A remote agent works in another
// system, a peer. A coding agent is a program in a folder on a worker's machine.
const (
	LocalAgent  AgentKind = "local"
	RemoteAgent AgentKind = "remote"
	CodingAgent AgentKind = "coding"
)

// IsRemote reports whether errand can only delegate to agents of this kind.
func (k AgentKind) IsRemote() bool { return k == RemoteAgent || k == CodingAgent }

// A CrowdedAgent has more tools than one request may contain, by number or by size.
type CrowdedAgent struct {
	Agent   AgentName `json:"agent"`
	Tools   int       `json:"tools"`
	Most    int       `json:"most" description:"how many tools the model accepts"`
	LeftOut []string  `json:"left_out" description:"the tools that its requests do not have"`
}

// A ModelState is the result of the last call of a configured model.
type ModelState struct {
	Model   string      `json:"model" description:"its key in errand.yaml"`
	Name    string      `json:"name" description:"what its provider calls it"`
	OK      bool        `json:"ok" description:"also if nothing is known of it yet"`
	Says    string      `json:"says" description:"for people: why it does not answer, or how it did"`
	Checked time.Time   `json:"checked,omitzero"`
	Seconds float64     `json:"seconds,omitempty" description:"how long its answer to the last test took; omitted: no answer since the worker started"`
	Vision  bool        `json:"vision" description:"it is known to see pictures, at one of its providers at least"`
	Agents  []AgentName `json:"agents,omitzero" description:"that think with it, of those that the person may talk with"`
	Price   string      `json:"price,omitempty" description:"for people: of a million tokens of input and output, and where it comes from"`

	ContextTokens int    `json:"context_tokens,omitempty" description:"size of its context window; absent: unknown"`
	Provider      string `json:"provider,omitempty" description:"its first provider, for those who may check models"`
}

// Line returns the state as one line. If the model is OK, Says is the end of a sentence about it.
func (m ModelState) Line() string {
	name := cmp.Or(m.Name, m.Model)
	if !m.OK {
		return name + ": " + m.Says
	}
	return strings.TrimSuffix(name+" "+m.Says+"; "+m.Price, "; ")
}

// A RemoteAgentState is whether another system's agent accepts tasks.
type RemoteAgentState struct {
	Agent AgentName `json:"agent"`
	OK    bool      `json:"ok"`
	Says  string    `json:"says,omitempty" description:"why it cannot be"`
}

// A ClientTool is a function that the calling program runs for the agent.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object; nil means no parameters
	Strict      bool            `json:"strict,omitempty"`     // the arguments must match Parameters
}

// ClientTools are the tools that a program offers with a message, for the turn that answers it.
type ClientTools struct {
	Tools  []ClientTool `json:"tools"`
	Must   bool         `json:"must,omitempty"`   // the turn must end with calls
	Only   string       `json:"only,omitempty"`   // with Must: the only tool to call; empty: any
	Single bool         `json:"single,omitempty"` // at most one call in a step
}

func (c *ClientTools) Has(name string) bool {
	return c != nil && slices.ContainsFunc(c.Tools, func(t ClientTool) bool { return t.Name == name })
}

// A ClientCall is a call that ends a turn, for the program to run.
type ClientCall struct {
	ID        string // assigned by errand, unique
	Name      string
	Arguments string // JSON
}

// A ClientOutput is the result of a call, as reported by the program.
type ClientOutput struct {
	Call string // the id of the call
	Text string
}

const longestAbout = 80 // characters

var aboutArguments = []string{"query", "url", "path", "name", "key", "title", "text", "id"}

// About returns one argument of a call in one line; may be empty. A model wrote the words.
func (c ToolCall) About() string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return ""
	}
	for _, name := range aboutArguments {
		if text, ok := args[name].(string); ok && strings.TrimSpace(text) != "" {
			return Cut(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " "), longestAbout)
		}
	}
	return ""
}

// A RegisteredAgent is a person's own program, such as an editor, that takes requests under a name.
// It is not known whether the program is running.
type RegisteredAgent struct {
	Name        AgentName
	Description string
}
