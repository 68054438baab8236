package core

import (
	"encoding/json"
	"strconv"
	"time"
)

// A QuestionID identifies a question: "q-" and eight characters.
type QuestionID string

func NewQuestionID() QuestionID { return QuestionID("q-" + ShortID(8)) }

// A QuestionKind is the kind of a question.
type QuestionKind string

const (
	AsksPerson QuestionKind = "question" // an agent needs information
	Proposes   QuestionKind = "proposal" // an agent wants to hand the conversation over
)

type QuestionState string

// The states. All except open are final: of two answers the first counts.
const (
	QuestionOpen      QuestionState = "open"
	QuestionAnswered  QuestionState = "answered"
	QuestionDeclined  QuestionState = "declined"  // the person does not answer
	QuestionExpired   QuestionState = "expired"   // no answer in time, which does not mean no
	QuestionWithdrawn QuestionState = "withdrawn" // the agent no longer needs it
)

// A Question waits for a person. It is committed before it is shown, keeps its id whatever happens
// to the agent that asks, and has at most one answer.
type Question struct {
	ID      QuestionID      `json:"id"`
	Kind    QuestionKind    `json:"kind"`
	State   QuestionState   `json:"state"`
	Agent   AgentName       `json:"agent" description:"the agent that asks"`
	Task    TaskID          `json:"task_id,omitempty" description:"the task of that agent; empty: the agent of a conversation asks"`
	Session SessionID       `json:"session_id,omitempty" description:"session of the chat where it is asked"`
	Key     SessionKey      `json:"-"` // of that chat; empty: it is shown in no chat
	Route   Route           `json:"-"` // of that chat
	Call    CallKey         `json:"-"` // the tool call that asks; index 0: the reply of a turn asks
	Person  PersonID        `json:"person" description:"the person who is asked"`
	Text    string          `json:"text"`
	Options []string        `json:"options,omitempty" description:"the possible answers"`
	Schema  json.RawMessage `json:"schema,omitempty" description:"JSON schema of the answer"`

	// Approval is set if Kind is AsksApproval.
	Approval *Approval `json:"approval,omitempty" description:"of an approval: the call to approve"`

	Answer     string    `json:"answer,omitempty"`
	AnsweredBy PersonID  `json:"answered_by,omitempty" description:"the person who answered or declined"`
	AnsweredAs AgentName `json:"answered_as,omitempty" description:"the agent that passed the answer on, in the person's words"`
	AnsweredIn string    `json:"answered_in,omitempty" description:"the channel of the answer"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires,omitzero"`
	Answered   time.Time `json:"answered,omitzero" description:"when it was answered, declined, withdrawn or expired"`
}

// InReply reports whether the reply of a turn asks the question. Then a message answers it.
func (q *Question) InReply() bool { return q.Call.Index == 0 }

// Refused reports whether an approval was closed without approval.
func (q *Question) Refused() bool {
	return q.Kind == AsksApproval && q.State != QuestionOpen && q.State != QuestionAnswered
}

// Buttons returns the options in a chat. A cut approval can only be declined there.
func (q *Question) Buttons() []string {
	if a := q.Approval; a != nil && a.Cut && len(q.Options) > 1 {
		return q.Options[1:2]
	}
	return q.Options
}

// Report returns the text for the asking agent, with the nonce of its prompts. The answer is marked
// as text from outside.
func (q *Question) Report(n Nonce) string {
	if q.Kind == AsksApproval {
		return q.reportApproval(n)
	}
	head := n.Mark("question " + string(q.ID) + ": " + string(q.State))
	switch q.State {
	case QuestionAnswered:
		if q.AnsweredAs != "" {
			head = n.Mark("question " + string(q.ID) + ": answered by " + q.AnsweredAs.Display() + " for the user, from the user's message")
		}
		return head + "\n" + n.Block("answer", q.Answer)
	case QuestionDeclined:
		return head + "\nThe user declined to answer. Continue without the answer, or report what is impossible without it."
	case QuestionExpired:
		return head + "\nNo answer within " + days(q.Expires.Sub(q.Created)) + ". This is neither yes nor no. Do not do what needs a yes."
	case QuestionWithdrawn:
		return head + "\nThe question was withdrawn."
	}
	return head + "\nNot answered yet. Never invent the answer. To wait, call ask_user again with the same words; the user is not asked twice. If you report first, the question is withdrawn."
}

func days(d time.Duration) string {
	if n := int(d.Round(time.Hour).Hours()); n > 0 && n%24 == 0 {
		return strconv.Itoa(n/24) + " days"
	}
	return Age(d)
}
