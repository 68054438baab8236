package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/tools"
)

const maxCalls = 32

// A planner turns the answer of a model into the outcome of a step.
type planner struct {
	*worker
	*authority
	prompts       *Prompter
	approver      *approver
	tools         *tools.Set
	procedures    []core.Procedure
	pace          store.QuestionPace
	trustPromises bool
	stickyFor     time.Duration
}

// plan answers a call that cannot be carried out with an error for the model.
func (l *planner) plan(ctx context.Context, b *store.StepInput, answer llm.Response, last bool) store.CommitStep {
	c := store.CommitStep{Step: b, Text: answer.Text, State: answer.State, Tasks: map[int]store.NewTask{}, Errors: map[int]string{},
		Role: l.role(b), StickFor: l.rosterAt(b.Route).StickFor(b.Agent, l.stickyFor)}
	if last {
		l.verdict(b, answer, last, &c)
		l.mendPromise(b, last, &c)
		return c
	}
	c.Calls = answer.Calls
	for i, call := range answer.Calls {
		p := store.PlannedCall{Index: i + 1}
		tool, err := l.planned(b, call, p.Index, answer.Truncated && p.Index == len(answer.Calls))
		if err == nil {
			p.By, p.Tool, p.Queue, p.Timeout = tool.By, tool.Name, tool.Queue, tool.Timeout
			p.ReadOnly = tool.Effect == tools.ReadOnly || tool.Name == tools.PlanName // a plan is part of the answer
			switch tool.By {
			case store.ByDelegation:
				c.Tasks[p.Index], err = l.delegation(b, call, &c)
			case store.ByHandover:
				err = l.handOver(b, call, &c)
			case store.ByQuestion:
				err = l.askPerson(b, call, p.Index, &c)
			case store.ByClient:
				err = handToClient(b, c.Planned)
			case store.ByActivity:
				p.By, err = l.askApproval(ctx, b, tool, call, p.Index, &c)
			}
		}
		if err != nil {
			delete(c.Tasks, p.Index)
			p.By, p.Tool, c.Errors[p.Index] = store.ByNobody, "", "error: "+err.Error()
		}
		c.Planned = append(c.Planned, p)
	}
	switch {
	case c.Propose != "":
		l.propose(b, &c)
	case c.Ask != nil:
		askInReply(&c)
	}
	l.verdict(b, answer, last, &c)
	l.mendPromise(b, last, &c)
	return c
}

func (l *planner) planned(b *store.StepInput, call core.ToolCall, index int, cutOff bool) (tools.Tool, error) {
	tool, known := l.tools.Tool(call.Name)
	client, ofClient := l.prompts.clientTool(b, call.Name)
	if ofClient {
		tool = client
	}
	agent, _ := l.roster.Agent(b.Agent)
	switch {
	case index > maxCalls:
		return tool, fmt.Errorf("at most %d calls are run per step; this one was not run", maxCalls)
	case !ofClient && (!known || !l.mayUse(b, agent, tool)):
		return tool, fmt.Errorf("there is no tool %q; available tools: %s", core.Cut(call.Name, 60), l.prompts.offered(b))
	case cutOff && !json.Valid([]byte(call.Arguments)):
		return tool, fmt.Errorf("the answer was cut off at the model's limit in the middle of this call; make it shorter")
	}
	var object map[string]any
	if args := strings.TrimSpace(call.Arguments); args != "" {
		if err := json.Unmarshal([]byte(args), &object); err != nil {
			return tool, fmt.Errorf("the arguments are no JSON object: %v", err)
		}
	}
	return tool, nil
}

func (l *planner) delegation(b *store.StepInput, call core.ToolCall, c *store.CommitStep) (store.NewTask, error) {
	switch call.Name {
	case tools.AskTeam:
		return l.team(b, call)
	case tools.Consult:
		return l.consult(b, call, c)
	}
	d, err := tools.ParseDelegation(call)
	if err != nil {
		return store.NewTask{}, err
	}
	if err := l.mayDelegate(b, d.Agent); err != nil {
		return store.NewTask{}, err
	}
	agents := []core.AgentName{d.Agent}
	return store.NewTask{Agents: agents, Text: d.Task, Waits: d.Waits}, l.allowPairs(b, agents)
}

func handToClient(b *store.StepInput, planned []store.PlannedCall) error {
	if !b.Client.Single {
		return nil
	}
	for _, p := range planned {
		if p.By == store.ByClient {
			return errors.New("the program takes one call at a time; this one was not made")
		}
	}
	return nil
}

// askApproval lets the call run at once or, if the tool's rule requires it, after a person has
// approved exactly these arguments.
func (l *planner) askApproval(ctx context.Context, b *store.StepInput, tool tools.Tool, call core.ToolCall, index int, c *store.CommitStep) (store.By, error) {
	rule := l.approver.rules.Rule(tool)
	if !rule.Asks() {
		return store.ByActivity, nil
	}
	switch {
	case b.Person == "":
		return "", fmt.Errorf("%s needs approval, and nobody can be asked here", tool.Name)
	case len(c.Approvals) >= maxApprovals:
		return "", fmt.Errorf("at most %d calls per step can wait for approval; this one was not run", maxApprovals)
	}
	place := string(b.SessionKey)
	if b.Task != nil {
		place = store.TaskPlace(*b.Task)
	}
	arguments, err := tool.BoundArguments(ctx, place, call.Arguments)
	if err != nil {
		return "", err
	}
	ask, err := l.approver.newApproval(ctx, b, tool, arguments, rule)
	if err != nil {
		return "", err
	}
	if c.Approvals == nil {
		c.Approvals = map[int]store.NewApproval{}
	}
	c.Approvals[index] = ask
	return store.ByApproval, nil
}

const maxApprovals = 8
