package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand"
)

// Beyond these an answer is cut, and is Truncated: the model has lost its way,
// what it wrote is paid for, and asking again would most likely buy the same.
const (
	maxAnswer = 1 << 20 // bytes of text, names and arguments
	maxCalls  = 128
)

// errErrorChunk: the event is the provider's report of an error.
var errErrorChunk = errors.New("error in the stream")

// A reportedError is an errErrorChunk with the report.
type reportedError struct{ report []byte }

func (*reportedError) Error() string { return errErrorChunk.Error() }

func (*reportedError) Is(err error) bool { return err == errErrorChunk }

// An assembly puts an answer together from its chunks.
type assembly struct {
	text    strings.Builder
	calls   []*partialCall
	byIndex map[int]*partialCall // the newest call of each index
	size    int
	finish  string // why the answer ended, in the words of the chat wire, once it has
	cut     bool   // a limit was exceeded: stop reading

	sequence int  // of the next event, where they are numbered
	thinking bool // the provider said that the model reasons, and nothing since

	chat  chatState       // of the chat wire
	items []responsesItem // of the responses wire
	texts map[int]bool    // likewise: places of the answer whose text was streamed
	ended map[int]bool    // likewise: those that are whole

	tokens tokenCount // as the provider counted them
}

// maxState bounds what a provider may want back of one answer, in bytes. What is larger
// is not kept: the next request goes without it.
const maxState = 256 << 10

type partialCall struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage // what the provider wants back with the call
}

func (a *assembly) addText(s string) string {
	s = a.take(s)
	a.text.WriteString(s)
	return s
}

// take cleans s and cuts it to what the answer has room for.
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

// complete reports whether the arguments are whole. It looks at their end
// first, because it may be asked with every fragment.
func (c *partialCall) complete() bool {
	args := c.args.String()
	return strings.HasSuffix(strings.TrimSpace(args), "}") && json.Valid([]byte(args))
}

func (a *assembly) response() Response {
	r := Response{Text: a.text.String(), Truncated: a.cut || a.finish == "length", Filtered: a.finish == "content_filter"}
	used := map[string]bool{}
	for i, c := range a.calls {
		if c.name == "" && c.args.Len() == 0 {
			continue // an empty fragment asks for nothing
		}
		id := c.id
		if id == "" || used[id] {
			id = fmt.Sprintf("call_%d", i+1)
		}
		for used[id] {
			id += "_"
		}
		used[id] = true
		r.Calls = append(r.Calls, errand.ToolCall{ID: id, Name: c.name, Arguments: c.args.String()})
	}
	return r
}

// clean makes s storable everywhere: valid UTF-8, and no NUL, which PostgreSQL
// refuses.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
