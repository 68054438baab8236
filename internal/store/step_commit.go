package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand"
)

// CommitStep is the second of a step's two transactions: it makes the outcome
// of the model call durable, with all that follows from it. A step has one
// outcome. A second one is dropped and the first one's result returned, so
// CommitStep may be repeated, too.
//
// It fails with ErrClosed, and keeps nothing of the outcome, after the turn or
// a task above it has ended. What the model call cost is recorded whatever
// becomes of it.
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

// A commit is one attempt at the second transaction of a step.
type commit struct {
	*tx
	in      CommitStep
	stepIn  *StepInput
	key     errand.StepKey
	turn    turnRow
	task    *errand.Task // the sub-agent's own; nil for a session
	result  StepResult
	refused error
}

func (c *commit) run() error {
	first, err := c.outcome(c.key)
	if err != nil {
		return err
	}
	switch {
	case first != nil:
		c.result = *first
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
	return c.finishTask(c.task) // with what the step has cost
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
		// What was added meanwhile is for the next step: no report leaves it out.
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
	if c.stepIn.Pending.ID != "" && !c.in.Failed { // what failed is cancelled
		if err := c.forgetPending(c.key); err != nil {
			return err
		}
	}
	result, err := json.Marshal(c.result)
	if err != nil {
		return err
	}
	outcome := errand.Message{
		Turn: c.key.Turn, Step: c.key.Step, Speaker: errand.FromAgent, Agent: c.stepIn.Agent, Text: c.in.Text, Calls: calls, State: c.in.State,
	}
	if c.in.Failed {
		outcome.Own = errand.OwnError
	}
	err = c.insertOutcome(c.key.Owner, outcome, string(result))
	if err != nil {
		return err
	}
	if err := c.askForVerdict(); err != nil {
		return err
	}
	if c.in.AskAgain != "" {
		err := c.insertMessage(c.key.Owner, errand.Message{Turn: c.key.Turn, Step: c.key.Step, Index: len(calls) + 1, Speaker: errand.FromPerson, Text: c.in.AskAgain})
		if err != nil {
			return err
		}
	}
	for i, p := range c.result.Calls {
		if p.By != ByNobody {
			continue
		}
		err := c.insertMessage(c.key.Owner, errand.Message{
			Turn: c.key.Turn, Step: c.key.Step, Index: p.Index, Speaker: errand.FromTool, Text: c.in.Errors[p.Index], CallID: calls[i].ID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withIDs gives every call an id of its own: models leave them out, or repeat
// them.
func withIDs(calls []errand.ToolCall, key errand.StepKey) []errand.ToolCall {
	seen := map[string]bool{}
	out := make([]errand.ToolCall, len(calls))
	for i, call := range calls {
		if call.ID == "" || seen[call.ID] {
			call.ID = fmt.Sprintf("call-%d-%d-%d", key.Turn, key.Step, i+1)
		}
		seen[call.ID] = true
		out[i] = call
	}
	return out
}

func (c *commit) plan(calls []errand.ToolCall) error {
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

// refuse answers a call with an error.
func (c *commit) refuse(p *PlannedCall, why string) {
	p.By, p.Tool = ByNobody, ""
	if c.in.Errors == nil {
		c.in.Errors = map[int]string{}
	}
	c.in.Errors[p.Index] = "error: " + why
}

// delegate makes the task of one call. The same agents with the same task twice
// in one turn are one task.
func (c *commit) delegate(index int) (*errand.Task, error) {
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
	task := &errand.Task{
		Agents: ask.Agents, From: c.stepIn.Agent, Text: ask.Text, Waits: ask.Waits,
		Policy: ask.Policy, Deadline: c.deadline(ask.Deadline), Then: ask.Then, Else: ask.Else,
		Caller: errand.CallKey{StepKey: c.key, Index: index}, Origin: origin,
	}
	if c.stepIn.Task != nil {
		task.Parent = c.stepIn.Task.ID
	}
	return task, c.insertTask(task)
}

func (c *commit) origin() errand.Origin {
	// What is delegated may be done with no more rights than whoever delegates it
	// has now.
	role := c.in.Role
	if role == "" {
		role = c.stepIn.Role
	}
	if c.stepIn.Task != nil {
		o := nestedOrigin(c.stepIn.Task.Origin, c.stepIn.Agent)
		o.Role = errand.Lesser(o.Role, role)
		return o
	}
	return errand.Origin{
		Route: c.stepIn.Route, ReplyTo: c.turn.ReplyTo, Person: c.stepIn.Person, Role: role, Agent: c.stepIn.Agent,
		Session: c.stepIn.Session, SessionKey: c.stepIn.SessionKey, Group: c.stepIn.Group, Depth: 1, Chain: []string{string(c.stepIn.Agent)}, Root: c.turn.Root,
	}
}

func nestedOrigin(o errand.Origin, agent errand.AgentName) errand.Origin {
	o.Agent = agent
	o.Depth++
	o.Chain = append(append([]string(nil), o.Chain...), string(agent))
	return o
}

// finish closes the turn with its reply: a row of the outbox and an event for a
// session, a report for a sub-agent.
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
		// The agent will not tell the results that it was given for this turn.
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
	event := errand.EventReply
	switch {
	case c.in.Failed && cause == CauseReminder:
		event = errand.EventLate
	case c.in.Failed:
		event = errand.EventError
	case len(c.in.Options) > 0, c.in.Ask != nil:
		event = errand.EventQuestion
	case cause == CauseResults, cause == CauseReminder:
		event = errand.EventLate
	}
	var asked errand.Question
	if c.in.Ask != nil && !c.in.Failed {
		if asked, err = c.insertQuestion(*c.in.Ask, 0); err != nil {
			return err
		}
	}
	_, err = c.enqueue(errand.Notification{
		Key: turnKey(c.key.Owner, c.key.Turn), Route: c.stepIn.Route, Session: c.stepIn.SessionKey, Agent: c.stepIn.Agent,
		Event: event, Text: c.in.Text, ReplyTo: c.turn.ReplyTo, Options: c.in.Options, Question: asked.ID,
	}, c.key.Owner, c.key.Turn)
	if err != nil {
		return err
	}
	reported := errand.Event{
		Type: event, Key: c.stepIn.SessionKey, Session: c.stepIn.Session, Turn: c.key.Turn, Agent: c.stepIn.Agent, Text: c.in.Text,
		Options: c.in.Options, Question: asked.ID,
	}
	if event == errand.EventLate && cause == CauseReminder {
		reported.Cause = string(cause)
	} else if !c.in.Failed {
		reported.Cause = c.in.EndsEarly
	}
	if c.key.Step > 1 { // the first step's calls are not done
		if reported.Tools, err = toolsUsed(c, c.key.Owner, c.key.Turn); err != nil {
			return err
		}
	}
	return c.announce(reported)
}

// report keeps what a sub-agent has to say. If its task lacks nothing else, it ends
// with that.
func (c *commit) report(agent errand.AgentName) error {
	state := errand.Completed
	switch {
	case c.in.Rejected:
		state = errand.Rejected
	case c.in.Failed:
		state = errand.Failed
	}
	if err := c.withdraw(`owner = ?`, c.key.Owner); err != nil {
		return err
	}
	if c.task.State == errand.InputRequired && len(c.task.Agents) > 1 {
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

// endWithReport ends a task that lacks nothing but the report of its one agent.
func (c *commit) endWithReport() error {
	if len(c.task.Agents) != 1 {
		return nil
	}
	if joins, err := joinsTasks(c, c.task.ID); err != nil || joins {
		return err
	}
	c.task.State = errand.Completed
	if c.in.Failed {
		c.task.State = errand.Failed
	}
	if err := c.compose(c.task); err != nil {
		return err
	}
	c.result.Ended = c.task.State
	return nil
}

// collectOutbox names the rows this turn has made that nobody has sent yet: its
// reply, a question, and notifications that an attempt at one of its steps made before it
// died.
func (c *commit) collectOutbox() error {
	if c.stepIn.Task != nil && len(c.in.Questions)+len(c.in.Approvals) == 0 && !c.stepIn.notices || c.stepIn.Route.Channel == errand.ChannelWeb {
		return nil
	}
	return c.All(&c.result.Outbox, `SELECT id FROM outbox WHERE made_by = ? AND made_turn = ? AND state = 'pending' ORDER BY id`,
		c.key.Owner, c.key.Turn)
}
