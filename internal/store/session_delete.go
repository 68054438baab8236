package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand"
)

// ErrOpenTasks refuses to delete a session whose tasks are at work.
var ErrOpenTasks = errors.New("tasks are at work")

// An OpenTasksError is ErrOpenTasks, and says which they are.
type OpenTasksError struct {
	Number int
	Some   []string // the ids of the first few
}

func (e *OpenTasksError) Error() string {
	return fmt.Sprintf("%d %v: %s", e.Number, ErrOpenTasks, strings.Join(e.Some, ", "))
}

func (e *OpenTasksError) Unwrap() error { return ErrOpenTasks }

// DeletedSession is the reason of a session that is being deleted: its rows are
// going, and whoever finds some left may go on with that.
const DeletedSession = "deleted"

// A Deletion is a session that is over and is going to be deleted.
type Deletion struct {
	Session Session
	Current bool          // it was not over before: a workflow may be running for it
	Tasks   []errand.Task // all of them, those of sub-agents too
}

// Workflows returns the ids of the workflows of the session's tasks.
func (d Deletion) Workflows() []string { return TaskWorkflows(d.Tasks...) }

// TaskWorkflows returns the ids of the workflows of tasks: each task's own, and
// those of its agents.
func TaskWorkflows(tasks ...errand.Task) []string {
	var ids []string
	for _, t := range tasks {
		ids = append(ids, string(t.ID))
		for _, a := range t.Agents {
			ids = append(ids, string(errand.SubAgentOwner(t.ID, a)))
		}
	}
	return ids
}

// Deleted says what was deleted, by kind: "messages", "tasks", "memory" …
type Deleted map[string]int

// Counts returns d as a list, in order.
func (d Deleted) Counts() []Count {
	var list []Count
	for _, kind := range slices.Sorted(maps.Keys(d)) {
		list = append(list, Count{kind, d[kind]})
	}
	return list
}

// Add adds what else was deleted.
func (d Deleted) Add(more Deleted) {
	for kind, n := range more {
		d[kind] += n
	}
}

// MarkForDeletion ends a session, without beginning another, to have it deleted:
// from then on no turn of it begins. With ErrOpenTasks it refuses while tasks of
// it are at work; with force it cancels them. It may be repeated.
func (s *Store) MarkForDeletion(ctx context.Context, id errand.SessionID, force bool) (Deletion, error) {
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
			if err := t.audit(DeedSessionDelete, did{"session", string(id), errand.PersonID(row.Person), ""}); err != nil {
				return err
			}
		}
		row.Plan = "" // it goes, whatever it is
		if d.Session, err = row.session(); err != nil {
			return err
		}
		d.Tasks, err = tasksWhere(t, `session = ? AND session <> ''`, id)
		return err
	})
	return d, err
}

// endTasks cancels the open tasks of a session, or refuses to.
func (t *tx) endTasks(id errand.SessionID, force bool) error {
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
		// A tree that was closed with the task above it stays as it is.
		if _, err := t.closeTree(task.ID, errand.ReasonDeleted.Text(), true); err != nil {
			return err
		}
	}
	return nil
}

// deleteBatch is how many rows of one kind a transaction deletes: it is to be
// over before a turn notices that it had to wait.
const deleteBatch = 200

// DeleteSession deletes a session that was condemned, with everything that was
// said and done in it, transaction by transaction. What its model calls cost
// stays, in the sums of the day. between, if set, is called after each
// transaction; its error ends the deletion, which may be begun again.
func (s *Store) DeleteSession(ctx context.Context, id errand.SessionID, between func() error) (Deleted, error) {
	found, err := s.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if found.State != SessionEnded {
		return nil, fmt.Errorf("delete session %s: it is %s", id, found.State)
	}
	return s.remove(ctx, string(found.Key), func(r *removal) error { return r.session(id) }, between)
}

// DeleteTask deletes a task that has ended and belongs to no session.
func (s *Store) DeleteTask(ctx context.Context, id errand.TaskID, between func() error) (Deleted, error) {
	task, err := s.Task(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.remove(ctx, conversation(task.Origin), func(r *removal) error { return r.task(&task) }, between)
}

// remove runs do, which deletes a bounded number of rows, until nothing is left.
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

// A removal is one transaction that deletes. While left is above 0 there is
// room for more in it.
type removal struct {
	*tx
	left int
	rows Deleted
}

// from deletes rows of a table, at most deleteBatch of them.
func (r *removal) from(table, where string, args ...any) error {
	if r.left <= 0 {
		return nil
	}
	n, err := r.Exec(r.s.some(table, where), append(args, deleteBatch)...)
	r.rows[table] += int(n)
	if r.left -= int(n); r.rows[table] == 0 {
		delete(r.rows, table)
	}
	return err
}

// some is a statement that deletes rows; its last argument says how many at most.
func (s *Store) some(table, where string) string {
	row := s.db.RowID()
	return `DELETE FROM ` + table + ` WHERE ` + row + ` IN (SELECT ` + row + ` FROM ` + table + ` WHERE ` + where + ` LIMIT ?)`
}

// session deletes what belongs to a session, its own row last: as long as that
// is there, the deletion can be gone on with.
func (r *removal) session(id errand.SessionID) error {
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
	if err := r.owner(errand.SessionOwner(id)); err != nil {
		return err
	}
	for _, d := range []struct{ table, where string }{
		{"artifacts", `session = ? AND session <> ''`}, {"events", `session = ? AND session <> ''`}, {"outbox", `made_by = ?`}, {"progress", `owner = ?`}, {"memory", `session = ? AND session <> ''`},
		{"reminders", `session = ? AND session <> '' AND state <> 'active'`}, // what is to come is the person's
	} {
		if err := r.from(d.table, d.where, id); err != nil {
			return err
		}
	}
	// What no browser was told of yet has the name of the chat.
	if err := r.from("pushes", `session_key = (SELECT key FROM sessions WHERE id = ?) AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = pushes.event)`, id); err != nil {
		return err
	}
	if err := r.workspaceOf(`session = ? AND session <> ''`, id); err != nil {
		return err
	}
	if err := r.oldVersions(id); err != nil {
		return err
	}
	if err := r.disownPreviews(id); err != nil {
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

// task deletes a task with the transcripts of its agents.
func (r *removal) task(task *errand.Task) error {
	if !task.State.Terminal() {
		return fmt.Errorf("%w: %s", ErrOpenTasks, task.ID)
	}
	for _, a := range task.Agents {
		owner := errand.SubAgentOwner(task.ID, a)
		if err := r.owner(owner); err != nil {
			return err
		}
		if err := r.from("outbox", `made_by = ?`, owner); err != nil { // what it has asked
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

// owner deletes the transcript of a session or a sub-agent, with its turns.
func (r *removal) owner(owner errand.Owner) error {
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

// inbox deletes the messages that a session took, with their earlier revisions
// and what they left in the event log.
func (r *removal) inbox(id errand.SessionID) error {
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
			// The event has the time of its row: they were one transaction.
			n, err := r.Exec(`DELETE FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND created = ?`, g.SessionKey, m.MessageID, g.Created)
			if err == nil && strings.HasPrefix(m.MessageID, reminderSlot) {
				// That a reminder had come was said without its message.
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
