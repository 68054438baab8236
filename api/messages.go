package api

import (
	"net/http"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// A SentFile is a file that a message brings.
type SentFile struct {
	Name string `json:"name" required:"true"`
	Data []byte `json:"data" required:"true" description:"in base64"`
}

// MaxMessage is the maximum size of a message's request in bytes: a file of maximum size in base64,
// and its text.
const MaxMessage = core.MaxFile/3*4 + 1<<20

type SendMessageInput struct {
	ChatName
	Wait string `query:"wait" description:"false: answer when the message is stored, without waiting for the reply"`
	Body struct {
		Text      string     `json:"text" description:"may be empty if there are files"`
		MessageID string     `json:"message_id" description:"errand accepts only the first message with this id"`
		Files     []SentFile `json:"files,omitempty" description:"at most 10: pictures, which a model with vision sees, and text files, which agents can read"`
		Replaces  string     `json:"replaces,omitempty" description:"message_id of your last message, which this one replaces. If this one has no text or no files, errand takes those of the replaced message. Later prompts leave out the replaced message and its answer"`
	}

	Tools   *core.ClientTools   `wire:"-"` // tools that the calling program has; nil: none
	Outputs []core.ClientOutput `wire:"-"` // results of tool calls that an earlier turn ended with
	Within  time.Duration       `wire:"-"` // how long to wait for the reply; default 5 minutes
	// Accepted is called once the message is accepted, and Event with each event until the reply.
	// An error of either ends the operation. Both may be nil.
	Accepted func(MessageReceipt) error `wire:"-"`
	Event    func(core.Event) error     `wire:"-"`
}

// A MessageReceipt is the outcome of an accepted message.
type MessageReceipt struct {
	MessageID string
	Duplicate bool   // it was accepted before
	Event     int64  // id of its event; 0: it has none, because no agent reads it
	EventErr  error  // why Event is not known
	Answer    string // of a command
	// HasMessage means that a message for an agent followed the command.
	HasMessage bool
}

// A MessageAnswer has exactly one of the two.
type MessageAnswer struct {
	*MessageReply
	*MessageAccepted
}

// HTTPStatus returns 202 for a message whose reply is not there yet.
func (a MessageAnswer) HTTPStatus() int {
	if a.MessageAccepted != nil {
		return http.StatusAccepted
	}
	return http.StatusOK
}

type MessageReply struct {
	Command bool            `json:"command,omitempty" description:"a command was answered; no agent saw it"`
	Error   *ProblemError   `json:"error,omitempty" description:"why there is no reply"`
	Reply   *ReplyText      `json:"reply,omitempty"`
	Session *core.SessionID `json:"session_id,omitempty"`
	Tasks   []core.TaskID   `json:"tasks,omitzero" description:"tasks that the turn delegated"`
	Turn    *int            `json:"turn,omitempty"`

	Event core.Event `json:"-"` // the reply, for callers inside the program
}

type ReplyText struct {
	Agent   core.AgentName `json:"agent"`
	Options []string       `json:"options,omitempty" description:"suggested answers to a question; other answers are accepted too"`
	Text    string         `json:"text"`
}

type MessageAccepted struct {
	Accepted  bool   `json:"accepted"`
	Duplicate *bool  `json:"duplicate,omitempty"`
	MessageID string `json:"message_id"`
}

// A ProblemError has the code and the text of an error.
type ProblemError struct {
	Code    string `json:"code" required:"true" description:"for programs"`
	Message string `json:"message" required:"true" description:"the detail"`
}

// AcceptedAnswer describes the answer with a [MessageAccepted].
const AcceptedAnswer = "accepted; the reply comes to the event log"

const sendMessageAbout = "Send a message and wait for its reply. With Accept: text/event-stream the answer is a stream of events until the reply."

// SendMessage accepts a message and waits for the reply.
var SendMessage = Op[SendMessageInput, MessageAnswer]{
	Name: "sendMessage", Needs: rights.MessagesSend, Also: []string{rights.SessionsFollow}, Route: "POST /api/sessions/{chat}/messages",
	Rate: RateHandler, Waits: true, MaxBody: MaxMessage,
	About: sendMessageAbout, Answer: "the reply",
}

// StreamReply accepts a message and sends events until the reply.
var StreamReply = Stream[SendMessageInput, core.Event]{
	Name: "streamReply", Needs: rights.MessagesSend, Also: []string{rights.SessionsFollow}, Route: SendMessage.Route,
	Rate: RateHandler, MaxBody: MaxMessage,
	About: sendMessageAbout, Answer: "the reply",
}

var ListWaiting = Op[ChatName, []core.WaitingMessage]{
	Name: "listWaiting", Needs: rights.SessionsFollow, Route: "GET /api/sessions/{chat}/waiting",
	About: "List your messages that no turn has taken yet", Answer: "in the order in which they will be taken",
}

// WaitingMessageID names a message that no turn has taken yet.
type WaitingMessageID struct {
	ChatName
	Message string `path:"message" description:"message_id of the message"`
}

type EditMessageInput struct {
	WaitingMessageID
	Body struct {
		Text string `json:"text" required:"true" description:"no command"`
	}
}

type MessageChanged struct {
	MessageID string `json:"message_id"`
}

// SentMessageID identifies a message that the caller has sent.
type SentMessageID struct {
	ChatName
	Message string `path:"message" description:"message_id of the message"`
}

var ListTurnChanges = Op[SentMessageID, []core.TurnChange]{
	Name: "listTurnChanges", Needs: rights.MessagesSend, Also: []string{rights.SessionsFollow}, Route: "GET /api/sessions/{chat}/messages/{message}/changes",
	About:  "List what the answer to your last message changed and a new answer does not undo: tasks, and calls of tools that are not read-only",
	Answer: "in order; empty: the answer made no such change",
}

var EditMessage = Op[EditMessageInput, MessageChanged]{
	Name: "editMessage", Needs: rights.MessagesSend, Route: "PUT /api/sessions/{chat}/messages/{message}", Rate: RateMessage,
	About: "Change the text of your message before a turn takes it", Answer: "changed",
}

var WithdrawMessage = Op[WaitingMessageID, MessageChanged]{
	Name: "withdrawMessage", Needs: rights.MessagesSend, Route: "DELETE /api/sessions/{chat}/messages/{message}",
	About: "Withdraw your message before a turn takes it", Answer: "withdrawn",
}
