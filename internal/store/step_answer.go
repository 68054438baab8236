package store

import (
	"errand/internal/core"
)

const maxQuestions = 20

func (b *stepBegin) answerOf(id core.QuestionID) (string, error) {
	q, err := questionByID(b, id)
	if err != nil {
		return "", err
	}
	if q.State != core.QuestionOpen {
		if _, err := b.Exec(`UPDATE questions SET told = TRUE WHERE id = ?`, id); err != nil {
			return "", err
		}
	}
	return q.Report(b.out.Nonce), nil
}

// answerAsked closes the question that the agent asked at the end of an earlier turn: the
// person's next message answers it.
func (b *stepBegin) answerAsked(r claimRow) error {
	if !b.asked {
		return nil
	}
	person := core.PersonID(r.Person)
	if person == "" {
		person = b.out.Person
	}
	list, err := questionsWhere(b, `owner = ? AND idx = 0 AND person = ? AND state = 'open' AND kind <> 'proposal' AND turn < ?`, b.key.Owner, person, b.key.Turn)
	if err != nil {
		return err
	}
	for i := range list {
		in := CloseQuestion{State: core.QuestionAnswered, Answer: shownText(r.Edited, r.Text), By: person, In: b.out.Route.Channel}
		if err := b.closeQuestion(&list[i], in); err != nil {
			return err
		}
	}
	return nil
}

// readQuestions loads the open questions of the chat, which the session's agent may answer for
// the person.
func (b *stepBegin) readQuestions() (err error) {
	if b.in.Session == "" || !b.asked {
		return nil
	}
	b.out.Questions, err = questionsWhere(b, `session_key = ? AND state = 'open' AND owner <> ? ORDER BY created, id LIMIT ?`, b.in.Session, b.key.Owner, maxQuestions)
	return err
}

func (b *stepBegin) joinAnswers() error {
	list, err := questionsWhere(b, `owner = ? AND turn < ? AND NOT told AND state <> 'open' AND kind <> 'approval' ORDER BY answered, id LIMIT ?`, b.key.Owner, b.key.Turn, maxQuestions)
	if err != nil {
		return err
	}
	for _, q := range list {
		report, err := b.answerOf(q.ID)
		if err != nil {
			return err
		}
		if err := b.append(core.Message{Speaker: core.FromPerson, Text: report}); err != nil {
			return err
		}
		b.claims++
	}
	return nil
}
