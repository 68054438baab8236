package activities

import (
	"time"

	"errand"
)

func asksNobody(told errand.PeerTask) string {
	if told.Login {
		return "The peer wants somebody to log in, which nobody here can: " + told.Text
	}
	return "The peer asks before it goes on, and nobody is there who could answer. It asks: " + told.Text
}

func answerFor(q errand.Question) string {
	switch q.State {
	case errand.QuestionAnswered:
		return q.Answer
	case errand.QuestionDeclined:
		return "(The person does not want to answer. Go on without, or say what cannot be done without it.)"
	case errand.QuestionExpired:
		return "(Nobody has answered within " + errand.Age(q.Expires.Sub(q.Created).Round(time.Hour)) + `. That is no "no": nobody has decided. Do not do what would have needed a yes.)`
	}
	return "(The question was withdrawn: nobody answers it.)"
}
