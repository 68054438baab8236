package store

import (
	"context"
	"fmt"

	"errand/internal/core"
	"errand/internal/events"
)

// A CloseQuestion says how an open question ends.
type CloseQuestion struct {
	ID     core.QuestionID
	State  core.QuestionState // not open
	Answer string             // if it is answered
	By     core.PersonID      // the person who answers or declines; empty: none
	As     core.AgentName     // the agent that answers for the person; empty: none
	In     string             // the channel of the answer
	// Message is the id of the answer as a message to a session's own agent; may be empty.
	Message string
	Role    core.Role // of Message
	// Notice is shown in the chat of the question, if it is not empty.
	Notice string
	// Notices are the texts about the answer for deciders in their own chats, in their languages.
	Notices map[core.PersonID]string
}

// CloseQuestion ends an open question. The first end is final: a later call changes nothing and
// returns the question with first false. row is the inbox row of Message, 0 without one.
func (s *Store) CloseQuestion(ctx context.Context, in CloseQuestion) (q core.Question, first bool, row int64, err error) {
	if in.State == core.QuestionOpen || in.State == "" {
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
		if q, err = questionByID(t, in.ID); err != nil || q.State != core.QuestionOpen {
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

// closeQuestion marks the answer to a session's own agent as delivered, because it is a message.
func (t *tx) closeQuestion(q *core.Question, in CloseQuestion) error {
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
	if q.Kind == core.Proposes && (q.State == core.QuestionExpired || q.State == core.QuestionWithdrawn) {
		// A later "yes" must not agree to this proposal.
		if _, err := t.Exec(`UPDATE sessions SET proposal = '' WHERE id = ?`, q.Call.Owner); err != nil {
			return err
		}
	}
	if q.Task == "" {
		return nil
	}
	return t.resumeTask(q.Task)
}

func (t *tx) auditAnswer(q core.Question) error {
	d := did{"question", string(q.ID), q.Person, ""}
	switch answered, approves := q.State == core.QuestionAnswered, q.Kind == core.AsksApproval; {
	case approves && answered:
		d.detail = q.Answer
		return t.audit(core.DeedApprove, d)
	case approves:
		return t.audit(core.DeedDisapprove, d)
	case answered:
		return t.audit(core.DeedAnswer, d)
	}
	return t.audit(core.DeedDecline, d)
}

func (t *tx) resumeTask(id core.TaskID) error {
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

func (t *tx) answerSession(q core.Question, in CloseQuestion) (int64, error) {
	m := InboxMessage{Route: q.Route, Person: q.Person, Shared: q.Key.Shared(), Role: in.Role, MessageID: "answer:" + string(q.ID), Text: in.Message}
	row := InboxRow{Session: q.Key}
	if err := t.accept(m, &row); err != nil {
		return 0, err
	}
	return row.ID, nil
}

func (t *tx) announceAnswer(q core.Question, text string) error {
	return t.announceOf(q, string(q.State), text)
}

// announceOf shows text in the chat of a question, once per what.
func (t *tx) announceOf(q core.Question, what, text string) error {
	if q.Route.Chat == "" {
		return nil
	}
	_, err := t.enqueue(core.Notification{
		Key: "question:" + string(q.ID) + ":" + what, Route: q.Route, Session: q.Key, Event: core.EventNotice, Text: text,
	}, q.Call.Owner, q.Call.Turn)
	if err != nil {
		return err
	}
	return t.announce(core.Event{Type: core.EventNotice, Key: q.Key, Session: q.Session, Task: q.Task, Text: text})
}

// withdraw ends the selected open questions because their askers have ended. It notifies no agent.
func (t *tx) withdraw(where string, args ...any) error {
	return t.endUndelivered(`state = 'open'`, `state = 'open' AND `+where, args...)
}

func (t *tx) endQuestions(task core.TaskID) error {
	return t.endUndelivered(`state = 'open'`, `task = ? AND task <> ''`, task)
}

func (t *tx) endUndelivered(withdrawn, where string, args ...any) error {
	var ended []core.QuestionID
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

func (t *tx) withdrawFrom(person core.PersonID) error {
	list, err := questionsWhere(t, `person = ? AND state = 'open'`, person)
	if err != nil {
		return err
	}
	for i := range list {
		if err := t.closeQuestion(&list[i], CloseQuestion{State: core.QuestionWithdrawn}); err != nil {
			return err
		}
	}
	return nil
}
