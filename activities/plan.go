package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand"
	"errand/internal/llm"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/tools"
)

const maxCalls = 32

// plan decides what becomes of a model's answer. What cannot be carried out is
// answered to the model as an error, for it to mend.
func (a *Activities) plan(ctx context.Context, b *store.StepInput, answer llm.Response, last bool) store.CommitStep {
	c := store.CommitStep{Step: b, Text: answer.Text, State: answer.State, Tasks: map[int]store.NewTask{}, Errors: map[int]string{},
		Role: a.role(b), StickFor: a.rosterAt(b.Route).StickFor(b.Agent, a.StickyFor)}
	if last {
		a.verdict(b, answer, last, &c)
		a.mendPromise(b, last, &c)
		return c
	}
	c.Calls = answer.Calls
	for i, call := range answer.Calls {
		p := store.PlannedCall{Index: i + 1}
		tool, err := a.planned(b, call, p.Index, answer.Truncated && p.Index == len(answer.Calls))
		if err == nil {
			p.By, p.Tool, p.Queue, p.Timeout = tool.By, tool.Name, tool.Queue, tool.Timeout
			switch tool.By {
			case store.ByDelegation:
				c.Tasks[p.Index], err = a.delegation(b, call, &c)
			case store.ByHandover:
				err = a.handOver(b, call, &c)
			case store.ByQuestion:
				err = a.askPerson(b, call, p.Index, &c)
			case store.ByClient:
				err = handToClient(b, c.Planned)
			case store.ByActivity:
				p.By, err = a.askApproval(ctx, b, tool, call, p.Index, &c)
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
		a.propose(b, &c)
	case c.Ask != nil:
		askInReply(&c)
	}
	a.verdict(b, answer, last, &c)
	a.mendPromise(b, last, &c)
	return c
}

func (a *Activities) planned(b *store.StepInput, call errand.ToolCall, index int, cutOff bool) (tools.Tool, error) {
	tool, known := a.Tools.Tool(call.Name)
	client, ofClient := a.clientTool(b, call.Name)
	if ofClient {
		tool = client
	}
	agent, _ := a.Roster.Agent(b.Agent)
	switch {
	case index > maxCalls:
		return tool, fmt.Errorf("at most %d calls in one step are carried out; this one was not", maxCalls)
	case !ofClient && (!known || !a.mayUse(b, agent, tool)):
		return tool, fmt.Errorf("there is no tool %q; these are there: %s", errand.Cut(call.Name, 60), a.offered(b))
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

func (a *Activities) offered(b *store.StepInput) string {
	var names []string
	for _, t := range a.offer(b) {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

func (a *Activities) delegation(b *store.StepInput, call errand.ToolCall, c *store.CommitStep) (store.NewTask, error) {
	switch call.Name {
	case tools.AskTeam:
		return a.team(b, call)
	case tools.Consult:
		return a.consult(b, call, c)
	}
	d, err := tools.ParseDelegation(call)
	if err != nil {
		return store.NewTask{}, err
	}
	if err := a.mayDelegate(b, d.Agent); err != nil {
		return store.NewTask{}, err
	}
	agents := []errand.AgentName{d.Agent}
	return store.NewTask{Agents: agents, Text: d.Task, Waits: d.Waits}, a.allowPairs(b, agents)
}

// mayDelegate says why the agent at this place of the chain may not send to on
// an errand; nil if it may.
func (a *Activities) mayDelegate(b *store.StepInput, to errand.AgentName) error {
	if r, ok := registeredAt(b, to); ok {
		if !r.Connected {
			return fmt.Errorf("%s: it cannot be sent anything now. Tell the person so, or do it without", a.lastSeen(r, b.TimeZone))
		}
		return a.inReach(b, to)
	}
	agent, ok := a.Roster.Agent(b.Agent)
	if !ok || !agent.MayDelegate(to) {
		var may []string
		for _, d := range a.Roster.Delegates(b.Agent) {
			may = append(may, string(d.Name))
		}
		may = append(may, errand.Strings(a.registeredNames(b))...)
		return fmt.Errorf("%s cannot delegate to %q; to whom it can: %s", b.Agent.Display(), errand.Cut(string(to), 40), strings.Join(may, ", "))
	}
	return a.inReach(b, to)
}

// inReach says why nobody at this place of the chain may ask to, whatever the roster
// says; nil if they may.
func (a *Activities) inReach(b *store.StepInput, to errand.AgentName) error {
	if !a.Rights.May(a.role(b), rights.Agent, string(to)) {
		return fmt.Errorf("%s is not there for this person", to.Display())
	}
	depth := 1
	if t := b.Task; t != nil {
		depth = t.Origin.Depth + 1
		if slices.Contains(t.Origin.Chain, string(to)) {
			return errors.New(errand.AgentAbove(to, t.Origin.Chain))
		}
	}
	if depth > a.MaxDepth {
		return fmt.Errorf("delegations nest %d deep at most; do this yourself", a.MaxDepth)
	}
	if to == b.Agent {
		return fmt.Errorf("%s cannot delegate to itself", to.Display())
	}
	return nil
}
