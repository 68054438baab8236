package store

import (
	"context"
	"fmt"

	"errand"
)

// An A2AMessage is what a program of somebody's says over A2A. Of a person, an id counts
// once, however often it comes.
type A2AMessage struct {
	Person   errand.PersonID
	Message  string // the id that the program gives it
	Context  string // the conversation that it is of, by the name that the program knows
	Task     errand.TaskID
	Question errand.QuestionID // that it answers; empty: none
}

const a2aColumns = `person, message, context, task, question`

// A2AMessage returns a message that has come before, or ErrNotFound.
func (s *Store) A2AMessage(ctx context.Context, person errand.PersonID, message string) (A2AMessage, error) {
	var m A2AMessage
	found, err := s.read(ctx).Row(&m, `SELECT `+a2aColumns+` FROM a2a_messages WHERE person = ? AND message = ?`, person, message)
	if err == nil && !found {
		err = fmt.Errorf("message of a program: %w", ErrNotFound)
	}
	return m, err
}

// NoteA2AMessage keeps a message. It fails with ErrNoted if it has come before.
func (s *Store) NoteA2AMessage(ctx context.Context, m A2AMessage) error {
	return s.write(ctx, "a2a:"+string(m.Person), func(t *tx) error {
		return t.noteA2A(&m, m.Task)
	})
}

// LastA2ATask returns the task of the last message of a context, or ErrNotFound.
func (s *Store) LastA2ATask(ctx context.Context, person errand.PersonID, a2aContext string) (errand.Task, error) {
	list, err := tasksWhere(s.read(ctx), `id = (SELECT task FROM a2a_messages WHERE person = ? AND context = ? AND task <> ''
		ORDER BY created DESC, message DESC LIMIT 1)`, person, a2aContext)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("task of a program's conversation: %w", ErrNotFound)
	}
	if err != nil {
		return errand.Task{}, err
	}
	return list[0], nil
}

// CountTasks returns how many tasks f lets pass; its limit does not count.
func (s *Store) CountTasks(ctx context.Context, f TaskFilter) (n int, err error) {
	where, args := f.where()
	_, err = s.read(ctx).Value(&n, `SELECT COUNT(*) FROM tasks WHERE `+where, args...)
	return n, err
}

// a2aTask finds the task that a message has already; then it is in task. Else the message is
// kept, for [tx.giveA2ATask].
func (t *tx) a2aTask(m *A2AMessage, task *errand.Task) (there bool, err error) {
	if m == nil {
		return false, nil
	}
	first, err := t.insertA2AMessage(*m)
	if err != nil || first {
		return false, err
	}
	var id errand.TaskID
	if _, err := t.Value(&id, `SELECT task FROM a2a_messages WHERE person = ? AND message = ?`, m.Person, m.Message); err != nil {
		return false, err
	}
	*task, err = taskByID(t, id)
	return true, err
}

func (t *tx) giveA2ATask(m *A2AMessage, id errand.TaskID) error {
	if m == nil {
		return nil
	}
	_, err := t.Exec(`UPDATE a2a_messages SET task = ? WHERE person = ? AND message = ?`, id, m.Person, m.Message)
	return err
}

// noteA2A keeps the message by which a program says something to a task; nil: none does. It
// fails with ErrNoted if it has come before.
func (t *tx) noteA2A(m *A2AMessage, task errand.TaskID) error {
	if m == nil {
		return nil
	}
	noted := *m
	noted.Task = task
	first, err := t.insertA2AMessage(noted)
	if err == nil && !first {
		err = fmt.Errorf("message of a program: %w", ErrNoted)
	}
	return err
}

func (t *tx) insertA2AMessage(m A2AMessage) (first bool, err error) {
	n, err := t.Exec(`INSERT INTO a2a_messages (`+a2aColumns+`, created) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		m.Person, m.Message, m.Context, m.Task, m.Question, t.now)
	return n > 0, err
}
