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

	// Own is set where errand speaks in the name of an agent. Only people read it so.
	Own Own `json:"-"`

	// State is what the provider of an answer wants back; nil: nothing. It is in no export.
	State *ProviderState `json:"-"`

	// Pictures are those of the message that a model is given with it. They are kept as
	// artifacts, and in no transcript.
	Pictures []Picture `json:"-"`
}

// An Own says what errand's own words in the name of an agent are; empty: they are the agent's.
type Own string

const (
	OwnError  Own = "error"  // why there is no reply; no prompt has it
	OwnStatus Own = "status" // that a result was told; other agents are not given it
)

// A ProviderState is what a model's provider hands out with an answer and wants back,
// as it was, with the next request: reasoning, signatures, encrypted items. Nobody else
// reads it, and no other provider or model is sent it.
type ProviderState struct {
	For  string // of which provider, model and wire it is: an opaque name
	Data []byte // a JSON value
}

// A PendingResponse is an answer that a model's provider works on, whoever listens. The
// zero value is none.
type PendingResponse struct {
	ID       string // the provider's own
	Provider string // an opaque name of the server, key and model
	Prompt   string // a hash of what it is an answer to
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
	if m.State != nil {
		n += len(m.State.Data)
	}
	for _, p := range m.Pictures {
		n += utf8.RuneCountInString(p.Label) + utf8.RuneCountInString(p.Instead) + CharactersOf(p.Tokens())
	}
	return n
}

const charactersPerToken = 4 // an estimate

// TokensOf guesses the tokens of a prompt.
func TokensOf(characters int) int { return (characters + charactersPerToken - 1) / charactersPerToken }

// CharactersOf is the length of a text of so many tokens.
func CharactersOf(tokens int) int { return charactersPerToken * tokens }

// Usage is what a model call cost.
type Usage struct {
	Model        string  `json:"model"`
	Provider     string  `json:"provider"`
	InputTokens  int     `json:"input_tokens"` // all of them, CachedTokens and WrittenTokens too
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"` // USD; 0 where no price is configured

	CachedTokens  int `json:"cached_tokens,omitempty"`  // of the input: the provider had them in its cache
	WrittenTokens int `json:"written_tokens,omitempty"` // of the input: it put them there, and says so
	// EstimatedTokens is what the input was taken for, by the length of its text alone;
	// 0 where the provider did not count it.
	EstimatedTokens int `json:"estimated_tokens,omitempty"`
}

// An EventType says what an [Event] tells.
type EventType string

// The types of events. Delta, reset, step and typing are passing: they are
// published and not kept.
const (
	EventMessage  EventType = "message"  // what the person wrote
	EventStep     EventType = "step"     // an agent began a step: "thinking (step 3)"
	EventDelta    EventType = "delta"    // a piece of the reply that is being generated
	EventReset    EventType = "reset"    // forget the deltas of this turn: the call begins again
	EventTask     EventType = "task"     // a task changed its state
	EventReply    EventType = "reply"    // the final reply of a turn
	EventQuestion EventType = "question" // a final reply that asks for an answer, see [Event.Options]; with a task: its agent does
	EventLate     EventType = "late"     // a late result, told by fold or notification
	EventNotice   EventType = "notice"   // from errand itself
	EventError    EventType = "error"    // a turn that ended without a reply, and why
	EventFile     EventType = "file"     // a file that an agent sends, see [Event.File]
	EventPartial  EventType = "partial"  // what was said of a reply that does not come to its end
)

// EventTypes returns all of them.
func EventTypes() []EventType {
	return []EventType{EventMessage, EventStep, EventDelta, EventReset, EventTask, EventReply, EventQuestion, EventLate, EventNotice, EventError, EventFile, EventPartial}
}

// Why a reply ends before its end, in the words of the OpenAI-compatible wire.
const (
	CutOff   = "length"         // the model's limit
	Withheld = "content_filter" // its provider held the rest back
)

// ToolCalls is the cause of a reply, in the words of that wire, which is calls of tools that
// the program has which talks with the agent: see [ClientCall].
const ToolCalls = "tool_calls"

// What becomes of a message before a turn takes it: causes of events about it.
const (
	Edited    = "edited"    // it has other words
	Withdrawn = "withdrawn" // it is not there any more
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
	Cause   string     `json:"cause,omitempty" enum:"reminder,length,content_filter,tool_calls,edited,withdrawn" description:"edited or withdrawn: what has become of the message with this id, which waited for its turn; reminder: what a late reply is about, where that is no result; length or content_filter: why a reply ends before its end, at the model's limit or where its provider held the rest back; tool_calls: the agent waits for tools of the program that it talks with"`
	Options []string   `json:"options,omitempty" description:"what a question offers as answers; others are taken too. Of an error: what there is to do, such as to try again"`
	File    *SentFile  `json:"file,omitempty" description:"what an agent has sent, besides the text"`
	// Attached is what came with a message of the person.
	Attached []AttachedFile `json:"attached,omitempty" description:"of a message: what it brought besides the text"`
	// Question is what waits for the answer, from wherever it comes.
	Question QuestionID `json:"question_id,omitempty" description:"of a question: POST /api/questions/{id}/answer answers it"`
	// QuestionKind is the kind of Question, where the question is shown by itself.
	QuestionKind QuestionKind `json:"question_kind,omitempty" description:"approval: only an answer that names the question counts, and no message"`
	// PlanChanged says, of a step of a session, that its plan is another now. The plan
	// itself is read from the session: it may be longer than what workers tell each other.
	PlanChanged bool `json:"plan_changed,omitempty" description:"of a step: what the agent means to do has changed; GET /api/sessions?chat= has it"`
	// Tool is what a step calls; empty: it is at something else.
	Tool string `json:"tool,omitempty" description:"of a step: the tool that is called"`
	// Trouble says, of a step whose model has failed for a while, why and what is done about
	// it, to those who do not see each attempt. Only its own process hears of it.
	Trouble string `json:"-"`
	// Tools are those that the turn has called that this is the end of.
	Tools   []ToolUse `json:"tools,omitempty" description:"of the end of a turn: the tools that it has called; GET /api/sessions/{id}/calls has the calls"`
	Created time.Time `json:"created"`
}

// An AttachedFile is a file that a person has sent with a message.
type AttachedFile struct {
	ID   ArtifactID `json:"id" description:"for GET /api/artifacts/{id}"`
	Name string     `json:"name"`
	Type string     `json:"type" description:"by its content"`
	Size int64      `json:"size" description:"bytes"`
}

// A SentFile is a file that an agent sends to a person: one version, which stays what it
// is however the file is changed afterwards.
type SentFile struct {
	ID   int64  `json:"id" description:"of the version, for GET /api/file-versions/{id}"`
	Name string `json:"name"`
	Type string `json:"type" description:"by its content"`
	Size int64  `json:"size" description:"bytes"`
	Data []byte `json:"-"` // while it is being delivered
}
