package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"errand/internal/core"
)

const fromSystem core.Speaker = "system"

// A wireMessage is a message in a form that every server accepts.
type wireMessage struct {
	role     core.Speaker
	text     string
	pictures []core.Picture  // after the text; each has Data
	calls    []core.ToolCall // of an answer; ids are unique, arguments are JSON objects
	callID   string          // of a result
	// Of an answer: what the provider of the request wants back; nil: nothing.
	state json.RawMessage
}

// wireMessages converts a transcript to a form that every server accepts, because one
// refused message would fail every later turn. Each call has one result right after it, ids
// are unique, names and arguments have the required form, and nothing is empty. Only
// messages without content are dropped.
//
// It keeps states only of the provider that stateFor names. If the model does not accept
// pictures, each is replaced by its text.
func wireMessages(system string, transcript []core.Message, note, stateFor string, sees bool) []wireMessage {
	w := wireTranscript{stateFor: stateFor, sees: sees, used: map[string]bool{}}
	if system != "" {
		w.out = append(w.out, wireMessage{role: fromSystem, text: system})
	}
	for i, m := range transcript {
		switch {
		case m.Speaker == core.FromTool:
			if !w.isAnswered(transcript, i) {
				w.orphan(m)
			}
		case m.Speaker == core.FromAgent && len(m.Calls) > 0:
			w.calls(m, results(transcript, i))
		case strings.TrimSpace(m.Text) != "" || len(m.Pictures) > 0:
			w.out = append(w.out, w.message(m))
		}
	}
	if note != "" {
		w.out = append(w.out, wireMessage{role: core.FromPerson, text: note})
	}
	return w.out
}

type wireTranscript struct {
	stateFor string
	sees     bool

	out  []wireMessage
	used map[string]bool // ids of calls so far
}

func (w *wireTranscript) message(m core.Message) wireMessage {
	out := wireMessage{role: m.Speaker, text: m.Text, state: w.state(m)}
	for _, p := range m.Pictures {
		if w.sees && len(p.Data) > 0 {
			out.pictures = append(out.pictures, p)
		} else {
			out.text = strings.TrimPrefix(out.text+"\n"+p.Instead, "\n")
		}
	}
	return out
}

func (w *wireTranscript) calls(m core.Message, found map[string]string) {
	answer := wireMessage{role: core.FromAgent, text: m.Text, state: w.state(m)}
	var replies []wireMessage
	for i, c := range m.Calls {
		id := w.id(c.ID, i)
		answer.calls = append(answer.calls, core.ToolCall{ID: id, Name: wireName(c.Name), Arguments: wireArguments(c.Arguments)})
		text, ok := found[c.ID]
		if !ok {
			text = "[no result: the call was not carried out]"
		}
		replies = append(replies, toolMessage(id, text))
	}
	w.out = append(append(w.out, answer), replies...)
}

func (w *wireTranscript) state(m core.Message) json.RawMessage {
	if m.State == nil || m.State.For != w.stateFor || !json.Valid(m.State.Data) {
		return nil
	}
	return m.State.Data
}

// orphan appends a result after its call was summarised. Its text must not be lost, and
// must not look like another speaker's.
func (w *wireTranscript) orphan(m core.Message) {
	id := w.id(m.CallID, 0)
	w.out = append(w.out,
		wireMessage{role: core.FromAgent, calls: []core.ToolCall{{ID: id, Name: "earlier_call", Arguments: "{}"}}},
		toolMessage(id, m.Text))
}

func (w *wireTranscript) isAnswered(transcript []core.Message, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if transcript[j].Speaker == core.FromTool {
			continue
		}
		for _, c := range transcript[j].Calls {
			if c.ID == transcript[i].CallID {
				return true
			}
		}
		break
	}
	return false
}

// id returns an id that no earlier call has, because models reuse ids.
func (w *wireTranscript) id(id string, position int) string {
	if id == "" {
		id = fmt.Sprintf("call_%d", position+1)
	}
	unique := id
	for n := 2; w.used[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", id, n)
	}
	w.used[unique] = true
	return unique
}

func results(transcript []core.Message, i int) map[string]string {
	found := map[string]string{}
	for _, m := range transcript[i+1:] {
		if m.Speaker != core.FromTool {
			break
		}
		found[m.CallID] = m.Text
	}
	return found
}

func toolMessage(id, text string) wireMessage {
	if strings.TrimSpace(text) == "" {
		text = "(no output)" // empty content would be omitted, and servers refuse that
	}
	return wireMessage{role: core.FromTool, callID: id, text: text}
}

var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

func wireName(name string) string {
	name = notInName.ReplaceAllString(name, "_")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// wireArguments wraps arguments that are not a JSON object, because servers refuse the
// request otherwise.
func wireArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	wrapped, _ := json.Marshal(map[string]string{"not_json": args}) // strings always marshal
	return string(wrapped)
}
