package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/service"
)

// add offers a tool whose answer is a T, which call also tells in words. It does nothing
// for one that the request does not call: what the SDK makes of its schemas takes longer
// than many a call.
func add[In, T any](d *door, s *mcp.Server, t *mcp.Tool, call func(context.Context, *mcp.CallToolRequest, In) (T, string, error)) {
	if d.tool != "" && d.tool != t.Name {
		return
	}
	mcp.AddTool(s, t, func(ctx context.Context, req *mcp.CallToolRequest, in In) (*mcp.CallToolResult, T, error) {
		out, text, err := call(ctx, req, in)
		switch {
		case err != nil:
			return nil, out, d.refused(err)
		case d.input.forms != nil:
			return &mcp.CallToolResult{InputRequests: d.input.forms, RequestState: d.input.state}, out, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, out, nil
	})
}

var readOnly = &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}

func (d *door) addTools(s *mcp.Server) {
	add(d, s, &mcp.Tool{Name: "list_agents", Description: "List the agents that tasks can be delegated to.", Annotations: readOnly}, d.listAgents)
	add(d, s, &mcp.Tool{Name: "delegate_to_bot", Description: "Give a task to an agent, or the same task to several. It works in the background and survives restarts. " +
		"The call answers with the result if it is there within wait_seconds, else with a task_id."}, d.delegate)
	add(d, s, &mcp.Tool{Name: "ask_team", Description: "Ask several agents to decide something. Each gives its verdict, YES, NO or ABSTAIN, with reasons, and code counts them under the policy."}, d.askTeam)
	add(d, s, &mcp.Tool{Name: "get_task", Description: "Read a task: its state, its result if it is there, and the questions that it waits for.", Annotations: readOnly}, d.getTask)
	add(d, s, &mcp.Tool{Name: "await_task", Description: "Wait until a task has ended or asks a question, at most wait_seconds.", Annotations: readOnly}, d.awaitTask)
	add(d, s, &mcp.Tool{Name: "list_tasks", Description: "List your latest tasks, the newest first.", Annotations: readOnly}, d.listTasks)
	add(d, s, &mcp.Tool{Name: "steer_task", Description: "Add to a task that is at work: its agents read it before their next step. One that has ended is gone on with as a new task, with what was said before."}, d.steerTask)
	add(d, s, &mcp.Tool{Name: "cancel_task", Description: "Cancel a task and everything that it delegated. It is final.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, d.cancelTask)
	add(d, s, &mcp.Tool{Name: "answer_question", Description: "Answer a question that a task asks its person, or decline it. Answer only what the person has told you."}, d.answerQuestion)
}

type agentsOut struct {
	Agents []agentOut `json:"agents"`
}

type agentOut struct {
	Name        errand.AgentName `json:"name"`
	Description string           `json:"description"`
}

func (d *door) listAgents(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (agentsOut, string, error) {
	list, err := d.Backend.AgentsFor(ctx, d.by, "")
	if err != nil {
		return agentsOut{}, "", err
	}
	out, lines := agentsOut{Agents: []agentOut{}}, make([]string, len(list))
	for i, a := range list {
		out.Agents = append(out.Agents, agentOut{a.Name, a.Description})
		lines[i] = string(a.Name) + ": " + a.Description
	}
	own, err := d.Backend.RegisteredAgents(ctx, d.by)
	if err != nil {
		return agentsOut{}, "", err
	}
	for _, a := range own {
		if a.Connected {
			out.Agents = append(out.Agents, agentOut{a.Name, a.Description})
			lines = append(lines, string(a.Name)+", which the person has registered: "+a.Description)
		}
	}
	return out, strings.Join(lines, "\n"), nil
}

// A waits is how long a call waits for a task.
type waits struct {
	WaitSeconds *int `json:"wait_seconds,omitempty" jsonschema:"wait so many seconds for the result, at most 45; 0 answers at once with the task_id"`
	CancelTask  bool `json:"cancel_task,omitempty" jsonschema:"cancel the task when this call is canceled, or its client goes away meanwhile; else it goes on"`
}

const atMost = 40 * time.Second // that a call waits if it names no time

func (d *door) patience(w waits) time.Duration {
	switch {
	case w.WaitSeconds == nil && d.later:
		return min(shortly, d.Wait)
	case w.WaitSeconds == nil:
		return min(atMost, d.Wait)
	}
	if most := int(d.Wait / time.Second); *w.WaitSeconds > most { // as a duration it may be none
		return d.Wait
	}
	return time.Duration(max(*w.WaitSeconds, 0)) * time.Second
}

// A contextMessage is a message of the conversation that a client has.
type contextMessage struct {
	Role string `json:"role,omitempty" jsonschema:"who said it, as \"user\" or a name"`
	Text string `json:"text,omitempty"`

	Content string `json:"content,omitempty" jsonschema:"instead of text, as other APIs call it"`
}

type delegateIn struct {
	Agent    string           `json:"agent" jsonschema:"name of the agent; several with commas"`
	Task     string           `json:"task" jsonschema:"what is to be done, with everything that the agent has to know: it does not see your conversation but for messages"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"messages of your conversation that the task needs, the oldest first; the last 20 are kept"`
	elsewhere
	Expect string `json:"expect,omitempty" jsonschema:"report (the default), or decision: a verdict, YES, NO or ABSTAIN"`
	waits
}

// An elsewhere is what a task has to do with conversations of errand's own.
type elsewhere struct {
	Context   *contextIn `json:"context,omitempty" jsonschema:"a conversation that errand has with the person, whose last messages the task needs, instead of messages"`
	DeliverTo string     `json:"deliver_to,omitempty" jsonschema:"also tell the result in a chat of the person's, in the agent's voice: telegram/finn (their private chat on that account), telegram, the name of an agent that has an account of its own, or a session id. Only where the person wants it there"`
}

type contextIn struct {
	Session string `json:"session" jsonschema:"session id, or its unique beginning"`
	N       int    `json:"n,omitempty" jsonschema:"how many of its last messages; 10 by default, at most 20"`
}

func (e elsewhere) of(in service.Delegation) service.Delegation {
	if in.DeliverTo = e.DeliverTo; e.Context != nil {
		in.Context = &service.Context{Session: e.Context.Session, N: e.Context.N}
	}
	return in
}

func (d *door) delegate(ctx context.Context, req *mcp.CallToolRequest, in delegateIn) (taskOut, string, error) {
	return d.begin(ctx, req, in.of(service.Delegation{Agents: errand.AgentNames(in.Agent), Text: in.Task, Messages: briefing(in.Messages),
		Decides: service.Decides{Expect: service.Expect(in.Expect)}}), in.waits)
}

type branchIn struct {
	Agents []string `json:"agents"`
	Task   string   `json:"task"`
}

func (b *branchIn) branch() *errand.Branch {
	if b == nil {
		return nil
	}
	return &errand.Branch{Agents: errand.AgentNames(b.Agents...), Task: b.Task}
}

type askTeamIn struct {
	Agents   []string         `json:"agents" jsonschema:"names of the agents that are asked"`
	Task     string           `json:"task" jsonschema:"what they decide, as a question that is answered with yes or no"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"messages of your conversation that they need, the oldest first; the last 20 are kept"`
	Policy   string           `json:"policy,omitempty" jsonschema:"all, any, majority (the default) or quorum:3, and behind it weights:finn=2, veto:priest, rest:finish"`
	Deadline int              `json:"deadline_seconds,omitempty" jsonschema:"after which it is decided with what is there; at least 60; never when left out"`
	Then     *branchIn        `json:"then,omitempty" jsonschema:"the task that follows a yes"`
	Else     *branchIn        `json:"else,omitempty" jsonschema:"the task that follows any other answer"`
	waits
}

func (d *door) askTeam(ctx context.Context, req *mcp.CallToolRequest, in askTeamIn) (taskOut, string, error) {
	return d.begin(ctx, req, service.Delegation{Agents: errand.AgentNames(in.Agents...), Text: in.Task, Messages: briefing(in.Messages),
		Decides: service.Decides{Expect: service.ExpectDecision, Policy: in.Policy, Deadline: time.Duration(in.Deadline) * time.Second,
			Then: in.Then.branch(), Else: in.Else.branch()}}, in.waits)
}

// checkRate fails where somebody says more than people may: programs count as their person.
func (d *door) checkRate() error { return d.Backend.AllowMessage(d.by, errand.WebRoute("").At()) }

func (d *door) begin(ctx context.Context, req *mcp.CallToolRequest, in service.Delegation, w waits) (taskOut, string, error) {
	return d.awaiting(ctx, req, w, func() (errand.Task, error) {
		if err := d.checkRate(); err != nil {
			return errand.Task{}, err
		}
		in.Route = errand.Route{Channel: errand.ChannelMCP}
		return d.Backend.Delegate(ctx, d.by, in)
	})
}

type taskIn struct {
	ID string `json:"task_id" jsonschema:"id of the task, or its unique beginning"`
}

func (d *door) getTask(ctx context.Context, _ *mcp.CallToolRequest, in taskIn) (taskOut, string, error) {
	t, err := d.Backend.FindTask(ctx, d.by, in.ID, "")
	if err != nil {
		return taskOut{}, "", err
	}
	return d.renderTask(ctx, t)
}

type awaitIn struct {
	taskIn
	waits
}

func (d *door) awaitTask(ctx context.Context, req *mcp.CallToolRequest, in awaitIn) (taskOut, string, error) {
	return d.awaiting(ctx, req, in.waits, func() (errand.Task, error) { return d.Backend.FindTask(ctx, d.by, in.ID, "") })
}

type tasksIn struct {
	States []string `json:"states,omitempty" jsonschema:"only tasks in these states: submitted, working, input_required, completed, failed, canceled, rejected"`
	Limit  int      `json:"limit,omitempty" jsonschema:"at most so many; 20 by default, 100 at most"`
}

type tasksOut struct {
	Tasks []taskOut `json:"tasks"`
}

func (d *door) listTasks(ctx context.Context, _ *mcp.CallToolRequest, in tasksIn) (tasksOut, string, error) {
	states := make([]errand.TaskState, len(in.States))
	for i, s := range in.States {
		states[i] = errand.TaskState(s)
	}
	if in.Limit <= 0 {
		in.Limit = 20
	}
	list, err := d.Backend.Tasks(ctx, d.by, service.TaskFilter{States: states, Limit: min(in.Limit, 100)})
	if err != nil {
		return tasksOut{}, "", err
	}
	out, lines := tasksOut{Tasks: []taskOut{}}, []string{strconv.Itoa(len(list)) + " tasks"}
	for _, t := range list {
		v := view(t, nil)
		v.Result, v.Verdicts = "", nil // get_task has them
		out.Tasks = append(out.Tasks, v)
		lines = append(lines, headLine(t)+" "+t.Title)
	}
	return out, strings.Join(lines, "\n"), nil
}

type steerIn struct {
	taskIn
	Text string `json:"text" jsonschema:"what is added"`
	waits
}

func (d *door) steerTask(ctx context.Context, req *mcp.CallToolRequest, in steerIn) (taskOut, string, error) {
	return d.awaiting(ctx, req, in.waits, func() (errand.Task, error) { return d.steer(ctx, in) })
}

func (d *door) steer(ctx context.Context, in steerIn) (errand.Task, error) {
	if err := d.checkRate(); err != nil {
		return errand.Task{}, err
	}
	t, err := d.Backend.FindTask(ctx, d.by, in.ID, "")
	if err != nil {
		return t, err
	}
	if !t.State.Terminal() {
		done, err := d.Backend.SteerTask(ctx, d.by, t.ID, service.Steering{Text: in.Text})
		var no *service.Error
		if err == nil || !errors.As(err, &no) || no.Code != service.TaskEndedCode {
			return done.Task, err
		}
	}
	return d.Backend.ContinueTask(ctx, d.by, t.ID, service.Steering{Text: in.Text, Route: errand.Route{Channel: errand.ChannelMCP}})
}

type cancelIn struct {
	taskIn
	Reason string `json:"reason,omitempty" jsonschema:"why, in a few words"`
}

func (d *door) cancelTask(ctx context.Context, _ *mcp.CallToolRequest, in cancelIn) (taskOut, string, error) {
	t, err := d.Backend.FindTask(ctx, d.by, in.ID, "")
	if err == nil {
		t, err = d.Backend.CancelTask(ctx, d.by, t.ID, in.Reason)
	}
	if err != nil {
		return taskOut{}, "", err
	}
	return d.renderTask(ctx, t)
}

type answerIn struct {
	Question string `json:"question_id" jsonschema:"id of the question, or its unique beginning"`
	Answer   string `json:"answer,omitempty" jsonschema:"the answer: one of the options, or what the question asks for"`
	Decline  bool   `json:"decline,omitempty" jsonschema:"the person does not want to answer"`
}

func (d *door) answerQuestion(ctx context.Context, _ *mcp.CallToolRequest, in answerIn) (questionOut, string, error) {
	if err := d.checkRate(); err != nil {
		return questionOut{}, "", err
	}
	q, err := d.Backend.AnswerQuestion(ctx, d.by, in.Question, service.Answer{Text: in.Answer, Decline: in.Decline, Route: errand.Route{Channel: errand.ChannelMCP}, Program: true})
	if err != nil {
		return questionOut{}, "", err
	}
	return questionOf(q), "Question " + string(q.ID) + ": " + string(q.State) + ".", nil
}

func briefing(messages []contextMessage) []errand.BriefingMessage {
	list := make([]errand.BriefingMessage, len(messages))
	for i, m := range messages {
		list[i] = errand.BriefingMessage{Who: m.Role, Text: cmp.Or(m.Text, m.Content)}
	}
	return list
}
