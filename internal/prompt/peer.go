package prompt

import (
	"time"

	"errand/internal/core"
)

// AsksNobody is the outcome of a peer's task if no person can answer its question or log in.
func AsksNobody(told core.PeerTask) string {
	if told.Login {
		return "The remote agent asks for a login, which is not possible here: " + told.Text
	}
	return "The remote agent asks a question that nobody here can answer: " + told.Text
}

// AnswerFor returns the answer to a peer's question, or explains why it has no answer.
func AnswerFor(q core.Question) string {
	switch q.State {
	case core.QuestionAnswered:
		return q.Answer
	case core.QuestionDeclined:
		return "(The user declined to answer. Continue without the answer, or say what is impossible without it.)"
	case core.QuestionExpired:
		return "(No answer within " + core.Age(q.Expires.Sub(q.Created).Round(time.Hour)) + ". This is neither yes nor no. Do not do what needs a yes.)"
	}
	return "(The question was withdrawn.)"
}
