package store

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"errand"
	"errand/internal/store/sqldb"
)

// FinishTask ends a task. The first terminal state is final: after it,
// FinishTask changes nothing and returns the task as it is, with first false.
//
// A completed task has the reports of its agents as its result; one that has
// none of them, or only such as say why there is none, has failed, and is
// rejected if all of them were refused before they began. reason says
// why a task failed, was canceled or rejected; one that failed without a reason
// has its agents' own words.
func (s *Store) FinishTask(ctx context.Context, id errand.TaskID, state errand.TaskState, reason string) (task errand.Task, first bool, err error) {
	if !state.Terminal() {
		return task, false, fmt.Errorf("finish task %s: %q is not a terminal state", id, state)
	}
	err = s.writeTask(ctx, id, func(t *tx) error {
		first = false
		var err error
		task, err = taskByID(t, id)
		if err != nil || task.State.Terminal() {
			return err
		}
		first = true
		task.State, task.Error = state, reason
		if state == errand.Completed || state == errand.Failed && reason == "" {
			if err := t.compose(&task); err != nil {
				return err
			}
		}
		return t.finishTask(&task)
	})
	return task, first, err
}

// Reported reports whether all agents of a task have reported, and none waits for
// what it delegated itself, or has an answer under way: the task lacks nothing but
// its end.
func (s *Store) Reported(ctx context.Context, task errand.Task) (bool, error) {
	var n int
	q := s.read(ctx)
	if _, err := q.Value(&n, `SELECT COUNT(DISTINCT agent) FROM reports WHERE task = ?`, task.ID); err != nil || n < len(task.Agents) {
		return false, err
	}
	owners := make([]any, len(task.Agents))
	for i, a := range task.Agents {
		owners[i] = errand.SubAgentOwner(task.ID, a)
	}
	var one int
	answers, err := q.Value(&one, `SELECT 1 FROM turns WHERE open AND owner IN (`+sqldb.Placeholders(len(owners))+`) LIMIT 1`, owners...)
	if err != nil || answers {
		return false, err
	}
	joins, err := joinsTasks(q, task.ID)
	return !joins && err == nil, err
}

// joinsTasks reports whether a task waits for what it delegated itself: that is open,
// or has an outcome that it has not read.
func joinsTasks(q sqldb.Querier, id errand.TaskID) (bool, error) {
	var one int
	return q.Value(&one, `SELECT 1 FROM tasks WHERE parent = ? AND parent <> '' AND (`+open+` OR `+untold+`) LIMIT 1`, id)
}

// compose makes a task's outcome of its reports.
func (t *tx) compose(task *errand.Task) error {
	var rows []struct{ Agent, State, Text string }
	if err := t.All(&rows, `SELECT agent, state, text FROM reports WHERE task = ?`, task.ID); err != nil {
		return err
	}
	parts, good, rejected := make([]string, len(task.Agents)), 0, 0
	for i, agent := range task.Agents {
		text := errand.ReasonNoReport.Text()
		for _, r := range rows {
			if r.Agent != string(agent) {
				continue
			}
			text = r.Text
			switch errand.TaskState(r.State) {
			case errand.Completed:
				good++
				continue
			case errand.Rejected:
				rejected++
			}
			if len(parts) > 1 {
				text = "(" + r.State + ") " + text
			}
		}
		parts[i] = text
		if len(parts) > 1 {
			parts[i] = "## " + agent.Display() + "\n" + text
		}
	}
	whole := strings.Join(parts, "\n\n")
	if good > 0 {
		task.Result, task.Error = whole, ""
		return nil
	}
	task.State, task.Error = errand.Failed, whole
	if rejected == len(task.Agents) {
		task.State = errand.Rejected
	}
	return nil
}

// finishTask writes the end of a task, and what ends with it.
func (t *tx) finishTask(task *errand.Task) error {
	task.Finished = at(t.now)
	if task.Way == errand.WayUndecided {
		nobody, err := t.hasNobodyToNotify(task)
		if err != nil {
			return err
		}
		if nobody {
			task.Way = errand.WayNone
		}
	}
	task.Reason = errand.ReasonOf(task.Error)
	_, err := t.Exec(`UPDATE tasks SET state = ?, result = ?, error = ?, reason = ?, way = ?, finished = ? WHERE id = ?`,
		task.State, task.Result, task.Error, task.Reason, task.Way, t.now, task.ID)
	if err != nil {
		return err
	}
	if err := t.endOwners(task, "the task is "+string(task.State)); err != nil {
		return err
	}
	// What it delegated and never took is nobody's any more.
	if _, err := t.Exec(`UPDATE tasks SET way = 'none' WHERE parent = ? AND parent <> '' AND `+untold, task.ID); err != nil {
		return err
	}
	return t.announceTask(task)
}

// hasNobodyToNotify reports whether neither a chat nor a sub-agent at work wants to
// know about task.
func (t *tx) hasNobodyToNotify(task *errand.Task) (bool, error) {
	if task.Parent == "" {
		return task.Origin.Chat == "", nil
	}
	var parent string
	_, err := t.Value(&parent, `SELECT state FROM tasks WHERE id = ?`, task.Parent)
	return errand.TaskState(parent).Terminal(), err
}

// endOwners closes the turns of a task's agents and gives back what they had
// reserved.
func (t *tx) endOwners(task *errand.Task, reason string) error {
	owners := make([]any, len(task.Agents))
	for i, a := range task.Agents {
		owners[i] = errand.SubAgentOwner(task.ID, a)
	}
	in := `owner IN (` + sqldb.Placeholders(len(owners)) + `)`
	_, err := t.Exec(`UPDATE turns SET open = FALSE, closed = ?, reason = ? WHERE open AND `+in, append([]any{t.now, reason}, owners...)...)
	if err != nil {
		return err
	}
	return t.release(in, owners...)
}

// CloseTask kills a task and everything below it that has not ended: all of
// them are canceled in one transaction, after which no model call of theirs
// begins and no outcome of one is kept. It returns those it changed, the top
// one first. told says that whoever asked for the task is being told so by the
// caller: its way is then decided.
func (s *Store) CloseTask(ctx context.Context, id errand.TaskID, reason string, told bool) ([]errand.Task, error) {
	key, err := s.conversationOf(ctx, id)
	if err != nil {
		return nil, err
	}
	var changed []errand.Task
	err = s.writeStop(ctx, key, func(t *tx) error {
		var err error
		changed, err = t.closeTree(id, reason, told)
		return err
	})
	return changed, err
}

func (t *tx) closeTree(id errand.TaskID, reason string, told bool) (changed []errand.Task, err error) {
	if reason = printable(reason); reason == "" {
		reason = errand.ReasonCanceled.Text()
	}
	tree, err := taskTree(t, id)
	if err != nil {
		return nil, err
	}
	for i := range tree {
		task := &tree[i]
		if task.State.Terminal() {
			continue
		}
		task.State, task.Error = errand.Canceled, reason
		if task.Way == errand.WayUndecided && (told || task.ID != id) {
			task.Way = errand.WayTurn
		}
		if err := t.finishTask(task); err != nil {
			return nil, err
		}
		changed = append(changed, *task)
	}
	return changed, nil
}

// printable takes out of a reason what steers terminals, and NUL, which
// PostgreSQL does not store.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
