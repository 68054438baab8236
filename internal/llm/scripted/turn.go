package scripted

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/llm"
)

// A Turn is a request in the form that scripts use.
type Turn struct {
	System  string         // the instructions, the status note and the summary of earlier messages
	Before  []core.Message // up to and including the agent's last answer
	Since   []core.Message // later messages, calls and results
	Request llm.Request
}

// NewTurn converts a request. It removes the nonces from errand's marks, because scripts
// cannot know them.
func NewTurn(r llm.Request) *Turn {
	t := &Turn{System: r.System + "\n" + r.Note + "\n", Request: r}
	start := 0
	for _, m := range r.Messages {
		for _, p := range m.Pictures { // scripts read the replacement text of a picture
			m.Text = strings.TrimPrefix(m.Text+"\n"+p.Instead, "\n")
		}
		m.Text = core.Unmarked(m.Text)
		if m.Speaker == core.FromPerson && strings.HasPrefix(m.Text, "<summary>") {
			t.System += m.Text + "\n"
			continue
		}
		t.Since = append(t.Since, m)
		if m.Speaker == core.FromAgent && len(m.Calls) == 0 {
			start = len(t.Since)
		}
	}
	t.Before, t.Since = t.Since[:start], t.Since[start:]
	return t
}

// Offers reports whether the request offers a tool to the model.
func (t *Turn) Offers(tool string) bool {
	return slices.ContainsFunc(t.Request.Tools, func(o llm.Tool) bool { return o.Name == tool })
}

// Rounds returns how many answers since the last final one called tools.
func (t *Turn) Rounds() (n int) {
	for _, m := range t.Since {
		if len(m.Calls) > 0 {
			n++
		}
	}
	return n
}

// CallOf returns the call that produced the result Since[i]. If it is missing, the returned
// call has no name.
func (t *Turn) CallOf(i int) core.ToolCall { return callOf(t.Since[:i], t.Since[i].CallID) }

func callOf(messages []core.Message, id string) core.ToolCall {
	for _, m := range slices.Backward(messages) {
		for _, c := range m.Calls {
			if c.ID == id {
				return c
			}
		}
	}
	return core.ToolCall{}
}

// Results returns the results of a tool since the last final answer.
func (t *Turn) Results(tool string) (texts []string) {
	for i, m := range t.Since {
		if m.Speaker == core.FromTool && t.CallOf(i).Name == tool {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// Called reports whether a tool was called since the last final answer.
func (t *Turn) Called(tool string) bool { return t.calledAfter(-1, tool, nil) }

// Made reports whether the call was made after Since[i].
func (t *Turn) Made(i int, c core.ToolCall) bool {
	return t.calledAfter(i, c.Name, func(arguments string) bool { return sameArguments(arguments, c.Arguments) })
}

func (t *Turn) calledAfter(i int, tool string, with func(arguments string) bool) bool {
	for _, m := range t.Since[i+1:] {
		if slices.ContainsFunc(m.Calls, func(c core.ToolCall) bool { return c.Name == tool && (with == nil || with(c.Arguments)) }) {
			return true
		}
	}
	return false
}

// TaskText returns the task text of the call that started the task id, or "" if it is
// missing.
func (t *Turn) TaskText(id string) string {
	all := slices.Concat(t.Before, t.Since)
	for i, m := range all {
		if m.Speaker != core.FromTool || taskID.FindString(m.Text) != id {
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

func arguments(c core.ToolCall) map[string]string {
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
