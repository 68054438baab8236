package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

// An A2AMessage is a message that a program sent over A2A. Message is unique per person.
type A2AMessage struct {
	Person   core.PersonID
	Message  string // the program's id of the message
	Context  string // the conversation, by the program's name for it
	Task     core.TaskID
	Question core.QuestionID // the question that the message answers; empty: none
}

const a2aColumns = `person, message, context, task, question`

// A2AMessage returns a message that was noted earlier, or ErrNotFound.
func (s *Store) A2AMessage(ctx context.Context, person core.PersonID, message string) (A2AMessage, error) {
	var m A2AMessage
	found, err := s.read(ctx).Row(&m, `SELECT `+a2aColumns+` FROM a2a_messages WHERE person = ? AND message = ?`, person, message)
	if err == nil && !found {
		err = fmt.Errorf("message of a program: %w", ErrNotFound)
	}
	return m, err
}

// NoteA2AMessage stores a message. It fails with ErrNoted if the message was noted earlier.
func (s *Store) NoteA2AMessage(ctx context.Context, m A2AMessage) error {
	return s.write(ctx, "a2a:"+string(m.Person), func(t *tx) error {
		return t.noteA2A(&m, m.Task)
	})
}

// LastA2ATask returns the task of the last message in a context, or ErrNotFound.
func (s *Store) LastA2ATask(ctx context.Context, person core.PersonID, a2aContext string) (core.Task, error) {
	list, err := tasksWhere(s.read(ctx), `id = (SELECT task FROM a2a_messages WHERE person = ? AND context = ? AND task <> ''
		ORDER BY created DESC, message DESC LIMIT 1)`, person, a2aContext)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("task of a program's conversation: %w", ErrNotFound)
	}
	if err != nil {
		return core.Task{}, err
	}
	return list[0], nil
}

// CountTasks returns how many tasks match f. It ignores f's limit.
func (s *Store) CountTasks(ctx context.Context, f TaskFilter) (n int, err error) {
	where, args := f.where()
	_, err = s.read(ctx).Value(&n, `SELECT COUNT(*) FROM tasks WHERE `+where, args...)
	return n, err
}

// a2aTask loads the task of a message that was noted earlier. A new message is stored without a
// task; [tx.giveA2ATask] adds it.
func (t *tx) a2aTask(m *A2AMessage, task *core.Task) (there bool, err error) {
	if m == nil {
		return false, nil
	}
	first, err := t.insertA2AMessage(*m)
	if err != nil || first {
		return false, err
	}
	var id core.TaskID
	if _, err := t.Value(&id, `SELECT task FROM a2a_messages WHERE person = ? AND message = ?`, m.Person, m.Message); err != nil {
		return false, err
	}
	*task, err = taskByID(t, id)
	return true, err
}

func (t *tx) giveA2ATask(m *A2AMessage, id core.TaskID) error {
	if m == nil {
		return nil
	}
	_, err := t.Exec(`UPDATE a2a_messages SET task = ? WHERE person = ? AND message = ?`, id, m.Person, m.Message)
	return err
}

func (t *tx) noteA2A(m *A2AMessage, task core.TaskID) error {
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
