package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/internal/core"
)

// ErrOpenTasks refuses to delete a session with open tasks.
var ErrOpenTasks = errors.New("tasks are at work")

// An OpenTasksError is an ErrOpenTasks with the open tasks.
type OpenTasksError struct {
	Number int
	Some   []string // the ids of the first few
}

func (e *OpenTasksError) Error() string {
	return fmt.Sprintf("%d %v: %s", e.Number, ErrOpenTasks, strings.Join(e.Some, ", "))
}

func (e *OpenTasksError) Unwrap() error { return ErrOpenTasks }

// DeletedSession is the reason of a session whose deletion has begun. Any caller may continue it.
const DeletedSession = "deleted"

// A Deletion is a session that has ended and is to be deleted.
type Deletion struct {
	Session core.Session
	Current bool        // it had not ended before: its workflow may be running
	Tasks   []core.Task // all tasks, those of sub-agents included
}

// Workflows returns the ids of the workflows of the session's tasks.
func (d Deletion) Workflows() []string { return TaskWorkflows(d.Tasks...) }

// TaskWorkflows returns the ids of the workflows of tasks and of their agents.
func TaskWorkflows(tasks ...core.Task) []string {
	var ids []string
	for _, t := range tasks {
		ids = append(ids, string(t.ID))
		for _, a := range t.Agents {
			ids = append(ids, string(core.SubAgentOwner(t.ID, a)))
		}
	}
	return ids
}

// Deleted has the number of deleted rows by kind: "messages", "tasks", "memory" …
type Deleted map[string]int

// Counts returns d as a list, ordered by kind.
func (d Deleted) Counts() []Count {
	var list []Count
	for _, kind := range slices.Sorted(maps.Keys(d)) {
		list = append(list, Count{kind, d[kind]})
	}
	return list
}

// Add adds the counts of more to d.
func (d Deleted) Add(more Deleted) {
	for kind, n := range more {
		d[kind] += n
	}
}

// MarkForDeletion ends a session, so that no turn of it begins. It fails with ErrOpenTasks if
// tasks are open; with force it cancels them. A second call changes nothing.
func (s *Store) MarkForDeletion(ctx context.Context, id core.SessionID, force bool) (Deletion, error) {
	found, err := s.Session(ctx, id)
	if err != nil {
		return Deletion{}, err
	}
	var d Deletion
	err = s.write(ctx, string(found.Key), func(t *tx) error {
		d = Deletion{}
		var row sessionRow
		found, err := t.Row(&row, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("session %s: %w", id, ErrNotFound)
		}
		if err := t.endTasks(id, force); err != nil {
			return err
		}
		if d.Current = row.State != SessionEnded; d.Current {
			err = t.endSession(id, DeletedSession)
		} else {
			_, err = t.Exec(`UPDATE sessions SET reason = ? WHERE id = ?`, DeletedSession, id)
		}
		if err != nil {
			return err
		}
		if err := t.detachWorkspace(id); err != nil {
			return err
		}
		if row.Reason != DeletedSession {
			if err := t.audit(core.DeedSessionDelete, did{"session", string(id), core.PersonID(row.Person), ""}); err != nil {
				return err
			}
		}
		row.Plan = "" // the plan is not needed, and an invalid one must not prevent the deletion
		if d.Session, err = row.session(); err != nil {
			return err
		}
		d.Tasks, err = tasksWhere(t, `session = ? AND session <> ''`, id)
		return err
	})
	return d, err
}

func (t *tx) endTasks(id core.SessionID, force bool) error {
	tasks, err := tasksWhere(t, `session = ? AND `+open+` ORDER BY created`, id)
	if err != nil || len(tasks) == 0 {
		return err
	}
	if !force {
		names := make([]string, 0, 5)
		for _, task := range tasks[:min(len(tasks), 5)] {
			names = append(names, string(task.ID))
		}
		return &OpenTasksError{len(tasks), names}
	}
	for _, task := range tasks {
		// A tree that an earlier task of the loop has closed does not change.
		if _, err := t.closeTree(task.ID, core.ReasonDeleted.Text(), true); err != nil {
			return err
		}
	}
	return nil
}

// deleteBatch limits the rows of a transaction, so that it does not delay turns noticeably.
const deleteBatch = 200

// DeleteSession deletes a session after MarkForDeletion, in several transactions. The cost of
// its model calls stays in the daily sums. between, if set, is called after each transaction;
// its error ends the deletion. The deletion may be repeated.
func (s *Store) DeleteSession(ctx context.Context, id core.SessionID, between func() error) (Deleted, error) {
	found, err := s.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.State != SessionEnded {
		return nil, fmt.Errorf("delete session %s: it is %s", id, found.State)
	}
	return s.remove(ctx, string(found.Key), func(r *removal) error { return r.session(id) }, between)
}

// DeleteTask deletes an ended task without a session, as DeleteSession does.
func (s *Store) DeleteTask(ctx context.Context, id core.TaskID, between func() error) (Deleted, error) {
	task, err := s.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.remove(ctx, conversation(task.Origin), func(r *removal) error { return r.task(&task) }, between)
}

// remove runs do, which deletes a limited number of rows, until nothing is left.
func (s *Store) remove(ctx context.Context, conversation string, do func(*removal) error, between func() error) (Deleted, error) {
	all := Deleted{}
	for {
		var r *removal
		err := s.write(ctx, conversation, func(t *tx) error {
			r = &removal{tx: t, left: deleteBatch, rows: Deleted{}}
			if err := do(r); err != nil || r.rows["messages"] == 0 {
				return err
			}
			return t.noteDeleted()
		})
		if err != nil {
			return all, err
		}
		all.Add(r.rows)
		if r.left > 0 {
			return all, nil
		}
		if between != nil {
			if err := between(); err != nil {
				return all, err
			}
		}
	}
}

// A removal is one transaction of a deletion. left is how many more rows it may delete.
type removal struct {
	*tx
	left int
	rows Deleted
}

func (r *removal) from(table, where string, args ...any) error {
	if r.left <= 0 {
		return nil
	}
	n, err := r.Exec(r.some(table, where), append(args, deleteBatch)...)
	r.rows[table] += int(n)
	if r.left -= int(n); r.rows[table] == 0 {
		delete(r.rows, table)
	}
	return err
}

func (t *tx) some(table, where string) string {
	row := t.s.db.RowID()
	return `DELETE FROM ` + table + ` WHERE ` + row + ` IN (SELECT ` + row + ` FROM ` + table + ` WHERE ` + where + ` LIMIT ?)`
}

// session deletes the session's own row last, because a repeated deletion needs it.
func (r *removal) session(id core.SessionID) error {
	for r.left > 0 {
		tasks, err := tasksWhere(r, `session = ? AND session <> '' LIMIT 1`, id)
		if err != nil {
			return err
		}
		if len(tasks) == 0 {
			break
		}
		if err := r.task(&tasks[0]); err != nil {
			return err
		}
	}
	if err := r.usage(deleteBatch, `session = ? AND session <> ''`, id); err != nil {
		return err
	}
	if err := r.inbox(id); err != nil {
		return err
	}
	if err := r.owner(core.SessionOwner(id)); err != nil {
		return err
	}
	if err := r.disownReplacing(id); err != nil {
		return err
	}
	for _, d := range []struct{ table, where string }{
		{"artifacts", `session = ? AND session <> ''`}, {"events", `session = ? AND session <> ''`}, {"outbox", `made_by = ?`}, {"progress", `owner = ?`}, {"memory", `session = ? AND session <> ''`},
		{"reminders", `session = ? AND session <> '' AND state <> 'active'`}, // active ones stay
	} {
		if err := r.from(d.table, d.where, id); err != nil {
			return err
		}
	}
	// Unsent pushes have the key of the chat.
	if err := r.from("pushes", `session_key = (SELECT key FROM sessions WHERE id = ?) AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = pushes.event)`, id); err != nil {
		return err
	}
	if err := r.workspaceOf(`session = ? AND session <> ''`, id); err != nil {
		return err
	}
	if err := r.oldVersions(id); err != nil {
		return err
	}
	budgets := "turn:" + string(id)
	if err := r.from("budgets", `key >= ? AND key < ?`, budgets+":", budgets+";"); err != nil { // ; follows :
		return err
	}
	if r.left > 0 {
		if err := r.dropChat(id); err != nil {
			return err
		}
	}
	return r.from("sessions", `id = ? AND state = 'ended'`, id)
}

func (r *removal) task(task *core.Task) error {
	if !task.State.Terminal() {
		return fmt.Errorf("%w: %s", ErrOpenTasks, task.ID)
	}
	for _, a := range task.Agents {
		owner := core.SubAgentOwner(task.ID, a)
		if err := r.owner(owner); err != nil {
			return err
		}
		if err := r.from("outbox", `made_by = ?`, owner); err != nil { // its questions
			return err
		}
	}
	for _, table := range []string{"reports", "task_messages", "peer_tasks", "a2a_messages", "a2a_pushes", "webhooks", "replays"} {
		if err := r.from(table, `task = ?`, task.ID); err != nil {
			return err
		}
	}
	if err := r.from("outbox", `key = ?`, "late:"+string(task.ID)); err != nil {
		return err
	}
	root := "task:" + string(task.ID)
	if err := r.from("artifacts", `root = ? AND root <> ''`, root); err != nil {
		return err
	}
	if err := r.from("budgets", `key = ?`, root); err != nil {
		return err
	}
	if task.Origin.SessionKey == "" && task.Origin.Depth <= 1 {
		if err := r.workspaceOf(`place = ? AND place <> ''`, conversation(task.Origin)); err != nil {
			return err
		}
	}
	return r.from("tasks", `id = ?`, task.ID)
}

func (r *removal) owner(owner core.Owner) error {
	if r.left > 0 {
		if err := r.release(`owner = ?`, owner); err != nil {
			return err
		}
	}
	calls := string(owner)
	if err := r.from("file_calls", `call >= ? AND call < ?`, calls+":", calls+";"); err != nil { // ; follows :
		return err
	}
	for _, table := range []string{"messages", "summaries", "turns", "begun_calls", "pending_responses", "task_message_takes", "questions", "client_calls"} {
		if err := r.from(table, `owner = ?`, owner); err != nil {
			return err
		}
	}
	return nil
}

func (r *removal) inbox(id core.SessionID) error {
	if r.left <= 0 {
		return nil
	}
	var claimed []struct{ Channel, Account, Chat, MessageID string }
	err := r.All(&claimed, `SELECT channel, account, chat, message_id FROM inbox WHERE owner = ? AND turn IS NOT NULL LIMIT ?`, id, deleteBatch/2)
	if err != nil {
		return err
	}
	for _, m := range claimed {
		var gone []struct {
			SessionKey string
			Created    int64
		}
		err := r.All(&gone, `DELETE FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND (owner = ? OR superseded)
			RETURNING session_key, created`, m.Channel, m.Account, m.Chat, m.MessageID, id)
		if err != nil {
			return err
		}
		for _, g := range gone {
			// The event has the time of its row, because one transaction wrote both.
			n, err := r.Exec(`DELETE FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND created = ?`, g.SessionKey, m.MessageID, g.Created)
			if err == nil && strings.HasPrefix(m.MessageID, reminderSlot) {
				// The notice of a reminder has no message id.
				n, err = r.Exec(`DELETE FROM events WHERE session_key = ? AND session = '' AND message_id = '' AND type = 'notice' AND created = ?`, g.SessionKey, g.Created)
			}
			if err != nil {
				return err
			}
			r.rows["inbox"]++
			r.rows["events"] += int(n)
			r.left -= 1 + int(n)
		}
	}
	if len(claimed) == deleteBatch/2 {
		r.left = 0 // there may be more
	}
	return nil
}
