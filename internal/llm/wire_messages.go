package llm

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"errand"
)

// fromSystem speaks what the instructions say.
const fromSystem errand.Speaker = "system"

// A wireMessage is one message of a request, in a form that every server accepts.
// Each wire has its own words for it.
type wireMessage struct {
	role     errand.Speaker
	text     string
	pictures []errand.Picture  // behind the text; each has Data
	calls    []errand.ToolCall // of an answer; ids are unique, arguments a JSON object
	callID   string            // of a result
	state    json.RawMessage   // of an answer: what the provider of the request wants back; nil: nothing
}

// wireMessages makes of a transcript what every server accepts. One message
// that a server refuses would fail every later turn of the conversation, so
// what models and broken-off turns leave behind is mended here: each call has
// exactly one result, right after it, ids are unique, names and arguments have
// the required form, and nothing is empty. It adds and renames; it drops only
// messages without any content.
//
// What a provider wants back is in it for the provider that stateFor names. Pictures are
// in it for one that sees; another reads what stands there instead.
func wireMessages(system string, transcript []errand.Message, note, stateFor string, sees bool) []wireMessage {
	w := wireTranscript{stateFor: stateFor, sees: sees, used: map[string]bool{}}
	if system != "" {
		w.out = append(w.out, wireMessage{role: fromSystem, text: system})
	}
	for i, m := range transcript {
		switch {
		case m.Speaker == errand.FromTool:
			if !w.isAnswered(transcript, i) {
				w.orphan(m)
			}
		case m.Speaker == errand.FromAgent && len(m.Calls) > 0:
			w.calls(m, results(transcript, i))
		case strings.TrimSpace(m.Text) != "" || len(m.Pictures) > 0:
			w.out = append(w.out, w.message(m))
		}
	}
	if note != "" {
		w.out = append(w.out, wireMessage{role: errand.FromPerson, text: note})
	}
	return w.out
}

type wireTranscript struct {
	stateFor string
	sees     bool

	out  []wireMessage
	used map[string]bool // ids of calls so far
}

func (w *wireTranscript) message(m errand.Message) wireMessage {
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

// calls appends an answer that asks for tools, and their results.
func (w *wireTranscript) calls(m errand.Message, found map[string]string) {
	answer := wireMessage{role: errand.FromAgent, text: m.Text, state: w.state(m)}
	var replies []wireMessage
	for i, c := range m.Calls {
		id := w.id(c.ID, i)
		answer.calls = append(answer.calls, errand.ToolCall{ID: id, Name: wireName(c.Name), Arguments: wireArguments(c.Arguments)})
		text, ok := found[c.ID]
		if !ok {
			text = "[no result: the call was not carried out]"
		}
		replies = append(replies, toolMessage(id, text))
	}
	w.out = append(append(w.out, answer), replies...)
}

func (w *wireTranscript) state(m errand.Message) json.RawMessage {
	if m.State == nil || m.State.For != w.stateFor || !json.Valid(m.State.Data) {
		return nil
	}
	return m.State.Data
}

// orphan appends a result whose call is not in the transcript, for instance
// because it was summarised. Its words must not be lost, and must not pass for
// somebody else's.
func (w *wireTranscript) orphan(m errand.Message) {
	id := w.id(m.CallID, 0)
	w.out = append(w.out,
		wireMessage{role: errand.FromAgent, calls: []errand.ToolCall{{ID: id, Name: "earlier_call", Arguments: "{}"}}},
		toolMessage(id, m.Text))
}

// isAnswered reports whether the tool message at i answers the calls before it.
func (w *wireTranscript) isAnswered(transcript []errand.Message, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if transcript[j].Speaker == errand.FromTool {
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

// id returns an id that no earlier call has: models reuse theirs.
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

func results(transcript []errand.Message, i int) map[string]string {
	found := map[string]string{}
	for _, m := range transcript[i+1:] {
		if m.Speaker != errand.FromTool {
			break
		}
		found[m.CallID] = m.Text
	}
	return found
}

func toolMessage(id, text string) wireMessage {
	if strings.TrimSpace(text) == "" {
		text = "(no output)" // an empty content would be left out, which servers refuse
	}
	return wireMessage{role: errand.FromTool, callID: id, text: text}
}

var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

func wireName(name string) string {
	name = notInName.ReplaceAllString(name, "_")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// wireArguments wraps arguments that are no JSON object: servers parse the ones
// in the transcript and refuse the request over them.
func wireArguments(args string) string {
	if strings.TrimSpace(args) == "" {
		return "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return args
	}
	wrapped, _ := json.Marshal(map[string]string{"not_json": args}) // a string always marshals
	return string(wrapped)
}
