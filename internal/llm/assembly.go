package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
)

// An answer that exceeds these limits is cut and marked Truncated. It is not requested
// again, because it costs the same and would most likely be as long.
const (
	maxAnswer = 1 << 20 // bytes of text, names and arguments
	maxCalls  = 128
)

var errErrorChunk = errors.New("error in the stream")

type reportedError struct{ report []byte }

func (*reportedError) Error() string { return errErrorChunk.Error() }

func (*reportedError) Is(err error) bool { return err == errErrorChunk }

type assembly struct {
	text    strings.Builder
	calls   []*partialCall
	byIndex map[int]*partialCall // the newest call of each index
	size    int
	finish  string // the chat wire's finish reason; empty: the answer has not ended
	cut     bool   // a limit was exceeded: stop reading

	sequence int  // sequence number of the next event, for wires that number events
	thinking bool // the model is reasoning and has sent no text since

	chat  chatState       // for the chat wire
	items []responsesItem // for the responses wire
	texts map[int]bool    // responses wire: output indexes that have streamed text
	ended map[int]bool    // responses wire: output indexes that are complete

	tokens tokenCount // as counted by the provider
}

// maxState is in bytes. A larger state is dropped, and the next request goes without it.
const maxState = 256 << 10

type partialCall struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage // what the provider wants to get back with the call
}

func (a *assembly) addText(s string) string {
	s = a.take(s)
	a.text.WriteString(s)
	return s
}

func (a *assembly) take(s string) string {
	if a.cut || s == "" {
		return ""
	}
	s = clean(s)
	if left := maxAnswer - a.size; len(s) > left {
		a.cut = true
		for left > 0 && !utf8.RuneStart(s[left]) {
			left--
		}
		s = s[:left]
	}
	a.size += len(s)
	return s
}

// complete checks the suffix first because it runs for every fragment.
func (c *partialCall) complete() bool {
	args := c.args.String()
	return strings.HasSuffix(strings.TrimSpace(args), "}") && json.Valid([]byte(args))
}

func (a *assembly) response() Response {
	r := Response{Text: a.text.String(), Truncated: a.cut || a.finish == "length", Filtered: a.finish == "content_filter"}
	used := map[string]bool{}
	for i, c := range a.calls {
		if c.name == "" && c.args.Len() == 0 {
			continue // an empty fragment is not a call
		}
		id := c.id
		if id == "" || used[id] {
			id = fmt.Sprintf("call_%d", i+1)
		}
		for used[id] {
			id += "_"
		}
		used[id] = true
		r.Calls = append(r.Calls, core.ToolCall{ID: id, Name: c.name, Arguments: c.args.String()})
	}
	return r
}

// clean makes s valid UTF-8 without NUL, which PostgreSQL refuses.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
