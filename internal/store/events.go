package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand"
	"errand/internal/events"
)

type eventRow struct {
	ID         int64
	SessionKey string
	Type       string
	Session    string
	Turn       int
	Agent      string
	Task       string
	State      string
	Text       string
	MessageID  string
	Cause      string
	Options    string
	File       string
	Question   string
	Created    int64

	QuestionKind string
	Tools        string
	Attached     string
}

const eventColumns = `id, session_key, type, session, turn, agent, task, state, text, message_id, cause, options, file, question, created, question_kind, tools, attached`

func (r eventRow) event() (errand.Event, error) {
	options, err := optionsOf(r.Options)
	file, bad := sentFileOf(r.File)
	if err == nil {
		err = bad
	}
	tools, bad := listOf[errand.ToolUse](r.Tools)
	if err == nil {
		err = bad
	}
	attached, bad := listOf[errand.AttachedFile](r.Attached)
	if err == nil {
		err = bad
	}
	return errand.Event{
		ID: r.ID, Type: errand.EventType(r.Type), Key: errand.SessionKey(r.SessionKey), Session: errand.SessionID(r.Session),
		Turn: r.Turn, Agent: errand.AgentName(r.Agent), Task: errand.TaskID(r.Task), State: errand.TaskState(r.State),
		Text: r.Text, Message: r.MessageID, Cause: r.Cause, Options: options, File: file, Question: errand.QuestionID(r.Question), Created: at(r.Created),
		QuestionKind: errand.QuestionKind(r.QuestionKind), Tools: tools, Attached: attached,
	}, err
}

// Lists are kept as JSON, and as nothing where there is nothing in them.
func listText[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "" // strings and numbers: it cannot fail
	}
	return string(b)
}

func listOf[T any](text string) (list []T, err error) {
	if text != "" {
		if err = json.Unmarshal([]byte(text), &list); err != nil {
			err = fmt.Errorf("list %q: %w", text, err)
		}
	}
	return list, err
}

func optionsText(options []string) string { return listText(options) }

func optionsOf(text string) ([]string, error) { return listOf[string](text) }

// announce appends e to the event log of its key, and publishes it once the
// transaction has been committed. An event without a key has nobody to read it.
func (t *tx) announce(e errand.Event) error { return t.announceFrom(e, t.now) }

// announceFrom is announce of what belongs to an earlier time: a change of a message has
// the time of its row, as the message has, and goes with it.
func (t *tx) announceFrom(e errand.Event, created int64) error {
	if e.Key == "" {
		return nil
	}
	e.Created = at(created)
	_, err := t.Value(&e.ID, `INSERT INTO events (session_key, type, session, turn, agent, task, state, text, message_id, cause, options, file, question, created, question_kind, tools, attached)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		e.Key, e.Type, e.Session, e.Turn, e.Agent, e.Task, e.State, e.Text, e.Message, e.Cause, optionsText(e.Options), sentFileText(e.File), e.Question, created, e.QuestionKind, listText(e.Tools), listText(e.Attached))
	if err != nil {
		return err
	}
	t.events = append(t.events, e)
	return t.addPushes(&e)
}

// changed tells those who look at lists of a person that they are others now, once the
// transaction has been committed; without a person, those who look at anybody's.
func (t *tx) changed(person errand.PersonID, lists events.Lists) {
	if t.lists == nil {
		t.lists = map[errand.PersonID]events.Lists{}
	}
	t.lists[person] |= lists
}

// changedQuestion is changed, of what lists a question. Approvals are in those of all who
// may decide.
func (t *tx) changedQuestion(kind errand.QuestionKind, person errand.PersonID) {
	if kind == errand.AsksApproval {
		person = ""
	}
	t.changed(person, events.Questions)
}

// announceTask announces that a task has changed. Of one that was asked for in no chat
// there is no log, but some may follow it.
func (t *tx) announceTask(task *errand.Task) error {
	t.changed(task.Origin.Person, events.Tasks)
	e := errand.Event{
		Type: errand.EventTask, Key: task.Origin.SessionKey, Session: task.Origin.Session,
		Agent: task.Agents[0], Task: task.ID, State: task.State, Text: task.Title,
	}
	if e.Key == "" {
		e.Created = at(t.now)
		t.events = append(t.events, e)
		return nil
	}
	return t.announce(e)
}

// Events returns at most limit events of key after the one with id after,
// oldest first. Ids of a key grow in the order of commits, so a reader that
// goes on from the last id it has seen misses nothing. limit 0 means 500.
func (s *Store) Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	return s.queryEvents(ctx, `SELECT `+eventColumns+` FROM events WHERE session_key = ? AND id > ? ORDER BY id LIMIT ?`,
		key, after, orDefault(limit, 500))
}

// LastEvents returns the n latest events of key, oldest first.
func (s *Store) LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error) {
	events, err := s.queryEvents(ctx, `SELECT `+eventColumns+` FROM events WHERE session_key = ? ORDER BY id DESC LIMIT ?`, key, n)
	slices.Reverse(events)
	return events, err
}

// EventsBefore returns the n latest events of key before the one with id before,
// oldest first.
func (s *Store) EventsBefore(ctx context.Context, key errand.SessionKey, before int64, n int) ([]errand.Event, error) {
	events, err := s.queryEvents(ctx, `SELECT `+eventColumns+` FROM events WHERE session_key = ? AND id < ? ORDER BY id DESC LIMIT ?`, key, before, n)
	slices.Reverse(events)
	return events, err
}

func (s *Store) queryEvents(ctx context.Context, query string, args ...any) ([]errand.Event, error) {
	var rows []eventRow
	if err := s.read(ctx).All(&rows, query, args...); err != nil {
		return nil, err
	}
	events := make([]errand.Event, len(rows))
	for i, r := range rows {
		e, err := r.event()
		if err != nil {
			return nil, err
		}
		events[i] = e
	}
	return events, nil
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
