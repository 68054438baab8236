package scripted

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"errand"
	"errand/internal/llm"
)

// A Turn is a request as a script sees it.
type Turn struct {
	System  string           // the instructions, errand's status note and its summary of what came before
	Before  []errand.Message // up to and with the agent's last answer
	Since   []errand.Message // what followed: messages, calls and results
	Request llm.Request
}

// NewTurn reads a request. Its messages lose the nonces in errand's marks, which no
// script can know.
func NewTurn(r llm.Request) *Turn {
	t := &Turn{System: r.System + "\n" + r.Note + "\n", Request: r}
	start := 0
	for _, m := range r.Messages {
		m.Text = errand.Unmarked(m.Text)
		if m.Speaker == errand.FromPerson && strings.HasPrefix(m.Text, "<summary>") {
			t.System += m.Text + "\n"
			continue
		}
		t.Since = append(t.Since, m)
		if m.Speaker == errand.FromAgent && len(m.Calls) == 0 {
			start = len(t.Since)
		}
	}
	t.Before, t.Since = t.Since[:start], t.Since[start:]
	return t
}

// IsNote reports whether a message of a person is errand's status note, which is the last
// message of its requests (activities/note.go).
func IsNote(text string) bool { return strings.HasPrefix(errand.Unmarked(text), "[note of errand") }

// Offers reports whether the model may know a tool.
func (t *Turn) Offers(tool string) bool {
	return slices.ContainsFunc(t.Request.Tools, func(o llm.Tool) bool { return o.Name == tool })
}

// Rounds is how many answers since the last final one asked for tools.
func (t *Turn) Rounds() (n int) {
	for _, m := range t.Since {
		if len(m.Calls) > 0 {
			n++
		}
	}
	return n
}

// CallOf returns the call that Since[i] is the result of; without a name, if it is not there.
func (t *Turn) CallOf(i int) errand.ToolCall { return callOf(t.Since[:i], t.Since[i].CallID) }

func callOf(messages []errand.Message, id string) errand.ToolCall {
	for _, m := range slices.Backward(messages) {
		for _, c := range m.Calls {
			if c.ID == id {
				return c
			}
		}
	}
	return errand.ToolCall{}
}

// Results are what a tool has answered since the last final answer.
func (t *Turn) Results(tool string) (texts []string) {
	for i, m := range t.Since {
		if m.Speaker == errand.FromTool && t.CallOf(i).Name == tool {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// Called reports whether a tool was called since the last final answer.
func (t *Turn) Called(tool string) bool { return t.calledAfter(-1, tool, nil) }

// Made reports whether a call was made behind Since[i].
func (t *Turn) Made(i int, c errand.ToolCall) bool {
	return t.calledAfter(i, c.Name, func(arguments string) bool { return sameArguments(arguments, c.Arguments) })
}

func (t *Turn) calledAfter(i int, tool string, with func(arguments string) bool) bool {
	for _, m := range t.Since[i+1:] {
		if slices.ContainsFunc(m.Calls, func(c errand.ToolCall) bool { return c.Name == tool && (with == nil || with(c.Arguments)) }) {
			return true
		}
	}
	return false
}

// TaskText is what a task was about: the task in the call whose result names its id first.
func (t *Turn) TaskText(id string) string {
	all := slices.Concat(t.Before, t.Since)
	for i, m := range all {
		if m.Speaker != errand.FromTool || taskID.FindString(m.Text) != id {
			continue
		}
		if task := arguments(callOf(all[:i], m.CallID))["task"]; task != "" {
			return task
		}
	}
	return ""
}

func sameArguments(a, b string) bool {
	var one, two map[string]string
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &two) != nil {
		return a == b
	}
	return maps.Equal(one, two)
}

// arguments are those of a call that are strings.
func arguments(c errand.ToolCall) map[string]string {
	var all map[string]any
	found := map[string]string{}
	if json.Unmarshal([]byte(c.Arguments), &all) != nil {
		return found
	}
	for name, value := range all {
		if s, ok := value.(string); ok {
			found[name] = s
		}
	}
	return found
}
