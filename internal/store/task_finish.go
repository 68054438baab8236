package store

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"errand/internal/core"
	"errand/internal/decision"
	"errand/internal/store/sqldb"
)

// FinishTask ends a task. The first terminal state is final: a later call changes nothing and
// returns the task with first false. The result of a completed task consists of its agents'
// reports. Without reports, or with failed ones only, the task has failed; if all agents
// refused the work before it began, the task is rejected. reason says why a task failed, was
// canceled or was rejected; default: the agents' own reports.
func (s *Store) FinishTask(ctx context.Context, id core.TaskID, state core.TaskState, reason string) (task core.Task, first bool, err error) {
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
		if state != core.Canceled && (state == core.Completed || reason == "" || task.Policy.CountsVerdicts()) {
			if err := t.compose(&task); err != nil {
				return err
			}
		}
		return t.finishTask(&task)
	})
	return task, first, err
}

// Reported reports whether a task only has to be ended: its reports decide it, and none of its
// agents waits for a delegated task or an answer.
func (s *Store) Reported(ctx context.Context, task core.Task) (bool, error) {
	q := s.read(ctx)
	reports, err := reportsOf(q, task.ID)
	if err != nil {
		return false, err
	}
	if _, decided := decision.Decide(task.Policy, task.Agents, outcomes(&task, reports)); !decided {
		return false, nil
	}
	owners := make([]any, len(task.Agents))
	for i, a := range task.Agents {
		owners[i] = core.SubAgentOwner(task.ID, a)
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
	Agent      core.AgentName
	State      core.TaskState
	Text       string
	Verdict    core.Verdict
	Confidence float64
	Created    int64
}

func reportsOf(q sqldb.Querier, id core.TaskID) (map[core.AgentName]report, error) {
	var rows []report
	if err := q.All(&rows, `SELECT agent, state, text, verdict, confidence, created FROM reports WHERE task = ?`, id); err != nil {
		return nil, err
	}
	reports := make(map[core.AgentName]report, len(rows))
	for _, r := range rows {
		reports[r.Agent] = r
	}
	return reports, nil
}

func outcomes(task *core.Task, reports map[core.AgentName]report) []core.Outcome {
	list := make([]core.Outcome, len(task.Agents))
	for i, agent := range task.Agents {
		list[i].State, list[i].Verdict = reports[agent].State, reports[agent].Verdict
	}
	return list
}

// joinsTasks reports whether a task has an open or unread delegated task, or an unread answer.
func joinsTasks(q sqldb.Querier, id core.TaskID) (bool, error) {
	var one int
	return q.Value(&one, `SELECT 1 FROM tasks WHERE parent = ? AND parent <> '' AND (`+open+` OR `+wayUndecided+`)
		UNION ALL SELECT 1 FROM questions WHERE task = ? AND task <> '' AND NOT told AND state <> 'open' LIMIT 1`, id, id)
}

func (t *tx) compose(task *core.Task) error {
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
			r = report{Agent: agent, State: core.Failed, Text: core.ReasonNoReport.Text()}
			reports[agent] = r
		} else if len(parts) > 1 && r.State != core.Completed {
			r.Text = "(" + string(r.State) + ") " + r.Text
		}
		parts[i] = r.Text
		if len(parts) > 1 {
			parts[i] = "## " + agent.Display() + "\n" + r.Text
		}
	}
	whole := strings.Join(parts, "\n\n")
	end, _ := decision.Decide(task.Policy, task.Agents, outcomes(task, reports)) // each has ended
	if end.State == core.Completed {
		task.Result, task.Error = whole, ""
		return nil
	}
	task.State, task.Error = end.State, whole
	return nil
}

func (t *tx) finishTask(task *core.Task) error {
	task.Finished = at(t.now)
	if task.Way == core.WayUndecided {
		nobody, err := t.hasNobodyToNotify(task)
		if err != nil {
			return err
		}
		if nobody {
			task.Way = core.WayNone
		}
	}
	task.Reason = core.ReasonOf(task.Error)
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
	// No agent will read the results of its delegated tasks any more.
	if _, err := t.Exec(`UPDATE tasks SET way = 'none' WHERE parent = ? AND parent <> '' AND `+wayUndecided, task.ID); err != nil {
		return err
	}
	t.ended = append(t.ended, task.State)
	return t.announceTask(task)
}

func (t *tx) hasNobodyToNotify(task *core.Task) (bool, error) {
	if task.Parent == "" {
		return task.Origin.Chat == "", nil
	}
	var parent string
	_, err := t.Value(&parent, `SELECT state FROM tasks WHERE id = ?`, task.Parent)
	return core.TaskState(parent).Terminal(), err
}

func (t *tx) endOwners(task *core.Task, reason string) error {
	owners := make([]any, len(task.Agents))
	for i, a := range task.Agents {
		owners[i] = core.SubAgentOwner(task.ID, a)
	}
	in := `owner IN (` + sqldb.Placeholders(len(owners)) + `)`
	_, err := t.Exec(`UPDATE turns SET open = FALSE, closed = ?, reason = ? WHERE open AND `+in, append([]any{t.now, reason}, owners...)...)
	if err != nil {
		return err
	}
	return t.release(in, owners...)
}

// CloseTask cancels a task and all open tasks below it, in one transaction. Afterwards none of
// their model calls begins and no outcome is stored. It returns the tasks that it changed, the
// top one first. delivered means that the caller reports the outcome, which decides the way.
func (s *Store) CloseTask(ctx context.Context, id core.TaskID, reason string, delivered bool) ([]core.Task, error) {
	key, err := s.conversationOf(ctx, id)
	if err != nil {
		return nil, err
	}
	var changed []core.Task
	err = s.writeBy(ctx, s.db.WriteStop, key, func(t *tx) error {
		var err error
		if changed, err = t.closeTree(id, reason, delivered); err != nil || len(changed) == 0 {
			return err
		}
		return t.audit(core.DeedTaskCancel, did{"task", string(id), changed[0].Origin.Person, ""})
	})
	return changed, err
}

func (t *tx) closeTree(id core.TaskID, reason string, delivered bool) (changed []core.Task, err error) {
	if reason = printable(reason); reason == "" {
		reason = core.ReasonCanceled.Text()
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
		task.State, task.Error = core.Canceled, reason
		if task.Way == core.WayUndecided && (delivered || task.ID != id) {
			task.Way = core.WayTurn
		}
		if err := t.finishTask(task); err != nil {
			return nil, err
		}
		changed = append(changed, *task)
	}
	return changed, nil
}

// printable removes control characters, which could control a terminal, and NUL, which
// PostgreSQL does not store.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
