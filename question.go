package errand

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A QuestionID names something that waits for a person: "q-" and eight characters.
type QuestionID string

// NewQuestionID draws a random question id.
func NewQuestionID() QuestionID { return QuestionID("q-" + ShortID(8)) }

// A QuestionKind says what is asked for.
type QuestionKind string

// The kinds.
const (
	AsksPerson QuestionKind = "question" // an agent needs to know something
	Proposes   QuestionKind = "proposal" // an agent would hand the conversation over to another
)

// A QuestionState is where a question is in its life.
type QuestionState string

// The states. Those from Answered on are final: of two answers the first counts.
const (
	QuestionOpen      QuestionState = "open"
	QuestionAnswered  QuestionState = "answered"
	QuestionDeclined  QuestionState = "declined"  // the person does not want to answer
	QuestionExpired   QuestionState = "expired"   // nobody has answered in time, which is no "no"
	QuestionWithdrawn QuestionState = "withdrawn" // nobody needs the answer any more
)

// A Question waits for a person. It is committed before anybody sees it, keeps its id
// whatever happens to the agent that asks, and has one answer.
type Question struct {
	ID      QuestionID      `json:"id"`
	Kind    QuestionKind    `json:"kind"`
	State   QuestionState   `json:"state"`
	Agent   AgentName       `json:"agent" description:"who asks"`
	Task    TaskID          `json:"task_id,omitempty" description:"what it works on; empty: the agent of a conversation asks"`
	Session SessionID       `json:"session_id,omitempty" description:"of the chat in which it is asked"`
	Key     SessionKey      `json:"-"` // likewise; empty: it is shown in no chat
	Route   Route           `json:"-"` // likewise
	Call    CallKey         `json:"-"` // the tool call that asks; index 0: the reply of a turn does
	Person  PersonID        `json:"person" description:"who is asked"`
	Text    string          `json:"text"`
	Options []string        `json:"options,omitempty" description:"one of these is the answer"`
	Schema  json.RawMessage `json:"schema,omitempty" description:"a JSON schema that the answer has to fit"`

	// Approval is what a question of that kind asks about.
	Approval *Approval `json:"approval,omitempty" description:"of an approval: what will be run"`

	Answer     string    `json:"answer,omitempty"`
	AnsweredBy PersonID  `json:"answered_by,omitempty" description:"the person who answered or declined"`
	AnsweredAs AgentName `json:"answered_as,omitempty" description:"the agent that gave the answer for them, from what they had said"`
	AnsweredIn string    `json:"answered_in,omitempty" description:"the channel on which it was answered"`
	Created    time.Time `json:"created"`
	Expires    time.Time `json:"expires,omitzero"`
	Answered   time.Time `json:"answered,omitzero" description:"when it left the state open"`
}

// InReply reports whether the reply of a turn asks it: then a message answers it.
func (q *Question) InReply() bool { return q.Call.Index == 0 }

// Refused reports whether an approval is over without a yes.
func (q *Question) Refused() bool {
	return q.Kind == AsksApproval && q.State != QuestionOpen && q.State != QuestionAnswered
}

// Buttons are the options that a chat shows under it. What a chat shows the beginning of
// can only be declined there.
func (q *Question) Buttons() []string {
	if a := q.Approval; a != nil && a.Cut && len(q.Options) > 1 {
		return q.Options[1:2]
	}
	return q.Options
}

// Report is what the agent that asked is told of its question, with the nonce of its
// prompts. The answer is somebody's words, and marked as such.
func (q *Question) Report(n Nonce) string {
	if q.Kind == AsksApproval {
		return q.reportApproval(n)
	}
	head := n.Mark("question " + string(q.ID) + ": " + string(q.State))
	switch q.State {
	case QuestionAnswered:
		if q.AnsweredAs != "" {
			head = n.Mark("question " + string(q.ID) + ": answered by " + q.AnsweredAs.Display() + " for the person, from what they had said")
		}
		return head + "\n" + n.Block("answer", q.Answer)
	case QuestionDeclined:
		return head + "\nThe person does not want to answer. Go on without, or report what cannot be done without it."
	case QuestionExpired:
		return head + "\nNobody answered within " + days(q.Expires.Sub(q.Created)) + `. That is no "no": nobody has decided. Do not do what would have needed a yes.`
	case QuestionWithdrawn:
		return head + "\nThe question was withdrawn."
	}
	return head + "\nIt is not answered yet. Do not invent the answer. To wait for it, ask the same again, in the same words: it stays the one question. With your report it is withdrawn."
}

// days says how long somebody had time, in a word that a model reads: "7 days".
func days(d time.Duration) string {
	if n := int(d.Round(time.Hour).Hours()); n > 0 && n%24 == 0 {
		return strconv.Itoa(n/24) + " days"
	}
	return Age(d)
}

// Fits returns what text means as the answer to q, or an *[AnswerError] that says what
// would fit. Of options it takes the words in any case, or the number; what a schema asks
// for it is held against; else any text is an answer.
func (q *Question) Fits(text string) (answer string, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", &AnswerError{Code: MisfitEmpty}
	case len(q.Options) > 0:
		if o, ok := q.option(text); ok {
			return o, nil
		}
		return "", &AnswerError{Code: MisfitOptions, Want: strings.Join(q.Options, ", ")}
	case len(q.Schema) > 0:
		schema, err := ParseAnswerSchema(q.Schema)
		if err != nil {
			return "", err
		}
		answer, misfit := schema.Read(text)
		if misfit != nil {
			return "", misfit
		}
		return answer, nil
	}
	return text, nil
}

// option is the option that a text names: by its words, or else by its number.
func (q *Question) option(text string) (string, bool) {
	same := func(o string) bool { return strings.EqualFold(plainWords(o), plainWords(text)) }
	if i := slices.IndexFunc(q.Options, func(o string) bool { return strings.TrimSpace(o) == text }); i >= 0 {
		return q.Options[i], true
	}
	if i := slices.IndexFunc(q.Options, same); i >= 0 {
		return q.Options[i], true
	}
	n, err := strconv.Atoi(strings.TrimRight(text, ".)"))
	if err != nil || n < 1 || n > len(q.Options) {
		return "", false
	}
	return q.Options[n-1], true
}

// plainWords is a text without what people leave out when they type it again.
func plainWords(s string) string {
	return strings.Trim(strings.Join(strings.Fields(s), " "), " .!?\"'“”«»")
}
