package errand

import (
	"strings"
	"time"
	"unicode/utf8"
)

// A Speaker is the role of a transcript message, in the words of the
// OpenAI-compatible wire.
type Speaker string

// Who speaks in a transcript.
const (
	FromPerson Speaker = "user"
	FromAgent  Speaker = "assistant"
	FromTool   Speaker = "tool"
)

// A Message is one entry of a transcript. Its place in the transcript is
// (Turn, Step, Index): index 0 of a step is what the model answered, index n
// the result of its nth tool call; what came before the first model call has
// step 0.
type Message struct {
	Turn    int        `json:"turn"`
	Step    int        `json:"step"`
	Index   int        `json:"index"`
	Speaker Speaker    `json:"speaker"`
	Agent   AgentName  `json:"agent,omitempty" description:"who answered"`
	Text    string     `json:"text"`
	Calls   []ToolCall `json:"calls,omitempty"` // what the answer asks for
	CallID  string     `json:"call_id,omitempty" description:"of the call that this is the result of"`
	Created time.Time  `json:"created"`
}

// IsCommand reports whether what a person wrote is a command, which errand
// answers itself: "/tasks", but neither a path, "/usr/bin/x is what?", nor what
// is marked as a message by a second slash, "//tasks".
func IsCommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && words[0][0] == '/' && !strings.Contains(words[0][1:], "/")
}

// A ToolCall is what a model asked for, as it asked for it: Arguments need not
// be JSON and Name need not exist.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Characters is how long a message is in a prompt, about: its words and calls, and
// what stands around each.
func (m Message) Characters() int {
	n := 16 + utf8.RuneCountInString(m.Text)
	for _, c := range m.Calls {
		n += 16 + len(c.Name) + utf8.RuneCountInString(c.Arguments)
	}
	return n
}

// TokensOf guesses the tokens of a prompt: four characters to one.
func TokensOf(characters int) int { return (characters + 3) / 4 }

// Usage is what a model call cost.
type Usage struct {
	Model        string  `json:"model"`
	Provider     string  `json:"provider"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"` // USD; 0 where no price is configured
}

// An EventType says what an [Event] tells.
type EventType string

// The types of events. Delta, reset, step and typing are passing: they are
// published and not kept.
const (
	EventMessage  EventType = "message"  // what the person wrote
	EventStep     EventType = "step"     // an agent began a step: "step 3, searching"
	EventDelta    EventType = "delta"    // a piece of the reply that is being generated
	EventReset    EventType = "reset"    // forget the deltas of this turn: the call begins again
	EventTask     EventType = "task"     // a task changed its state
	EventReply    EventType = "reply"    // the final reply of a turn
	EventQuestion EventType = "question" // a final reply that offers answers, see [Event.Options]
	EventLate     EventType = "late"     // a late result, told by fold or notification
	EventNotice   EventType = "notice"   // from errand itself
	EventError    EventType = "error"    // a turn that ended without a reply, and why
)

// EventTypes returns all of them.
func EventTypes() []EventType {
	return []EventType{EventMessage, EventStep, EventDelta, EventReset, EventTask, EventReply, EventQuestion, EventLate, EventNotice, EventError}
}

// Why a reply ends before its end, in the words of the OpenAI-compatible wire.
const (
	CutOff   = "length"         // the model's limit
	Withheld = "content_filter" // its provider held the rest back
)

// An Event is one entry of a session's event log: what the page, the terminal
// and the API show. ID is 0 for a passing event.
type Event struct {
	ID      int64      `json:"id,omitempty"`
	Type    EventType  `json:"type"`
	Key     SessionKey `json:"-"`
	Session SessionID  `json:"session_id,omitempty"`
	Turn    int        `json:"turn,omitempty"`
	Agent   AgentName  `json:"agent,omitempty"`
	Task    TaskID     `json:"task_id,omitempty"`
	State   TaskState  `json:"state,omitempty"` // of the task
	Text    string     `json:"text,omitempty"`
	Message string     `json:"message_id,omitempty"` // of the message that the person wrote
	Cause   string     `json:"cause,omitempty" enum:"reminder,length,content_filter" description:"reminder: what a late reply is about, where that is no result; length or content_filter: why a reply ends before its end, at the model's limit or where its provider held the rest back"`
	Options []string   `json:"options,omitempty" description:"what a question offers as answers; others are taken too. Of an error: what there is to do, such as to try again"`
	Created time.Time  `json:"created"`
}
