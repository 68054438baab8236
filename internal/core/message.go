package core

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A Speaker is the role of a transcript message, with OpenAI's names.
type Speaker string

const (
	FromPerson Speaker = "user"
	FromAgent  Speaker = "assistant"
	FromTool   Speaker = "tool"
)

// A Message is one entry of a transcript, at (Turn, Step, Index). Index 0 of a step is the model's
// answer, and index n is the result of its nth tool call. Messages before the first model call have
// step 0.
type Message struct {
	Turn    int        `json:"turn"`
	Step    int        `json:"step"`
	Index   int        `json:"index"`
	Speaker Speaker    `json:"speaker"`
	Agent   AgentName  `json:"agent,omitempty" description:"who answered"`
	Text    string     `json:"text"`
	Calls   []ToolCall `json:"calls,omitempty"` // tool calls of the answer
	CallID  string     `json:"call_id,omitempty" description:"id of the call that this is the result of"`
	Created time.Time  `json:"created"`

	Replaced bool `json:"replaced,omitempty" description:"true: the person has replaced this turn, and later prompts leave it out"`

	Own Own `json:"-"`

	// State is returned to the provider with the next request; nil: none. Exports omit it.
	State *ProviderState `json:"-"`

	// Pictures are sent to the model with the message. They are stored as artifacts.
	Pictures []Picture `json:"-"`
}

// An Own marks a message that is not an ordinary part of the conversation. Ordinary messages have an
// empty Own.
type Own string

const (
	OwnError  Own = "error"  // why there is no reply; not in prompts
	OwnStatus Own = "status" // that a result was delivered; not for other agents
	// OwnReplaced marks, in a turn that the person has replaced, the messages of the person and of
	// the agent, and the results of calls. People see them as an earlier version. Prompts leave them out.
	OwnReplaced Own = "replaced"
)

// A ProviderState is opaque data that a provider wants back with the next request: reasoning,
// signatures, encrypted items. It is not sent to another provider or model.
type ProviderState struct {
	For  string // opaque name of the provider, model and wire format
	Data []byte // a JSON value
}

// A PendingResponse is an answer that a provider generates in the background. The zero value is
// none.
type PendingResponse struct {
	ID       string // assigned by the provider
	Provider string // opaque name of the server, key and model
	Prompt   string // a hash of the prompt
}

// IsCommand reports whether a text is a command, such as "/tasks". A path ("/usr/bin/x is what?")
// and a message with two slashes ("//tasks") are not commands.
func IsCommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && words[0][0] == '/' && !strings.Contains(words[0][1:], "/")
}

// A ToolCall is written by a model: Arguments may be invalid JSON, and the tool may not exist.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Characters estimates how many characters a message takes in a prompt, with its calls.
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

// TokensOf estimates the tokens of a prompt.
func TokensOf(characters int) int { return (characters + charactersPerToken - 1) / charactersPerToken }

// CharactersOf estimates the length of a text from its tokens.
func CharactersOf(tokens int) int { return charactersPerToken * tokens }

// Usage is the usage and cost of a model call.
type Usage struct {
	Model        string  `json:"model"`
	Provider     string  `json:"provider"`
	InputTokens  int     `json:"input_tokens"` // including CachedTokens and WrittenTokens
	OutputTokens int     `json:"output_tokens"`
	Cost         float64 `json:"cost"` // USD; 0 if no price is configured

	CachedTokens  int `json:"cached_tokens,omitempty"`  // part of the input that the provider read from its cache
	WrittenTokens int `json:"written_tokens,omitempty"` // part of the input that the provider reports as written to its cache
	// EstimatedTokens is the estimate of the input by the length of its text; 0 if the provider did
	// not count the input.
	EstimatedTokens int `json:"estimated_tokens,omitempty"`
}

// An EventType is the kind of an [Event].
type EventType string

// Delta, reset, step and typing are passing events: they are published but not stored.
const (
	EventMessage  EventType = "message"  // what the person wrote
	EventStep     EventType = "step"     // an agent began a step: "thinking (step 3)"
	EventDelta    EventType = "delta"    // a piece of the reply that is being generated
	EventReset    EventType = "reset"    // discard the deltas of this turn: the model call starts again
	EventTask     EventType = "task"     // a task changed its state
	EventReply    EventType = "reply"    // the final reply of a turn
	EventQuestion EventType = "question" // a final reply that asks for an answer, see [Event.Options]; with a task: its agent asks
	EventLate     EventType = "late"     // a late result, delivered by fold or notification
	EventNotice   EventType = "notice"   // from errand itself
	EventError    EventType = "error"    // why a turn ended without a reply
	EventFile     EventType = "file"     // a file that an agent sends, see [Event.File]
	EventPartial  EventType = "partial"  // the unfinished text of a stopped reply
	EventSession  EventType = "session"  // the person started a new session; the agent does not see earlier messages
)

func EventTypes() []EventType {
	return []EventType{EventMessage, EventStep, EventDelta, EventReset, EventTask, EventReply, EventQuestion, EventLate, EventNotice, EventError, EventFile, EventPartial, EventSession}
}

// Why a reply is incomplete, with OpenAI's names.
const (
	CutOff   = "length"         // the model's limit was reached
	Withheld = "content_filter" // the provider withheld the rest
)

// ToolCalls is the cause of a reply that calls tools of the program, with OpenAI's name: see
// [ClientCall].
const ToolCalls = "tool_calls"

// ModelDown is the cause of a notice that the model does not answer. The turn goes on, and its
// reply follows when the model works again.
const ModelDown = "model_down"

// Causes of events about a message that had to wait for a turn.
const (
	Edited    = "edited"    // its text was changed
	Withdrawn = "withdrawn" // it was deleted
	Taken     = "taken"     // a turn took it: its place in the chat is here
)

// An Event is one entry of a session's event log, for the page, the terminal and the API. ID is 0
// for a passing event.
type Event struct {
	ID      int64      `json:"id,omitempty"`
	Type    EventType  `json:"type"`
	Key     SessionKey `json:"-"`
	Session SessionID  `json:"session_id,omitempty"`
	Turn    int        `json:"turn,omitempty" description:"for a message: the turn that it replaces"`
	Agent   AgentName  `json:"agent,omitempty"`
	Task    TaskID     `json:"task_id,omitempty"`
	State   TaskState  `json:"state,omitempty"` // of the task
	Text    string     `json:"text,omitempty"`
	Message string     `json:"message_id,omitempty"` // of the person's message
	Cause   string     `json:"cause,omitempty" enum:"reminder,length,content_filter,tool_calls,model_down,edited,withdrawn,taken" description:"model_down: a notice that the model does not answer; the reply follows when it works again; edited or withdrawn: the waiting message with this id was changed or withdrawn; taken: the agent starts on the waiting message with this id; show it at this point of the chat; reminder: a late reply is about a reminder and not a result; length or content_filter: the reply is incomplete because of the model's limit or the provider's filter; tool_calls: the agent waits for results of the calling program's tools"`
	Options []string   `json:"options,omitempty" description:"of a question: suggested answers, others are accepted too; of an error: possible actions, such as trying again"`
	File    *SentFile  `json:"file,omitempty" description:"a file that an agent sent with the text"`
	// Attached are the files of a person's message.
	Attached []AttachedFile `json:"attached,omitempty" description:"of a message: its files"`
	// Question is the question that is waiting for the answer, wherever it is answered.
	Question QuestionID `json:"question_id,omitempty" description:"id of the question; answer it with POST /api/questions/{id}/answer"`
	// QuestionKind is the kind of Question, if the question is shown separately.
	QuestionKind QuestionKind `json:"question_kind,omitempty" description:"approval: only an answer to the question counts; a message does not answer it"`
	// PlanChanged means that the plan of a session has changed in this step. Readers get the plan
	// from the session, because it may be too long for messages between workers.
	PlanChanged bool `json:"plan_changed,omitempty" description:"of a step: the agent's plan has changed; GET /api/sessions?chat= returns it"`
	// Tool is the tool that a step calls; empty: none.
	Tool string `json:"tool,omitempty" description:"of a step: the tool that the agent calls"`
	// Tools are the tools that the turn has called, at its end.
	Tools   []ToolUse `json:"tools,omitempty" description:"at the end of a turn: the tools that it called; GET /api/sessions/{id}/calls returns the calls"`
	Created time.Time `json:"created"`
}

type AttachedFile struct {
	ID   ArtifactID `json:"id" description:"for GET /api/artifacts/{id}"`
	Name string     `json:"name"`
	Type string     `json:"type" description:"media type of the content"`
	Size int64      `json:"size" description:"bytes"`
}

// A SentFile is a file that an agent sends: one version, which never changes.
type SentFile struct {
	ID   int64  `json:"id" description:"id of the version, for GET /api/file-versions/{id}"`
	Name string `json:"name"`
	Type string `json:"type" description:"media type of the content"`
	Size int64  `json:"size" description:"bytes"`
	Data []byte `json:"-"` // only while it is being delivered
}

// A Nonce marks errand's own lines in a prompt: "[§k7m2p9qx attached: …]". Each session and task
// keeps its nonce, so that its prompts stay the same from step to step. The nonce is removed from
// all text that comes from outside. So no such text can pass for errand's, even if its writer knows
// the nonce.
type Nonce string

// NonceSign begins every nonce. People rarely write it in brackets.
const NonceSign = "§"

// NewNonce returns a random nonce.
func NewNonce() Nonce { return Nonce(NonceSign + ShortID(8)) }

// Mark returns a line of errand's own: "[§k7m2p9qx attached: …]".
func (n Nonce) Mark(text string) string { return "[" + n.word() + text + "]" }

// Block puts text from outside between two marks with a name.
func (n Nonce) Block(name, text string) string {
	return "<" + n.word() + name + ">\n" + text + "\n</" + n.word() + name + ">"
}

// Marks returns the marks of n in a text, without brackets and nonce.
func (n Nonce) Marks(text string) []string {
	if n == "" || !strings.Contains(text, string(n)) {
		return nil
	}
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		// If several people speak, the following lines are indented.
		if mark, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "["+n.word()); ok && strings.HasSuffix(mark, "]") {
			all = append(all, strings.TrimSuffix(mark, "]"))
		}
	}
	return all
}

func (n Nonce) word() string {
	if n == "" {
		return ""
	}
	return string(n) + " "
}

var marks = regexp.MustCompile(`([\[<]/?)` + NonceSign + `[` + alphabet + `]{8} `)

// Unmarked returns a message as people read it: with errand's marks but without their nonces.
func Unmarked(text string) string {
	if !strings.Contains(text, NonceSign) {
		return text
	}
	return marks.ReplaceAllString(text, "$1")
}

// A Picture is a picture of a message, as a model receives it.
type Picture struct {
	ID            ArtifactID
	Type          string // of Data, MIME
	Width, Height int    // of Data
	Data          []byte // empty: no model sees it
	Label         string // precedes it
	Instead       string // for a model that cannot see, or if it is not shown
}

const maxPicture = 1536 * 1536

// MaxPictureTokens is the maximum of [Picture.Tokens].
const MaxPictureTokens = (maxPicture + perToken - 1) / perToken

// perToken is the number of pixels in a token. Each provider counts differently. This is
// Anthropic's number
// (https://docs.claude.com/en/docs/build-with-claude/vision#calculate-image-costs), which gives
// more tokens than OpenAI's tiles and Gemini's for most sizes.
const perToken = 750

// Tokens estimates the tokens of a picture in a prompt.
func (p Picture) Tokens() int {
	if len(p.Data) == 0 {
		return 0
	}
	return PictureTokens(p.Width * p.Height)
}

// PictureTokens estimates the tokens of a picture with that many pixels.
func PictureTokens(pixels int) int { return (pixels + perToken - 1) / perToken }
