package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

// add skips tools that the request does not call, because the SDK takes longer to prepare a schema
// than many calls take.
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
	add(d, s, &mcp.Tool{Name: "steer_task", Description: "Add to a running task: its agents read it before their next step. A task that has ended continues as a new task, which knows what was said before."}, d.steerTask)
	add(d, s, &mcp.Tool{Name: "cancel_task", Description: "Cancel a task and everything it delegated. This cannot be undone.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, d.cancelTask)
	add(d, s, &mcp.Tool{Name: "answer_question", Description: "Answer a question that a task asks the user, or decline it. Answer only what the user has told you."}, d.answerQuestion)
}

type agentsOut struct {
	Agents []agentOut `json:"agents"`
}

type agentOut struct {
	Name        core.AgentName `json:"name"`
	Description string         `json:"description"`
}

func (d *door) listAgents(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (agentsOut, string, error) {
	list, err := ops.Do(ctx, d.Runner, api.ListAgents, d.by, api.ListAgentsInput{})
	if err != nil {
		return agentsOut{}, "", err
	}
	out, lines := agentsOut{Agents: []agentOut{}}, make([]string, len(list))
	for i, a := range list {
		out.Agents = append(out.Agents, agentOut{a.Name, a.Description})
		lines[i] = string(a.Name) + ": " + a.Description
	}
	own, err := ops.Do(ctx, d.Runner, api.ListRegisteredAgents, d.by, api.None{})
	if err != nil {
		return agentsOut{}, "", err
	}
	for _, a := range own {
		out.Agents = append(out.Agents, agentOut{a.Name, a.Description})
		lines = append(lines, string(a.Name)+", which the user has registered: "+a.Description)
	}
	return out, strings.Join(lines, "\n"), nil
}

type waits struct {
	WaitSeconds *int `json:"wait_seconds,omitempty" jsonschema:"wait so many seconds for the result, at most 45; 0 answers at once with the task_id"`
	CancelTask  bool `json:"cancel_task,omitempty" jsonschema:"cancel the task if this call is canceled or its client disconnects; otherwise the task continues"`
}

const atMost = 40 * time.Second // how long a call waits by default

func (d *door) patience(w waits) time.Duration {
	switch {
	case w.WaitSeconds == nil && d.later:
		return min(shortly, d.Wait)
	case w.WaitSeconds == nil:
		return min(atMost, d.Wait)
	}
	if most := int(d.Wait / time.Second); *w.WaitSeconds > most { // compared as numbers, because a duration could overflow
		return d.Wait
	}
	return time.Duration(max(*w.WaitSeconds, 0)) * time.Second
}

type contextMessage struct {
	Role string `json:"role,omitempty" jsonschema:"who said it, as \"user\" or a name"`
	Text string `json:"text,omitempty"`

	Content string `json:"content,omitempty" jsonschema:"instead of text, as other APIs call it"`
}

type delegateIn struct {
	Agent    string           `json:"agent" jsonschema:"name of the agent; several with commas"`
	Task     string           `json:"task" jsonschema:"what to do, with everything that the agent needs to know: of your conversation it sees only the messages that you pass"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"messages of your conversation that the task needs, the oldest first; the last 20 are kept"`
	elsewhere
	Expect string `json:"expect,omitempty" jsonschema:"report (the default), or decision: a verdict, YES, NO or ABSTAIN"`
	waits
}

type elsewhere struct {
	Context   *contextIn `json:"context,omitempty" jsonschema:"instead of messages: a conversation of the user with errand, whose last messages the task needs"`
	DeliverTo string     `json:"deliver_to,omitempty" jsonschema:"also send the result to a chat of the user, in the agent's voice: telegram/finn (their private chat on that account), telegram, the name of an agent that has its own account, or a session id. Only if the user wants this"`
}

type contextIn struct {
	Session string `json:"session" jsonschema:"session id, or its unique beginning"`
	N       int    `json:"n,omitempty" jsonschema:"how many of its last messages; 10 by default, at most 20"`
}

func (e elsewhere) of(in api.NewTask) api.NewTask {
	if in.DeliverTo = e.DeliverTo; e.Context != nil {
		in.Context = &api.Context{Session: e.Context.Session, N: e.Context.N}
	}
	return in
}

func (d *door) delegate(ctx context.Context, req *mcp.CallToolRequest, in delegateIn) (taskOut, string, error) {
	return d.begin(ctx, req, in.of(api.NewTask{Agent: in.Agent, Text: in.Task, Expect: api.Expect(in.Expect)}), in.Messages, in.waits)
}

type branchIn struct {
	Agents []string `json:"agents"`
	Task   string   `json:"task"`
}

func (b *branchIn) branch() *core.Branch {
	if b == nil {
		return nil
	}
	return &core.Branch{Agents: core.AgentNames(b.Agents...), Task: b.Task}
}

type askTeamIn struct {
	Agents   []string         `json:"agents" jsonschema:"names of the agents to ask"`
	Task     string           `json:"task" jsonschema:"what they decide, as a question that is answered with yes or no"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"messages of your conversation that they need, the oldest first; the last 20 are kept"`
	Policy   string           `json:"policy,omitempty" jsonschema:"all, any, majority (default) or quorum:3; optionally followed by weights:finn=2, veto:priest, rest:finish"`
	Deadline int              `json:"deadline_seconds,omitempty" jsonschema:"seconds, at least 60, after which the answers that have arrived decide; omitted: no deadline"`
	Then     *branchIn        `json:"then,omitempty" jsonschema:"the task that follows a yes"`
	Else     *branchIn        `json:"else,omitempty" jsonschema:"the task that follows any other answer"`
	waits
}

func (d *door) askTeam(ctx context.Context, req *mcp.CallToolRequest, in askTeamIn) (taskOut, string, error) {
	return d.begin(ctx, req, api.NewTask{Agents: core.AgentNames(in.Agents...), Text: in.Task,
		Expect: api.ExpectDecision, Policy: in.Policy, Deadline: in.Deadline, Then: in.Then.branch(), Else: in.Else.branch()}, in.Messages, in.waits)
}

func (d *door) begin(ctx context.Context, req *mcp.CallToolRequest, in api.NewTask, messages []contextMessage, w waits) (taskOut, string, error) {
	return d.awaiting(ctx, req, w, func() (core.Task, error) {
		t, err := ops.Do(ctx, d.Runner, api.CreateTask, d.by,
			api.CreateTaskInput{Body: in, Route: core.Route{Channel: core.ChannelMCP}, Messages: briefing(messages)})
		return t.Task, err
	})
}

type taskIn struct {
	ID string `json:"task_id" jsonschema:"id of the task, or its unique beginning"`
}

func (d *door) getTask(ctx context.Context, _ *mcp.CallToolRequest, in taskIn) (taskOut, string, error) {
	t, err := d.find(ctx, in.ID)
	if err != nil {
		return taskOut{}, "", err
	}
	return d.renderTask(ctx, t)
}

func (d *door) find(ctx context.Context, id string) (core.Task, error) {
	t, err := ops.Do(ctx, d.Runner, api.GetTask, d.by, api.GetTaskInput{TaskID: api.TaskID{ID: id}})
	return t.Task, err
}

type awaitIn struct {
	taskIn
	waits
}

func (d *door) awaitTask(ctx context.Context, req *mcp.CallToolRequest, in awaitIn) (taskOut, string, error) {
	return d.awaiting(ctx, req, in.waits, func() (core.Task, error) { return d.find(ctx, in.ID) })
}

type tasksIn struct {
	States []string `json:"states,omitempty" jsonschema:"only tasks in these states: submitted, working, input_required, completed, failed, canceled, rejected"`
	Limit  int      `json:"limit,omitempty" jsonschema:"how many tasks to list: 20 by default, at most 100"`
}

type tasksOut struct {
	Tasks []taskOut `json:"tasks"`
}

func (d *door) listTasks(ctx context.Context, _ *mcp.CallToolRequest, in tasksIn) (tasksOut, string, error) {
	states := make([]core.TaskState, len(in.States))
	for i, s := range in.States {
		states[i] = core.TaskState(s)
	}
	if in.Limit <= 0 {
		in.Limit = 20
	}
	list, err := ops.Do(ctx, d.Runner, api.ListTasks, d.by, api.ListTasksInput{State: states, Limit: min(in.Limit, 100)})
	if err != nil {
		return tasksOut{}, "", err
	}
	out, lines := tasksOut{Tasks: []taskOut{}}, []string{strconv.Itoa(len(list.Items)) + " tasks"}
	for _, t := range list.Items {
		v := view(t.Task, nil)
		v.Result, v.Verdicts = "", nil // get_task returns them
		out.Tasks = append(out.Tasks, v)
		lines = append(lines, headLine(t.Task)+" "+t.Title)
	}
	return out, strings.Join(lines, "\n"), nil
}

type steerIn struct {
	taskIn
	Text string `json:"text" jsonschema:"what is added"`
	waits
}

func (d *door) steerTask(ctx context.Context, req *mcp.CallToolRequest, in steerIn) (taskOut, string, error) {
	return d.awaiting(ctx, req, in.waits, func() (core.Task, error) { return d.steer(ctx, in) })
}

func (d *door) steer(ctx context.Context, in steerIn) (core.Task, error) {
	to := api.TaskRef{TaskID: api.TaskID{ID: in.ID}}
	steer := api.SteerTaskInput{TaskRef: to}
	steer.Body.Text = in.Text
	done, err := ops.Do(ctx, d.Runner, api.SteerTask, d.by, steer)
	var no *service.Error
	if err == nil || !errors.As(err, &no) || no.Code != service.TaskEndedCode {
		return done.Task, err
	}
	by := d.by
	by.Counted = true
	further := api.ContinueTaskInput{TaskRef: to, Route: core.Route{Channel: core.ChannelMCP}}
	further.Body.Text = in.Text
	done, err = ops.Do(ctx, d.Runner, api.ContinueTask, by, further)
	return done.Task, err
}

type cancelIn struct {
	taskIn
	Reason string `json:"reason,omitempty" jsonschema:"why, in a few words"`
}

func (d *door) cancelTask(ctx context.Context, _ *mcp.CallToolRequest, in cancelIn) (taskOut, string, error) {
	t, err := d.end(ctx, in.ID, in.Reason)
	if err != nil {
		return taskOut{}, "", err
	}
	return d.renderTask(ctx, t)
}

func (d *door) end(ctx context.Context, id, reason string) (core.Task, error) {
	in := api.CancelTaskInput{TaskRef: api.TaskRef{TaskID: api.TaskID{ID: id}}}
	in.Body.Reason = reason
	t, err := ops.Do(ctx, d.Runner, api.CancelTask, d.by, in)
	return t.Task, err
}

type answerIn struct {
	Question string `json:"question_id" jsonschema:"id of the question, or its unique beginning"`
	Answer   string `json:"answer,omitempty" jsonschema:"the answer: one of the options, or what the question asks for"`
	Decline  bool   `json:"decline,omitempty" jsonschema:"the user does not want to answer"`
}

func (d *door) answerQuestion(ctx context.Context, _ *mcp.CallToolRequest, in answerIn) (questionOut, string, error) {
	answer := answerTo(in.Question)
	answer.Body = api.QuestionAnswer{Text: in.Answer, Decline: in.Decline}
	q, err := ops.Do(ctx, d.Runner, api.AnswerQuestion, d.by, answer)
	if err != nil {
		return questionOut{}, "", err
	}
	return questionOf(q.Question), "Question " + string(q.ID) + ": " + string(q.State) + ".", nil
}

func briefing(messages []contextMessage) []core.BriefingMessage {
	list := make([]core.BriefingMessage, len(messages))
	for i, m := range messages {
		list[i] = core.BriefingMessage{Who: m.Role, Text: cmp.Or(m.Text, m.Content)}
	}
	return list
}
