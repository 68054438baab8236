package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand"
)

// maxBackfill is how much of what was told without its turns (the table told_apart)
// one turn puts into its transcript.
const maxBackfill = 20

// queueBackfill notes, when a row of the outbox has been sent by an account of ours
// (empty: that of its route), that it stands in a chat whose session has not said it:
// what the person asks next is about it. It may be repeated.
func (t *tx) queueBackfill(n errand.Notification, by string) error {
	elsewhere := by != "" && by != n.Route.Account
	if n.Event != errand.EventLate || n.Session == "" || !elsewhere && !strings.HasPrefix(n.Key, "late:") {
		return nil
	}
	key := n.Session
	if elsewhere {
		// The same chat with another account of ours, if the person writes there.
		route, person, err := key.Parse()
		if err != nil {
			return nil //nolint:nilerr // it belongs to no conversation that could go on
		}
		route.Account = by
		key = errand.NewSessionKey(route, person)
	}
	_, err := t.Exec(`INSERT INTO told_apart (session_key, outbox) VALUES (?, ?) ON CONFLICT DO NOTHING`, key, n.ID)
	return err
}

// dropBackfill lets what was told without its turns be in no transcript: the session
// in whose chat it was told has been ended by the person.
func (t *tx) dropBackfill(id errand.SessionID) error {
	_, err := t.Exec(`UPDATE told_apart SET session = ? WHERE session = '' AND session_key = (SELECT key FROM sessions WHERE id = ?)`, id, id)
	return err
}

// readBackfill reads what has been told in the chat of the session since its last turn
// without it, as messages that stand in front of what the turn takes. They get their
// places in the transcript, but are written only by writeBackfill: a turn that takes
// nothing is none.
func (b *stepBegin) readBackfill() error {
	list, err := outboxWhere(b, `id IN (SELECT outbox FROM told_apart WHERE session_key = ? AND session = '') ORDER BY id LIMIT ?`, b.in.Session, maxBackfill)
	if err != nil {
		return err
	}
	for _, n := range list {
		messages, err := b.backfillMessages(n)
		if err != nil {
			return err
		}
		for _, m := range messages {
			m.Turn, m.Step, m.Index, m.Created = b.key.Turn, b.key.Step-1, len(b.backfill), n.SentAt
			b.backfill = append(b.backfill, m)
		}
		b.backfillRows = append(b.backfillRows, n)
	}
	b.next = len(b.backfill)
	return nil
}

// backfillMessages is how the transcript has something that was told apart: a result as
// if the agent had looked at it, for its words are material, and else what an agent
// has said, as it said it.
func (b *stepBegin) backfillMessages(n errand.Notification) ([]errand.Message, error) {
	if n.Task == "" {
		return []errand.Message{{Speaker: errand.FromAgent, Agent: n.Agent, Text: n.Text}}, nil
	}
	task, err := taskByID(b, n.Task)
	if errors.Is(err, ErrNotFound) {
		return nil, nil // deleted with its session
	}
	if err != nil {
		return nil, err
	}
	call, err := foldCall(&task)
	if err != nil {
		return nil, err
	}
	if task.Origin.Session == b.out.Session {
		var has int
		if found, err := b.Value(&has, `SELECT 1 FROM messages WHERE owner = ? AND call_id = ? LIMIT 1`, b.key.Owner, call.ID); err != nil || found {
			return nil, err // a turn that could not tell it
		}
	}
	return []errand.Message{
		{Speaker: errand.FromAgent, Agent: b.out.Agent, Calls: []errand.ToolCall{call}},
		{Speaker: errand.FromTool, Text: task.Report(b.out.Nonce), CallID: call.ID},
		{Speaker: errand.FromAgent, Agent: task.Agents[0], Text: notifiedText(&task), Own: errand.OwnStatus},
	}, nil
}

func (b *stepBegin) writeBackfill() error {
	if b.claims == 0 {
		return nil
	}
	for _, m := range b.backfill {
		if err := b.insertMessage(b.key.Owner, m); err != nil {
			return err
		}
	}
	for _, n := range b.backfillRows {
		if _, err := b.Exec(`UPDATE told_apart SET session = ? WHERE session_key = ? AND outbox = ?`, b.key.Owner, b.in.Session, n.ID); err != nil {
			return err
		}
		if n.Task == "" || n.Session != b.in.Session || b.out.Agent != b.in.Primary {
			continue
		}
		// The agent that would be shown it as unread has it now.
		if _, err := b.Exec(`UPDATE tasks SET read = ? WHERE id = ? AND read = 0`, b.now, n.Task); err != nil {
			return err
		}
	}
	return nil
}

func foldCall(task *errand.Task) (errand.ToolCall, error) {
	arguments, err := json.Marshal(map[string]errand.TaskID{"task_id": task.ID})
	return errand.ToolCall{ID: fmt.Sprintf("fold-%s", task.ID), Name: "get_task", Arguments: string(arguments)}, err
}

func notifiedText(task *errand.Task) string {
	return fmt.Sprintf("%s has told the person what became of %s.", task.Agents[0].Display(), task.ID)
}
