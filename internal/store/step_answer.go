package store

import (
	"errand"
)

const maxQuestions = 20

func (b *stepBegin) answerOf(id errand.QuestionID) (string, error) {
	q, err := questionByID(b, id)
	if err != nil {
		return "", err
	}
	if q.State != errand.QuestionOpen {
		if _, err := b.Exec(`UPDATE questions SET told = TRUE WHERE id = ?`, id); err != nil {
			return "", err
		}
	}
	return q.Report(b.out.Nonce), nil
}

// answerAsked ends the question that the agent of this session has asked at the end of
// an earlier turn: whatever the person it asked writes next, it has had its answer.
func (b *stepBegin) answerAsked(r claimRow) error {
	if !b.asked {
		return nil
	}
	person := errand.PersonID(r.Person)
	if person == "" {
		person = b.out.Person
	}
	list, err := questionsWhere(b, `owner = ? AND idx = 0 AND person = ? AND state = 'open' AND kind <> 'proposal' AND turn < ?`, b.key.Owner, person, b.key.Turn)
	if err != nil {
		return err
	}
	for i := range list {
		in := CloseQuestion{State: errand.QuestionAnswered, Answer: shownText(r.Edited, r.Text), By: person, In: b.out.Route.Channel}
		if err := b.closeQuestion(&list[i], in); err != nil {
			return err
		}
	}
	return nil
}

// readQuestions reads what waits for an answer in the chat of the session: its agent may
// answer for the person from what they say.
func (b *stepBegin) readQuestions() (err error) {
	if b.in.Session == "" || !b.asked {
		return nil
	}
	b.out.Questions, err = questionsWhere(b, `session_key = ? AND state = 'open' AND owner <> ? ORDER BY created, id LIMIT ?`, b.in.Session, b.key.Owner, maxQuestions)
	return err
}

// joinAnswers takes the answers to what this sub-agent has asked in an earlier turn and
// did not wait for.
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
		if err := b.append(errand.Message{Speaker: errand.FromPerson, Text: report}); err != nil {
			return err
		}
		b.claims++
	}
	return nil
}
