package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/internal/core"
)

// maxBackfill limits the rows that one turn adds to its transcript.
const maxBackfill = 20

// queueBackfill records a row that was sent to a chat and is missing in its session's
// transcript: the person's next question may be about it. by is the account that sent it;
// empty: the account of the row's route. It may be repeated.
func (t *tx) queueBackfill(n core.Notification, by string) error {
	elsewhere := by != "" && by != n.Route.Account
	if n.Event != core.EventLate || n.Session == "" || !elsewhere && !strings.HasPrefix(n.Key, "late:") {
		return nil
	}
	key := n.Session
	if elsewhere {
		// The same chat with another account, if the person writes there.
		route, person, err := key.Parse()
		if err != nil {
			return nil //nolint:nilerr // it belongs to no conversation that could go on
		}
		route.Account = by
		key = core.NewSessionKey(route, person)
	}
	_, err := t.Exec(`INSERT INTO told_apart (session_key, outbox) VALUES (?, ?) ON CONFLICT DO NOTHING`, key, n.ID)
	return err
}

// dropBackfill drops the rows of a session's chat when the session ends.
func (t *tx) dropBackfill(id core.SessionID) error {
	_, err := t.Exec(`UPDATE told_apart SET session = ? WHERE session = '' AND session_key = (SELECT key FROM sessions WHERE id = ?)`, id, id)
	return err
}

// readBackfill reads the rows that were sent since the session's last turn, as messages before
// those that the turn takes. writeBackfill writes them later, because a turn that takes nothing
// leaves no trace.
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

// backfillMessages renders a result as if the agent had called a tool to read it, because its
// text is data, not an instruction.
func (b *stepBegin) backfillMessages(n core.Notification) ([]core.Message, error) {
	if n.Task == "" {
		return []core.Message{{Speaker: core.FromAgent, Agent: n.Agent, Text: n.Text}}, nil
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
			return nil, err // a turn took it and failed to report it
		}
	}
	return []core.Message{
		{Speaker: core.FromAgent, Agent: b.out.Agent, Calls: []core.ToolCall{call}},
		{Speaker: core.FromTool, Text: task.Report(b.out.Nonce), CallID: call.ID},
		{Speaker: core.FromAgent, Agent: task.Agents[0], Text: notifiedText(&task), Own: core.OwnStatus},
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
		// The agent has read the result now; its prompt need not show it as unread.
		if _, err := b.Exec(`UPDATE tasks SET read = ? WHERE id = ? AND read = 0`, b.now, n.Task); err != nil {
			return err
		}
	}
	return nil
}

func foldCall(task *core.Task) (core.ToolCall, error) {
	arguments, err := json.Marshal(map[string]core.TaskID{"task_id": task.ID})
	return core.ToolCall{ID: fmt.Sprintf("fold-%s", task.ID), Name: "get_task", Arguments: string(arguments)}, err
}

func notifiedText(task *core.Task) string {
	return fmt.Sprintf("%s has told the user the outcome of %s.", task.Agents[0].Display(), task.ID)
}
