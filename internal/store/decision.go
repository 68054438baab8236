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

	"errand"
	"errand/internal/store/sqldb"
)

// A decisionRow is what the row of a task says of what it is to decide.
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
	Then *errand.Branch `json:"then,omitempty"`
	Else *errand.Branch `json:"else,omitempty"`
}

func branchesText(task *errand.Task) (string, error) {
	if task.Then == nil && task.Else == nil {
		return "", nil
	}
	b, err := json.Marshal(branches{task.Then, task.Else})
	return string(b), err
}

func (r *decisionRow) into(t *errand.Task) error {
	t.Policy, t.Deadline, t.Decision, t.FollowedBy = errand.Policy(r.Policy), at(r.Deadline), errand.Answer(r.Decision), errand.TaskID(r.FollowedBy)
	t.Follows = errand.TaskID(r.Follows)
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

// composeDecision makes a task's outcome of the verdicts of its agents. It counts them
// anew, in the order in which they came: what came when it was decided, or after the
// deadline, is late. So it comes to the same whatever was known when it was asked for.
func (t *tx) composeDecision(task *errand.Task, reports map[errand.AgentName]report) error {
	outcomes := make([]errand.Outcome, len(task.Agents))
	task.Verdicts = make([]errand.GivenVerdict, len(task.Agents))
	came := make([]int, len(task.Agents))
	for i := range came {
		came[i] = i
	}
	slices.SortStableFunc(came, func(a, b int) int {
		return cmp.Compare(reports[task.Agents[a]].Created, reports[task.Agents[b]].Created)
	})
	for _, i := range came {
		r, ok := reports[task.Agents[i]]
		given := errand.GivenVerdict{Agent: task.Agents[i], Verdict: r.Verdict, Confidence: r.Confidence, Reasoning: r.Text}
		_, decided := task.Policy.Decide(task.Agents, outcomes)
		switch {
		case !ok, r.Verdict == "":
			given.Standing = errand.StandingAbsent
		case r.Verdict == errand.Invalid:
			given.Standing = errand.StandingInvalid
		case decided, !task.Deadline.IsZero() && r.Created > micros(task.Deadline):
			given.Standing = errand.StandingLate
		default:
			given.Standing = errand.StandingCounted
			outcomes[i].Verdict = r.Verdict
		}
		if given.Standing != errand.StandingLate {
			outcomes[i].State = r.State // one that is at work still has its end below
		}
		task.Verdicts[i] = given
	}
	for i := range outcomes {
		if !outcomes[i].State.Terminal() {
			outcomes[i].State = errand.Failed
		}
	}
	d, _ := task.Policy.Decide(task.Agents, outcomes) // each has ended
	if d.Answer == "" {                               // a policy that this version does not know
		task.State, task.Error, task.Verdicts = d.State, d.Why, nil
		return nil
	}
	why := task.Error
	task.State, task.Decision, task.Result, task.Error = d.State, d.Answer, "", ""
	if text := decisionText(task); d.State == errand.Completed {
		task.Result = text
	} else if task.Error = text; why != "" {
		task.Error += "\n\nIt failed: " + why
	}
	return nil
}

// decisionText is a decision as agents and programs read it: what was decided, who was
// counted, and the reasons of each.
func decisionText(task *errand.Task) string {
	return decisionLines(task, func(reasoning string) string { return reasoning })
}

func decisionLines(task *errand.Task, reasons func(string) string) string {
	var b strings.Builder
	n, verdicts := map[errand.Standing]int{}, map[errand.Verdict]int{}
	for _, v := range task.Verdicts {
		n[v.Standing]++
		if v.Standing == errand.StandingCounted {
			verdicts[v.Verdict]++
		}
	}
	fmt.Fprintf(&b, "Decision: %s, by the policy %q.\n", task.Decision, string(task.Policy))
	fmt.Fprintf(&b, "%d asked; %d counted: %d YES, %d NO, %d ABSTAIN; %d invalid, %d late, %d absent.", len(task.Verdicts),
		n[errand.StandingCounted], verdicts[errand.Yes], verdicts[errand.No], verdicts[errand.Abstain],
		n[errand.StandingInvalid], n[errand.StandingLate], n[errand.StandingAbsent])
	for _, v := range task.Verdicts {
		fmt.Fprintf(&b, "\n\n## %s: ", v.Agent.Display())
		switch v.Standing {
		case errand.StandingCounted:
			fmt.Fprintf(&b, "%s, confidence %.2g", v.Verdict, v.Confidence)
		case errand.StandingLate:
			fmt.Fprintf(&b, "late, not counted (%s)", v.Verdict)
		case errand.StandingInvalid:
			b.WriteString("invalid, not counted: its answer was no verdict")
		default:
			b.WriteString("absent, not counted")
		}
		b.WriteString("\n" + reasons(cmp.Or(v.Reasoning, errand.ReasonNoReport.Text())))
	}
	return b.String()
}

func (t *tx) keepDecision(task *errand.Task) error {
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

// askForVerdict notes that an agent has answered with something else than a verdict, and
// that the next step is to have it.
func (c *commit) askForVerdict() error {
	if !c.in.VerdictAsked {
		return nil
	}
	_, err := c.Exec(`INSERT INTO reports (task, agent, state, text, created) VALUES (?, ?, ?, ?, ?) ON CONFLICT (task, agent) DO NOTHING`,
		c.task.ID, c.stepIn.Agent, errand.Working, c.in.Text, c.now)
	return err
}

// reportVerdict keeps an agent's verdict, or that it has none. Of several the first one
// counts.
func (c *commit) reportVerdict(agent errand.AgentName, state errand.TaskState) error {
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

// An OverdueTask is open, and its deadline is over.
type OverdueTask struct {
	ID       errand.TaskID
	Deadline time.Time
	// Signalled is when the watchdog last told its workflow; zero: never.
	Signalled time.Time
}

// Overdue returns the open tasks whose deadline is over.
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
			list[i] = OverdueTask{errand.TaskID(r.ID), at(r.Deadline), at(r.DeadlineSignalled)}
		}
		return list, err
	})
}

// NoteDeadlineSignalled notes that the workflow of a task was told that its deadline is
// over.
func (s *Store) NoteDeadlineSignalled(ctx context.Context, id errand.TaskID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE tasks SET deadline_signalled = ? WHERE id = ?`, t.now, id)
		return err
	})
}

// Following returns the open tasks that follow decisions of some tasks.
func (s *Store) Following(ctx context.Context, ids []errand.TaskID) ([]errand.TaskID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var following []errand.TaskID
	err := s.read(ctx).All(&following, `SELECT id FROM tasks WHERE id IN (SELECT followed_by FROM tasks WHERE followed_by <> '' AND id IN (`+
		sqldb.Placeholders(len(ids))+`)) AND `+open+` ORDER BY created, id`, args...)
	return following, err
}
