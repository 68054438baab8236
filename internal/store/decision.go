package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/decision"
)

type decisionRow struct {
	Policy     string
	Deadline   int64
	Branches   string // JSON
	Decision   string
	Verdicts   string // JSON
	FollowedBy string
	Follows    string
}

const decisionColumns = `policy, deadline, branches, decision, verdicts, followed_by, follows`

type branches struct {
	Then *core.Branch `json:"then,omitempty"`
	Else *core.Branch `json:"else,omitempty"`
}

func branchesText(task *core.Task) (string, error) {
	if task.Then == nil && task.Else == nil {
		return "", nil
	}
	b, err := json.Marshal(branches{task.Then, task.Else})
	return string(b), err
}

func (r *decisionRow) into(t *core.Task) error {
	t.Policy, t.Deadline, t.Decision, t.FollowedBy = core.Policy(r.Policy), at(r.Deadline), core.Answer(r.Decision), core.TaskID(r.FollowedBy)
	t.Follows = core.TaskID(r.Follows)
	if r.Branches != "" {
		var b branches
		if err := json.Unmarshal([]byte(r.Branches), &b); err != nil {
			return fmt.Errorf("branches of task %s: %w", t.ID, err)
		}
		t.Then, t.Else = b.Then, b.Else
	}
	if r.Verdicts != "" {
		if err := json.Unmarshal([]byte(r.Verdicts), &t.Verdicts); err != nil {
			return fmt.Errorf("verdicts of task %s: %w", t.ID, err)
		}
	}
	return nil
}

func (t *tx) deadline(after time.Duration) time.Time {
	if after <= 0 {
		return time.Time{}
	}
	return at(t.now + after.Microseconds())
}

// composeDecision makes a task's outcome from the verdicts of its agents. It counts them again,
// in the order in which they came: a verdict after the decision or after the deadline is late.
// So the outcome does not depend on when composeDecision runs.
func (t *tx) composeDecision(task *core.Task, reports map[core.AgentName]report) error {
	outcomes := make([]core.Outcome, len(task.Agents))
	task.Verdicts = make([]core.GivenVerdict, len(task.Agents))
	came := make([]int, len(task.Agents))
	for i := range came {
		came[i] = i
	}
	slices.SortStableFunc(came, func(a, b int) int {
		return cmp.Compare(reports[task.Agents[a]].Created, reports[task.Agents[b]].Created)
	})
	for _, i := range came {
		r, ok := reports[task.Agents[i]]
		given := core.GivenVerdict{Agent: task.Agents[i], Verdict: r.Verdict, Confidence: r.Confidence, Reasoning: r.Text}
		_, decided := decision.Decide(task.Policy, task.Agents, outcomes)
		switch {
		case !ok, r.Verdict == "":
			given.Standing = core.StandingAbsent
		case r.Verdict == core.Invalid:
			given.Standing = core.StandingInvalid
		case decided, !task.Deadline.IsZero() && r.Created > micros(task.Deadline):
			given.Standing = core.StandingLate
		default:
			given.Standing = core.StandingCounted
			outcomes[i].Verdict = r.Verdict
		}
		if given.Standing != core.StandingLate {
			outcomes[i].State = r.State // a working agent gets its final state below
		}
		task.Verdicts[i] = given
	}
	for i := range outcomes {
		if !outcomes[i].State.Terminal() {
			outcomes[i].State = core.Failed
		}
	}
	d, _ := decision.Decide(task.Policy, task.Agents, outcomes) // every agent has ended
	if d.Answer == "" {                                         // unknown to this version
		task.State, task.Error, task.Verdicts = d.State, d.Why, nil
		return nil
	}
	why := task.Error
	task.State, task.Decision, task.Result, task.Error = d.State, d.Answer, "", ""
	if text := decisionText(task); d.State == core.Completed {
		task.Result = text
	} else if task.Error = text; why != "" {
		task.Error += "\n\nIt failed: " + why
	}
	return nil
}

func decisionText(task *core.Task) string {
	return decisionLines(task, func(reasoning string) string { return reasoning })
}

func decisionLines(task *core.Task, reasons func(string) string) string {
	var b strings.Builder
	n, verdicts := map[core.Standing]int{}, map[core.Verdict]int{}
	for _, v := range task.Verdicts {
		n[v.Standing]++
		if v.Standing == core.StandingCounted {
			verdicts[v.Verdict]++
		}
	}
	fmt.Fprintf(&b, "Decision: %s, by the policy %q.\n", task.Decision, string(task.Policy))
	fmt.Fprintf(&b, "%d asked; %d counted: %d YES, %d NO, %d ABSTAIN; %d invalid, %d late, %d absent.", len(task.Verdicts),
		n[core.StandingCounted], verdicts[core.Yes], verdicts[core.No], verdicts[core.Abstain],
		n[core.StandingInvalid], n[core.StandingLate], n[core.StandingAbsent])
	for _, v := range task.Verdicts {
		fmt.Fprintf(&b, "\n\n## %s: ", v.Agent.Display())
		switch v.Standing {
		case core.StandingCounted:
			fmt.Fprintf(&b, "%s, confidence %.2g", v.Verdict, v.Confidence)
		case core.StandingLate:
			fmt.Fprintf(&b, "late, not counted (%s)", v.Verdict)
		case core.StandingInvalid:
			b.WriteString("invalid, not counted: the answer was not a verdict")
		default:
			b.WriteString("absent, not counted")
		}
		b.WriteString("\n" + reasons(cmp.Or(v.Reasoning, core.ReasonNoReport.Text())))
	}
	return b.String()
}

func (t *tx) keepDecision(task *core.Task) error {
	if task.Decision == "" {
		return nil
	}
	verdicts, err := json.Marshal(task.Verdicts)
	if err != nil {
		return err
	}
	if err := t.follow(task); err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE tasks SET decision = ?, verdicts = ?, followed_by = ? WHERE id = ?`, task.Decision, string(verdicts), task.FollowedBy, task.ID)
	return err
}

func (b *stepBegin) readVerdict() error {
	task := b.out.Task
	if !task.Policy.CountsVerdicts() {
		return nil
	}
	var one int
	found, err := b.Value(&one, `SELECT 1 FROM reports WHERE task = ? AND agent = ?`, task.ID, b.out.Agent)
	b.out.VerdictAsked = found
	return err
}

// askForVerdict makes the next step ask for the verdict, if the agent answered without one.
func (c *commit) askForVerdict() error {
	if !c.in.VerdictAsked {
		return nil
	}
	_, err := c.Exec(`INSERT INTO reports (task, agent, state, text, created) VALUES (?, ?, ?, ?, ?) ON CONFLICT (task, agent) DO NOTHING`,
		c.task.ID, c.stepIn.Agent, core.Working, c.in.Text, c.now)
	return err
}

// reportVerdict stores the first valid verdict of an agent.
func (c *commit) reportVerdict(agent core.AgentName, state core.TaskState) error {
	verdict := c.in.Verdict
	if c.in.Failed {
		verdict = ""
	}
	_, err := c.Exec(`INSERT INTO reports (task, agent, state, text, verdict, confidence, created) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (task, agent) DO UPDATE SET state = excluded.state, text = excluded.text, verdict = excluded.verdict,
		confidence = excluded.confidence, created = excluded.created WHERE reports.verdict IN ('', 'INVALID')`,
		c.task.ID, agent, state, c.in.Text, verdict, c.in.Confidence, c.now)
	if err != nil {
		return err
	}
	_, err = c.Value(&c.result.Verdict, `SELECT verdict FROM reports WHERE task = ? AND agent = ?`, c.task.ID, agent)
	return err
}

// An OverdueTask is an open task after its deadline.
type OverdueTask struct {
	ID       core.TaskID
	Deadline time.Time
	// Signalled is when the watchdog last signaled its workflow; zero: never.
	Signalled time.Time
}

// Overdue returns the open tasks with a past deadline.
func (s *Store) Overdue(ctx context.Context) iter.Seq2[OverdueTask, error] {
	now := micros(s.Now())
	return paginate(func(after *OverdueTask) ([]OverdueTask, error) {
		if after == nil {
			after = &OverdueTask{}
		}
		var rows []struct {
			ID                          string
			Deadline, DeadlineSignalled int64
		}
		err := s.read(ctx).All(&rows, `SELECT id, deadline, deadline_signalled FROM tasks WHERE deadline > 0 AND deadline <= ? AND `+open+`
			AND (deadline, id) > (?, ?) ORDER BY deadline, id LIMIT ?`, now, micros(after.Deadline), after.ID, pageRows)
		list := make([]OverdueTask, len(rows))
		for i, r := range rows {
			list[i] = OverdueTask{core.TaskID(r.ID), at(r.Deadline), at(r.DeadlineSignalled)}
		}
		return list, err
	})
}

func (o OverdueTask) noteSignal(t *tx) error {
	_, err := t.Exec(`UPDATE tasks SET deadline_signalled = ? WHERE id = ?`, t.now, o.ID)
	return err
}
