package store

import (
	"context"
	"fmt"

	"errand"
	"errand/internal/events"
)

// A CloseQuestion says what becomes of an open question.
type CloseQuestion struct {
	ID     errand.QuestionID
	State  errand.QuestionState // not open
	Answer string               // where it is answered
	By     errand.PersonID      // who answers or declines; empty: nobody
	As     errand.AgentName     // the agent that answers for them; empty: they do themselves
	In     string               // the channel on which they do
	// Message is what an answer to a session's own agent is to it: a message of the
	// person in that session. Empty: there is none.
	Message string
	Role    errand.Role // of Message
	// Notice is shown in the chat of the question, if it is not empty.
	Notice string
	// Notices is what those read of an answer who were written to in chats of their own, for
	// they decide about an approval, each in their language.
	Notices map[errand.PersonID]string
}

// CloseQuestion ends an open question. The first end is final: after it, CloseQuestion
// changes nothing and returns the question as it is, with first false. row is that of
// the Message, 0 without one.
func (s *Store) CloseQuestion(ctx context.Context, in CloseQuestion) (q errand.Question, first bool, row int64, err error) {
	if in.State == errand.QuestionOpen || in.State == "" {
		return q, false, 0, fmt.Errorf("close question %s: %q is no end of one", in.ID, in.State)
	}
	var key string
	found, err := s.read(ctx).Value(&key, `SELECT conversation FROM questions WHERE id = ?`, in.ID)
	if err == nil && !found {
		err = about(ErrNotFound, "question", string(in.ID))
	}
	if err != nil {
		return q, false, 0, err
	}
	err = s.write(ctx, key, func(t *tx) error {
		first, row = false, 0
		var err error
		if q, err = questionByID(t, in.ID); err != nil || q.State != errand.QuestionOpen {
			return err
		}
		first = true
		if err := t.closeQuestion(&q, in); err != nil {
			return err
		}
		if err := t.auditAnswer(q); err != nil {
			return err
		}
		if in.Message != "" && q.InReply() {
			if row, err = t.answerSession(q, in); err != nil {
				return err
			}
		}
		if in.Notice == "" {
			return nil
		}
		return t.announceAnswer(q, in.Notice)
	})
	return q, first, row, err
}

// closeQuestion writes the end of an open question. Nobody has to be told of one that a
// session's own agent asked: the answer is a message.
func (t *tx) closeQuestion(q *errand.Question, in CloseQuestion) error {
	q.State, q.Answer, q.AnsweredBy, q.AnsweredAs, q.AnsweredIn, q.Answered = in.State, in.Answer, in.By, in.As, in.In, at(t.now)
	t.changedQuestion(q.Kind, q.Person)
	_, err := t.Exec(`UPDATE questions SET state = ?, answer = ?, answered_by = ?, answered_as = ?, answered_in = ?, answered = ?, told = ?
		WHERE id = ? AND state = 'open'`, q.State, q.Answer, q.AnsweredBy, q.AnsweredAs, q.AnsweredIn, t.now, q.InReply(), q.ID)
	if err != nil {
		return err
	}
	if err := t.notifyDeciders(*q, in.Notices); err != nil {
		return err
	}
	if q.Kind == errand.Proposes && (q.State == errand.QuestionExpired || q.State == errand.QuestionWithdrawn) {
		// A yes that comes later agrees to nothing.
		if _, err := t.Exec(`UPDATE sessions SET proposal = '' WHERE id = ?`, q.Call.Owner); err != nil {
			return err
		}
	}
	if q.Task == "" {
		return nil
	}
	return t.resumeTask(q.Task)
}

// auditAnswer notes who has answered or declined a question, and of an approval for what the
// yes is good.
func (t *tx) auditAnswer(q errand.Question) error {
	d := did{"question", string(q.ID), q.Person, ""}
	switch answered, approves := q.State == errand.QuestionAnswered, q.Kind == errand.AsksApproval; {
	case approves && answered:
		d.detail = q.Answer
		return t.audit(DeedApprove, d)
	case approves:
		return t.audit(DeedDisapprove, d)
	case answered:
		return t.audit(DeedAnswer, d)
	}
	return t.audit(DeedDecline, d)
}

// resumeTask has a task be at work again once none of its questions is open.
func (t *tx) resumeTask(id errand.TaskID) error {
	n, err := t.Exec(`UPDATE tasks SET state = 'working' WHERE id = ? AND state = 'input_required'
		AND NOT EXISTS (SELECT 1 FROM questions WHERE questions.task = tasks.id AND questions.task <> '' AND questions.state = 'open')`, id)
	if err != nil || n == 0 {
		return err
	}
	task, err := taskByID(t, id)
	if err != nil {
		return err
	}
	return t.announceTask(&task)
}

func (t *tx) answerSession(q errand.Question, in CloseQuestion) (int64, error) {
	m := InboxMessage{Route: q.Route, Person: q.Person, Shared: q.Key.Shared(), Role: in.Role, MessageID: "answer:" + string(q.ID), Text: in.Message}
	row := InboxRow{Session: q.Key}
	if err := t.accept(m, &row); err != nil {
		return 0, err
	}
	return row.ID, nil
}

func (t *tx) announceAnswer(q errand.Question, text string) error {
	return t.announceOf(q, string(q.State), text)
}

// announceOf shows in the chat of a question something about it, once for each what.
func (t *tx) announceOf(q errand.Question, what, text string) error {
	if q.Route.Chat == "" {
		return nil
	}
	_, err := t.enqueue(errand.Notification{
		Key: "question:" + string(q.ID) + ":" + what, Route: q.Route, Session: q.Key, Event: errand.EventNotice, Text: text,
	}, q.Call.Owner, q.Call.Turn)
	if err != nil {
		return err
	}
	return t.announce(errand.Event{Type: errand.EventNotice, Key: q.Key, Session: q.Session, Task: q.Task, Text: text})
}

// withdraw ends the open questions that a condition selects, with the work that asked
// them: nobody needs an answer, and nobody is told.
func (t *tx) withdraw(where string, args ...any) error {
	return t.endUndelivered(`state = 'open'`, `state = 'open' AND `+where, args...)
}

// endQuestions withdraws what is open of a task that has ended, and has nobody told of
// answers that came before.
func (t *tx) endQuestions(task errand.TaskID) error {
	return t.endUndelivered(`state = 'open'`, `task = ? AND task <> ''`, task)
}

func (t *tx) endUndelivered(withdrawn, where string, args ...any) error {
	var ended []errand.QuestionID
	err := t.All(&ended, `SELECT id FROM questions WHERE state = 'open' AND kind = 'approval' AND NOT told AND `+where, args...)
	if err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE questions SET told = TRUE, answered = CASE WHEN state = 'open' THEN ? ELSE answered END,
		state = CASE WHEN `+withdrawn+` THEN 'withdrawn' ELSE state END WHERE NOT told AND `+where, append([]any{t.now}, args...)...)
	if err != nil {
		return err
	}
	if n > 0 {
		t.changed("", events.Questions)
	}
	for _, id := range ended {
		q, err := questionByID(t, id)
		if err != nil {
			return err
		}
		if err := t.notifyDeciders(q, nil); err != nil {
			return err
		}
	}
	return nil
}

// withdrawFrom ends what a person was asked: they are not there any more. Whoever asked
// is told.
func (t *tx) withdrawFrom(person errand.PersonID) error {
	list, err := questionsWhere(t, `person = ? AND state = 'open'`, person)
	if err != nil {
		return err
	}
	for i := range list {
		if err := t.closeQuestion(&list[i], CloseQuestion{State: errand.QuestionWithdrawn}); err != nil {
			return err
		}
	}
	return nil
}
