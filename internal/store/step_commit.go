package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand/internal/core"
)

// CommitStep is the second of a step's two transactions: it stores the outcome of the model
// call. A step has one outcome: CommitStep drops a second one and returns the result of the
// first, so it may be repeated. After the turn or a task above it has ended, it fails with
// ErrClosed and stores no outcome; after a later attempt has begun the step, with ErrTaken. It
// always records the cost of the model call.
func (s *Store) CommitStep(ctx context.Context, in CommitStep) (StepResult, error) {
	if len(in.Planned) != len(in.Calls) {
		return StepResult{}, fmt.Errorf("commit step %s: %d calls, and %d are planned", in.Step.Key, len(in.Calls), len(in.Planned))
	}
	var c *commit
	err := s.write(ctx, in.Step.conversation(), func(t *tx) error {
		c = &commit{tx: t, in: in, stepIn: in.Step, key: in.Step.Key}
		return c.run()
	})
	if err == nil {
		err = c.refused
	}
	if err != nil {
		return StepResult{}, err
	}
	return c.result, nil
}

type commit struct {
	*tx
	in      CommitStep
	stepIn  *StepInput
	key     core.StepKey
	turn    turnRow
	task    *core.Task // the sub-agent's task; nil for a session
	result  StepResult
	refused error
}

func (c *commit) run() error {
	first, err := c.outcome(c.key)
	if err != nil {
		return err
	}
	taken := false
	if first == nil {
		if taken, err = c.isTaken(); err != nil {
			return err
		}
	}
	switch {
	case first != nil:
		c.result = *first
	case taken:
		c.refused = fmt.Errorf("step %s: %w", c.key, ErrTaken)
		_, err := c.bookLoss(c.stepIn, c.in.Usage)
		return err
	default:
		if err := c.mayCommit(); err != nil {
			if !errors.Is(err, ErrClosed) {
				return err
			}
			c.refused = err
			break
		}
		if err := c.keep(); err != nil {
			return err
		}
	}
	if err := c.settle(c.stepIn, c.in.Usage); err != nil || first != nil || c.result.Ended == "" {
		return err
	}
	return c.finishTask(c.task) // after settle, so that it includes the cost of this step
}

// isTaken reports whether a later attempt has begun the step.
func (c *commit) isTaken() (bool, error) {
	var last struct {
		Attempts int
		Worker   string
	}
	found, err := c.Row(&last, `SELECT attempts, worker FROM reservations WHERE owner = ? AND turn = ? AND step = ?`, c.key.Owner, c.key.Turn, c.key.Step)
	return found && (last.Attempts != c.stepIn.Attempts.Number || last.Worker != workerOf(c.s)), err
}

func (c *commit) mayCommit() error {
	var found bool
	var err error
	if c.turn, found, err = turnOf(c, c.key.Owner, c.key.Turn); err != nil {
		return err
	}
	if !found || !c.turn.Open {
		return fmt.Errorf("turn %d of %s: %w", c.key.Turn, c.key.Owner, ErrClosed)
	}
	if c.task, err = ownTask(c, c.key.Owner); err != nil {
		return err
	}
	return c.alive(c.task)
}

func (c *commit) keep() error {
	spent := total(c.in.Usage)
	c.result = StepResult{Failed: c.in.Failed, Final: len(c.in.Calls) == 0 && !c.in.VerdictAsked && c.in.AskAgain == "", Tokens: spent.Tokens, Cost: spent.Cost, Claims: c.stepIn.claims, Taken: c.stepIn.taken, Left: c.stepIn.left}
	calls := withIDs(c.in.Calls, c.key)
	if err := c.plan(calls); err != nil {
		return err
	}
	if c.result.Final && !c.in.Failed {
		// Messages that came meanwhile are for the next step, so this reply is not the final
		// report.
		untaken, err := c.hasUntaken()
		if err == nil && !untaken {
			untaken, err = c.hasUndelivered()
		}
		if err != nil {
			return err
		}
		c.result.Final = !untaken
	}
	if c.result.Final {
		if c.stepIn.Task == nil {
			c.result.Agent = c.stepIn.Agent
		}
		if err := c.finish(); err != nil {
			return err
		}
	}
	if err := c.collectOutbox(); err != nil {
		return err
	}
	if c.stepIn.Pending.ID != "" && !c.in.Failed { // a failed step's answer is canceled
		if err := c.forgetPending(c.key); err != nil {
			return err
		}
	}
	result, err := json.Marshal(c.result)
	if err != nil {
		return err
	}
	outcome := core.Message{
		Turn: c.key.Turn, Step: c.key.Step, Speaker: core.FromAgent, Agent: c.stepIn.Agent, Text: c.in.Text, Calls: calls, State: c.in.State,
	}
	if c.in.Failed {
		outcome.Own = core.OwnError
	}
	err = c.insertOutcome(c.key.Owner, outcome, string(result))
	if err != nil {
		return err
	}
	if err := c.askForVerdict(); err != nil {
		return err
	}
	if c.in.AskAgain != "" {
		err := c.insertMessage(c.key.Owner, core.Message{Turn: c.key.Turn, Step: c.key.Step, Index: len(calls) + 1, Speaker: core.FromPerson, Text: c.in.AskAgain})
		if err != nil {
			return err
		}
	}
	for i, p := range c.result.Calls {
		if p.By != ByNobody {
			continue
		}
		err := c.insertMessage(c.key.Owner, core.Message{
			Turn: c.key.Turn, Step: c.key.Step, Index: p.Index, Speaker: core.FromTool, Text: c.in.Errors[p.Index], CallID: calls[i].ID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withIDs sets missing and duplicate ids of calls, because models omit or repeat them.
func withIDs(calls []core.ToolCall, key core.StepKey) []core.ToolCall {
	seen := map[string]bool{}
	out := make([]core.ToolCall, len(calls))
	for i, call := range calls {
		if call.ID == "" || seen[call.ID] {
			call.ID = fmt.Sprintf("call-%d-%d-%d", key.Turn, key.Step, i+1)
		}
		seen[call.ID] = true
		out[i] = call
	}
	return out
}

func (c *commit) plan(calls []core.ToolCall) error {
	for i, p := range c.in.Planned {
		p.Index = i + 1
		switch p.By {
		case ByHandover:
			if err := c.handOver(p.Index, calls[i].ID); err != nil {
				return err
			}
		case ByDelegation:
			task, err := c.delegate(p.Index)
			if why := taskRefusal(err); why != "" {
				c.refuse(&p, why)
				break
			}
			if err != nil {
				return err
			}
			index, waits, tool := p.Index, c.in.Tasks[p.Index].Waits, p.Tool
			p = planned(task)
			p.Index, p.Waits, p.Tool = index, waits, tool
		case ByQuestion:
			id, err := c.ask(p.Index)
			if err != nil {
				return err
			}
			p.Question, p.Waits = id, true
		case ByApproval:
			var err error
			if p, err = c.approve(p); err != nil {
				return err
			}
		}
		c.result.Calls = append(c.result.Calls, p)
	}
	return nil
}

func (c *commit) refuse(p *PlannedCall, why string) {
	p.By, p.Tool = ByNobody, ""
	if c.in.Errors == nil {
		c.in.Errors = map[int]string{}
	}
	c.in.Errors[p.Index] = "error: " + why
}

// delegate creates a task. A second request with the same agents and text in one turn returns
// the first task.
func (c *commit) delegate(index int) (*core.Task, error) {
	ask, ok := c.in.Tasks[index]
	if !ok || len(ask.Agents) == 0 {
		return nil, fmt.Errorf("call %s:%d delegates and says to nobody", c.key, index)
	}
	same, err := tasksWhere(c, `caller_owner = ? AND caller_owner <> '' AND caller_turn = ? AND fingerprint = ? AND policy = ? ORDER BY created`,
		c.key.Owner, c.key.Turn, fingerprint(ask.Agents, ask.Text), ask.Policy)
	if err != nil {
		return nil, err
	}
	for i := range same {
		if ask.asksFor(&same[i]) {
			return &same[i], nil
		}
	}
	origin := c.origin()
	if err := c.mayOpenTask(origin); err != nil {
		return nil, err
	}
	task := &core.Task{
		Agents: ask.Agents, From: c.stepIn.Agent, Text: ask.Text, Waits: ask.Waits,
		Policy: ask.Policy, Deadline: c.deadline(ask.Deadline), Then: ask.Then, Else: ask.Else,
		Caller: core.CallKey{StepKey: c.key, Index: index}, Origin: origin,
	}
	if c.stepIn.Task != nil {
		task.Parent = c.stepIn.Task.ID
	}
	return task, c.insertTask(task)
}

func (c *commit) origin() core.Origin {
	// A delegated task has at most the rights of the agent that delegates it.
	role := c.in.Role
	if role == "" {
		role = c.stepIn.Role
	}
	if c.stepIn.Task != nil {
		o := nestedOrigin(c.stepIn.Task.Origin, c.stepIn.Agent)
		o.Role = core.Lesser(o.Role, role)
		return o
	}
	return core.Origin{
		Route: c.stepIn.Route, ReplyTo: c.turn.ReplyTo, Person: c.stepIn.Person, Role: role, Agent: c.stepIn.Agent,
		Session: c.stepIn.Session, SessionKey: c.stepIn.SessionKey, Group: c.stepIn.Group, Depth: 1, Chain: []string{string(c.stepIn.Agent)}, Root: c.turn.Root,
	}
}

func nestedOrigin(o core.Origin, agent core.AgentName) core.Origin {
	o.Agent = agent
	o.Depth++
	o.Chain = append(append([]string(nil), o.Chain...), string(agent))
	return o
}

func (c *commit) finish() error {
	cause := Cause(c.turn.Cause)
	_, err := c.Exec(`UPDATE turns SET open = FALSE, replied = TRUE, closed = ? WHERE owner = ? AND turn = ?`,
		c.now, c.key.Owner, c.key.Turn)
	if err != nil {
		return err
	}
	if _, agent, ok := c.key.Owner.Task(); ok {
		return c.report(agent)
	}
	if c.in.Failed {
		// The agent will not report the results that this turn took.
		_, results, err := c.unfold(c.key.Owner, c.key.Turn)
		if err != nil || results > 0 && cause == CauseResults {
			return err
		}
		if err := c.remindAnyway(); err != nil {
			return err
		}
	}
	if err := c.stay(); err != nil {
		return err
	}
	event := core.EventReply
	switch {
	case c.in.Failed && cause == CauseReminder:
		event = core.EventLate
	case c.in.Failed:
		event = core.EventError
	case len(c.in.Options) > 0, c.in.Ask != nil:
		event = core.EventQuestion
	case cause == CauseResults, cause == CauseReminder:
		event = core.EventLate
	}
	var asked core.Question
	if c.in.Ask != nil && !c.in.Failed {
		if asked, err = c.insertQuestion(*c.in.Ask, 0); err != nil {
			return err
		}
	}
	_, err = c.enqueue(core.Notification{
		Key: turnKey(c.key.Owner, c.key.Turn), Route: c.stepIn.Route, Session: c.stepIn.SessionKey, Agent: c.stepIn.Agent,
		Event: event, Text: c.in.Text, ReplyTo: c.turn.ReplyTo, Options: c.in.Options, Question: asked.ID,
	}, c.key.Owner, c.key.Turn)
	if err != nil {
		return err
	}
	reported := core.Event{
		Type: event, Key: c.stepIn.SessionKey, Session: c.stepIn.Session, Turn: c.key.Turn, Agent: c.stepIn.Agent, Text: c.in.Text,
		Options: c.in.Options, Question: asked.ID,
	}
	if event == core.EventLate && cause == CauseReminder {
		reported.Cause = string(cause)
	} else if !c.in.Failed {
		reported.Cause = c.in.EndsEarly
	}
	if c.key.Step > 1 { // the calls of a first step are not done
		if reported.Tools, err = toolsUsed(c, c.key.Owner, c.key.Turn, c.in.Text); err != nil {
			return err
		}
	}
	return c.announce(reported)
}

func (c *commit) report(agent core.AgentName) error {
	state := core.Completed
	switch {
	case c.in.Rejected:
		state = core.Rejected
	case c.in.Failed:
		state = core.Failed
	}
	if err := c.withdraw(`owner = ?`, c.key.Owner); err != nil {
		return err
	}
	if c.task.State == core.InputRequired && len(c.task.Agents) > 1 {
		if err := c.resumeTask(c.task.ID); err != nil {
			return err
		}
	}
	if c.task.Policy.CountsVerdicts() {
		if err := c.reportVerdict(agent, state); err != nil {
			return err
		}
		return c.endWithReport()
	}
	_, err := c.Exec(`INSERT INTO reports (task, agent, state, text, created) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (task, agent) DO UPDATE SET state = excluded.state, text = excluded.text, created = excluded.created
		WHERE excluded.state = 'completed' OR reports.state <> 'completed'`,
		c.task.ID, agent, state, c.in.Text, c.now)
	if err != nil {
		return err
	}
	return c.endWithReport()
}

func (c *commit) endWithReport() error {
	if len(c.task.Agents) != 1 {
		return nil
	}
	if joins, err := joinsTasks(c, c.task.ID); err != nil || joins {
		return err
	}
	c.task.State = core.Completed
	if c.in.Failed {
		c.task.State = core.Failed
	}
	if err := c.compose(c.task); err != nil {
		return err
	}
	c.result.Ended = c.task.State
	return nil
}

// collectOutbox collects the unsent rows of this turn: its reply, questions, and notifications
// of an attempt that died.
func (c *commit) collectOutbox() error {
	if c.stepIn.Task != nil && len(c.in.Questions)+len(c.in.Approvals) == 0 && !c.stepIn.notices || c.stepIn.Route.Channel == core.ChannelWeb {
		return nil
	}
	return c.All(&c.result.Outbox, `SELECT id FROM outbox WHERE made_by = ? AND made_turn = ? AND state = 'pending' ORDER BY id`,
		c.key.Owner, c.key.Turn)
}
