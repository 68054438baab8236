package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store/sqldb"
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

func (r eventRow) event() (core.Event, error) {
	options, err := optionsOf(r.Options)
	file, bad := sentFileOf(r.File)
	if err == nil {
		err = bad
	}
	tools, bad := listOf[core.ToolUse](r.Tools)
	if err == nil {
		err = bad
	}
	attached, bad := listOf[core.AttachedFile](r.Attached)
	if err == nil {
		err = bad
	}
	return core.Event{
		ID: r.ID, Type: core.EventType(r.Type), Key: core.SessionKey(r.SessionKey), Session: core.SessionID(r.Session),
		Turn: r.Turn, Agent: core.AgentName(r.Agent), Task: core.TaskID(r.Task), State: core.TaskState(r.State),
		Text: r.Text, Message: r.MessageID, Cause: r.Cause, Options: options, File: file, Question: core.QuestionID(r.Question), Created: at(r.Created),
		QuestionKind: core.QuestionKind(r.QuestionKind), Tools: tools, Attached: attached,
	}, err
}

func listText[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "" // cannot fail: strings and numbers
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

// announce publishes e after the commit. An event without a key has no readers.
func (t *tx) announce(e core.Event) error { return t.announceFrom(e, t.now) }

// announceFrom is announce with an earlier time. A change of a message has the time of the
// message's row, and is deleted with it.
func (t *tx) announceFrom(e core.Event, created int64) error {
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

// changed notifies the readers of a person's lists after the commit; without a person, all readers.
func (t *tx) changed(person core.PersonID, lists events.Lists) {
	if t.lists == nil {
		t.lists = map[core.PersonID]events.Lists{}
	}
	t.lists[person] |= lists
}

// changedQuestion reports approvals to everyone, because others may decide.
func (t *tx) changedQuestion(kind core.QuestionKind, person core.PersonID) {
	if kind == core.AsksApproval {
		person = ""
	}
	t.changed(person, events.Questions)
}

// announceTask announces a change of a task. A task without a chat has no log, but a caller may
// follow it.
func (t *tx) announceTask(task *core.Task) error {
	t.changed(task.Origin.Person, events.Tasks)
	e := core.Event{
		Type: core.EventTask, Key: task.Origin.SessionKey, Session: task.Origin.Session,
		Agent: task.Agents[0], Task: task.ID, State: task.State, Text: task.Title,
	}
	if e.Key == "" {
		e.Created = at(t.now)
		t.events = append(t.events, e)
		return nil
	}
	return t.announce(e)
}

// Events returns at most limit events of key after the event with id after, oldest first. Ids
// of a key grow in the order of commits, so a reader that continues from its last id misses
// nothing. limit 0 means 500.
func (s *Store) Events(ctx context.Context, key core.SessionKey, after int64, limit int) ([]core.Event, error) {
	return eventsWhere(s.read(ctx), `session_key = ? AND id > ? ORDER BY id LIMIT ?`, key, after, orDefault(limit, 500))
}

// LastEvents returns the n latest events of key with ids below before, oldest first.
func (s *Store) LastEvents(ctx context.Context, key core.SessionKey, before int64, n int) ([]core.Event, error) {
	events, err := eventsWhere(s.read(ctx), `session_key = ? AND id < ? ORDER BY id DESC LIMIT ?`, key, before, n)
	slices.Reverse(events)
	return events, err
}

func eventsWhere(q sqldb.Querier, where string, args ...any) ([]core.Event, error) {
	var rows []eventRow
	if err := q.All(&rows, `SELECT `+eventColumns+` FROM events WHERE `+where, args...); err != nil {
		return nil, err
	}
	events := make([]core.Event, len(rows))
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
