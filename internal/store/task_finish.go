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
		if state != errand.Canceled && (state == errand.Completed || reason == "" || task.Policy.CountsVerdicts()) {
			if err := t.compose(&task); err != nil {
				return err
			}
		}
		return t.finishTask(&task)
	})
	return task, first, err
}

// Reported reports whether the reports of a task's agents decide it, and none of them
// waits for what it delegated itself, or has an answer under way: the task lacks
// nothing but its end.
func (s *Store) Reported(ctx context.Context, task errand.Task) (bool, error) {
	q := s.read(ctx)
	reports, err := reportsOf(q, task.ID)
	if err != nil {
		return false, err
	}
	if _, decided := task.Policy.Decide(task.Agents, outcomes(&task, reports)); !decided {
		return false, nil
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

type report struct {
	Agent      errand.AgentName
	State      errand.TaskState
	Text       string
	Verdict    errand.Verdict
	Confidence float64
	Created    int64
}

func reportsOf(q sqldb.Querier, id errand.TaskID) (map[errand.AgentName]report, error) {
	var rows []report
	if err := q.All(&rows, `SELECT agent, state, text, verdict, confidence, created FROM reports WHERE task = ?`, id); err != nil {
		return nil, err
	}
	reports := make(map[errand.AgentName]report, len(rows))
	for _, r := range rows {
		reports[r.Agent] = r
	}
	return reports, nil
}

func outcomes(task *errand.Task, reports map[errand.AgentName]report) []errand.Outcome {
	list := make([]errand.Outcome, len(task.Agents))
	for i, agent := range task.Agents {
		list[i].State, list[i].Verdict = reports[agent].State, reports[agent].Verdict
	}
	return list
}

// joinsTasks reports whether a task waits for what it delegated itself: that is open,
// or has an outcome that it has not read; or whether it has not read an answer.
func joinsTasks(q sqldb.Querier, id errand.TaskID) (bool, error) {
	var one int
	return q.Value(&one, `SELECT 1 FROM tasks WHERE parent = ? AND parent <> '' AND (`+open+` OR `+wayUndecided+`)
		UNION ALL SELECT 1 FROM questions WHERE task = ? AND task <> '' AND NOT told AND state <> 'open' LIMIT 1`, id, id)
}

// compose makes a task's outcome of its reports. An agent that has left none has
// failed.
func (t *tx) compose(task *errand.Task) error {
	reports, err := reportsOf(t, task.ID)
	if err != nil {
		return err
	}
	if task.Policy.CountsVerdicts() {
		return t.composeDecision(task, reports)
	}
	parts := make([]string, len(task.Agents))
	for i, agent := range task.Agents {
		r, ok := reports[agent]
		if !ok {
			r = report{Agent: agent, State: errand.Failed, Text: errand.ReasonNoReport.Text()}
			reports[agent] = r
		} else if len(parts) > 1 && r.State != errand.Completed {
			r.Text = "(" + string(r.State) + ") " + r.Text
		}
		parts[i] = r.Text
		if len(parts) > 1 {
			parts[i] = "## " + agent.Display() + "\n" + r.Text
		}
	}
	whole := strings.Join(parts, "\n\n")
	decision, _ := task.Policy.Decide(task.Agents, outcomes(task, reports)) // each has ended
	if decision.State == errand.Completed {
		task.Result, task.Error = whole, ""
		return nil
	}
	task.State, task.Error = decision.State, whole
	return nil
}

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
	if err := t.keepDecision(task); err != nil {
		return err
	}
	if err := t.dueWebhooks(task.ID); err != nil {
		return err
	}
	if err := t.duePushes(task); err != nil {
		return err
	}
	if err := t.endQuestions(task.ID); err != nil {
		return err
	}
	if err := t.endOwners(task, "the task is "+string(task.State)); err != nil {
		return err
	}
	// What it delegated and never took is nobody's any more.
	if _, err := t.Exec(`UPDATE tasks SET way = 'none' WHERE parent = ? AND parent <> '' AND `+wayUndecided, task.ID); err != nil {
		return err
	}
	t.ended = append(t.ended, task.State)
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
// one first. delivered says that whoever asked for the task is being told so by the
// caller: its way is then decided.
func (s *Store) CloseTask(ctx context.Context, id errand.TaskID, reason string, delivered bool) ([]errand.Task, error) {
	key, err := s.conversationOf(ctx, id)
	if err != nil {
		return nil, err
	}
	var changed []errand.Task
	err = s.writeStop(ctx, key, func(t *tx) error {
		var err error
		if changed, err = t.closeTree(id, reason, delivered); err != nil || len(changed) == 0 {
			return err
		}
		return t.audit(DeedTaskCancel, did{"task", string(id), changed[0].Origin.Person, ""})
	})
	return changed, err
}

func (t *tx) closeTree(id errand.TaskID, reason string, delivered bool) (changed []errand.Task, err error) {
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
		if task.Way == errand.WayUndecided && (delivered || task.ID != id) {
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
