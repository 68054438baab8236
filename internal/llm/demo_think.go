package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// A demoTurn is a request as the demonstration model sees it: what was said
// since its last final answer, and what it may call.
type demoTurn struct {
	system string
	before []openai.ChatCompletionMessage // up to and with the last final answer
	tail   []openai.ChatCompletionMessage // what followed
	tools  map[string]json.RawMessage     // name to parameters
	agents []string                       // who can be asked
	mute   bool                           // tool_choice none
}

const demoIntro = "I am errand's offline demonstration model: I follow a handful of plain requests and know nothing else. " +
	"Set OPENAI_BASE_URL, OPENAI_API_KEY and ERRAND_MODEL to talk to a real one."

var (
	isSubAgent = regexp.MustCompile(`(?m)\bYou are working on task t-`)
	isSummary  = regexp.MustCompile(`(?i)^\W*summari[sz]e`)
	ownName    = regexp.MustCompile(`\bYou are ([A-Z]\w*)`)
)

// think decides what to answer. It has no state and no clock: the same request
// gets the same answer.
func (d *demo) think(req openai.ChatCompletionRequest) demoAnswer {
	t := readTurn(req)
	switch {
	case req.ResponseFormat != nil && req.ResponseFormat.JSONSchema != nil && len(t.tools) == 0,
		req.ResponseFormat != nil && req.ResponseFormat.JSONSchema != nil && t.mute:
		return demoAnswer{text: demoJSON(req.ResponseFormat.JSONSchema)}
	case isSummary.MatchString(t.system):
		return demoAnswer{text: t.summary()}
	case isSubAgent.MatchString(t.system):
		return d.work(t, req.ResponseFormat)
	}
	return d.answer(t)
}

func readTurn(req openai.ChatCompletionRequest) demoTurn {
	t := demoTurn{tools: map[string]json.RawMessage{}, mute: req.ToolChoice == "none"}
	var talk []openai.ChatCompletionMessage
	for _, m := range req.Messages {
		for _, part := range m.MultiContent {
			m.Content += part.Text
		}
		if isNote(m) || m.Role == openai.ChatMessageRoleSystem || m.Role == openai.ChatMessageRoleDeveloper {
			t.system += m.Content + "\n"
			continue
		}
		m.Content = errand.Unmarked(m.Content)
		talk = append(talk, m)
	}
	start := 0
	for i, m := range talk {
		if m.Role == openai.ChatMessageRoleAssistant && len(m.ToolCalls) == 0 {
			start = i + 1
		}
	}
	t.before, t.tail = talk[:start], talk[start:]
	for _, tool := range req.Tools {
		if tool.Function != nil {
			t.tools[tool.Function.Name], _ = json.Marshal(tool.Function.Parameters) // it has just been JSON
		}
	}
	t.agents = demoAgents(req.Tools)
	return t
}

// isNote reports whether a message is errand's own: how things stand, or what came
// before (activities/note.go).
func isNote(m openai.ChatCompletionMessage) bool {
	return m.Role == openai.ChatMessageRoleUser && (strings.HasPrefix(errand.Unmarked(m.Content), "[note of errand") || strings.HasPrefix(errand.Unmarked(m.Content), "<summary>"))
}

func (t *demoTurn) offers(tool string) bool { _, ok := t.tools[tool]; return ok }

// answer answers a person: first the calls that messages ask for, then, with
// all results there, everything that was said and came back, in order.
func (d *demo) answer(t demoTurn) demoAnswer {
	var calls []openai.ToolCall
	var lines []string
	var takes time.Duration
	for i, m := range t.tail {
		switch m.Role {
		case openai.ChatMessageRoleTool:
			lines = append(lines, t.relay(i))
		case openai.ChatMessageRoleUser:
			if t.handedOver(i) {
				continue // the agent that was handed over to says that it is there
			}
			wanted := t.calls(m.Content)
			missing := slices.DeleteFunc(slices.Clone(wanted), func(c openai.ToolCall) bool { return t.made(i, c) })
			switch {
			case len(wanted) == 0:
				lines = append(lines, t.reply(m.Content))
				takes += askedTime(m.Content)
			case len(missing) > 0 && t.mute:
				lines = append(lines, fmt.Sprintf("I may not call more tools in this turn, so %q has to wait for your next message.", cut(m.Content, 80)))
			default:
				calls = append(calls, missing...)
			}
		}
	}
	if len(calls) > 0 {
		return demoAnswer{calls: numbered(calls)}
	}
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	if len(lines) == 0 {
		lines = append(lines, "There is nothing to answer yet.")
	}
	return demoAnswer{text: t.introduced(strings.Join(lines, "\n\n")), takes: takes}
}

// handedOver reports whether the message at tail[i] led to a hand-over, after
// which another agent answers.
func (t *demoTurn) handedOver(i int) bool {
	for _, m := range t.tail[i+1:] {
		if m.Role == openai.ChatMessageRoleUser {
			return false
		}
		for _, c := range m.ToolCalls {
			if c.Function.Name == "transfer_to_agent" {
				return true
			}
		}
	}
	return false
}

// made reports whether c, which the message at tail[i] asks for, was called.
func (t *demoTurn) made(i int, c openai.ToolCall) bool {
	for _, m := range t.tail[i+1:] {
		for _, made := range m.ToolCalls {
			if made.Function.Name == c.Function.Name && sameArguments(made.Function.Arguments, c.Function.Arguments) {
				return true
			}
		}
	}
	return false
}

func sameArguments(a, b string) bool {
	var one, two map[string]string
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &two) != nil {
		return a == b
	}
	return maps.Equal(one, two)
}

// introduced adds, once in a transcript, what is speaking here.
func (t *demoTurn) introduced(text string) string {
	for _, m := range t.before {
		if m.Role == openai.ChatMessageRoleAssistant && strings.Contains(m.Content, "demonstration") {
			return text
		}
	}
	return text + "\n\n(" + demoIntro + ")"
}

func (t *demoTurn) summary() string {
	var lines []string
	for _, m := range slices.Concat(t.before, t.tail) {
		if m.Role == openai.ChatMessageRoleUser {
			lines = append(lines, "- "+cut(m.Content, 120))
		}
	}
	return "Summary by the demonstration model, which only lists what was asked:\n" + strings.Join(lines, "\n")
}

func demoJSON(f *openai.ChatCompletionResponseFormatJSONSchema) string {
	raw, err := f.Schema.MarshalJSON()
	if err != nil {
		return "{}"
	}
	out, err := json.Marshal(leastValue(raw, 0))
	if err != nil {
		return "{}"
	}
	return string(out)
}

func leastValue(schema json.RawMessage, depth int) any {
	var s struct {
		Type       any                        `json:"type"`
		Enum       []any                      `json:"enum"`
		Const      any                        `json:"const"`
		Properties map[string]json.RawMessage `json:"properties"`
		Minimum    float64                    `json:"minimum"`
	}
	if json.Unmarshal(schema, &s) != nil || depth > 20 {
		return nil
	}
	kind := s.Type
	if several, ok := kind.([]any); ok && len(several) > 0 {
		kind = several[0]
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case kind == "object" || len(s.Properties) > 0:
		object := map[string]any{}
		for name, p := range s.Properties {
			object[name] = leastValue(p, depth+1)
		}
		return object
	case kind == "array":
		return []any{}
	case kind == "boolean":
		return true
	case kind == "integer" || kind == "number":
		return s.Minimum
	case kind == "null":
		return nil
	}
	return "from the demonstration model"
}

// demoAgents are the names that call_agent or call_agent_async accept: the enum
// of its agent parameter, or what its descriptions list after "agents:".
func demoAgents(tools []openai.Tool) []string {
	var found []string
	for _, tool := range tools {
		if tool.Function == nil || !slices.Contains([]string{"call_agent", "call_agent_async", "transfer_to_agent"}, tool.Function.Name) {
			continue
		}
		raw, _ := json.Marshal(tool.Function.Parameters) // it has just been JSON
		var s struct {
			Properties struct {
				Agent struct {
					Enum        []string `json:"enum"`
					Description string   `json:"description"`
				} `json:"agent"`
			} `json:"properties"`
		}
		if json.Unmarshal(raw, &s) != nil {
			continue
		}
		names := s.Properties.Agent.Enum
		if len(names) == 0 {
			if m := listedAgents.FindStringSubmatch(tool.Function.Description + "\n" + s.Properties.Agent.Description); m != nil {
				names = strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })
			}
		}
		for _, n := range names {
			if n = strings.ToLower(n); !slices.Contains(found, n) && n != "and" && n != "or" {
				found = append(found, n)
			}
		}
	}
	return found
}

var listedAgents = regexp.MustCompile(`(?i)(?:agents?|one of):\s*([\w, -]+)`)

func cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func demoCall(name string, arguments map[string]string) openai.ToolCall {
	raw, _ := json.Marshal(arguments) // strings always marshal
	return openai.ToolCall{Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: name, Arguments: string(raw)}}
}

func numbered(calls []openai.ToolCall) []openai.ToolCall {
	for i := range calls {
		calls[i].ID = fmt.Sprintf("call_%d", i+1)
	}
	return calls
}
