package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
)

func (d *door) addRequests(s *mcp.Server) {
	idempotent := &mcp.ToolAnnotations{IdempotentHint: true}
	add(d, s, &mcp.Tool{Name: "register_agent", Annotations: idempotent,
		Description: "Register as an agent of the user: their chats with errand can then delegate tasks to you. Call it only if the user asked for it. Registering the same name again continues the same agent."}, d.registerAgent)
	add(d, s, &mcp.Tool{Name: "next_request", Annotations: idempotent,
		Description: "Get the oldest request to you that has no answer, and wait at most wait_seconds for one. Do what it asks with the same care and permissions as if the user had asked you here; then call answer_request. " +
			"Until you answer, next_request returns the same request. If there is no request yet, call next_request again."}, d.nextRequest)
	add(d, s, &mcp.Tool{Name: "answer_request", Annotations: idempotent,
		Description: "Answer a request with everything that the user needs to know. If it cannot be done, set failed and say why. The first answer is final."}, d.answerRequest)
}

type registerIn struct {
	Name        string `json:"name" jsonschema:"the name to register, such as zed-editor: lower-case letters, digits, - and _; not the name of one of errand's agents"`
	Description string `json:"description" jsonschema:"one line for the agents that may delegate to you: what you are, on which project, and what you can do there"`
}

type registerOut struct {
	Name core.AgentName `json:"name"`
}

func (d *door) registerAgent(ctx context.Context, _ *mcp.CallToolRequest, in registerIn) (registerOut, string, error) {
	name, err := ops.Do(ctx, d.Runner, api.RegisterAgent, d.by, api.RegisterAgentInput{Name: core.AgentName(in.Name), Description: in.Description})
	if err != nil {
		return registerOut{}, "", err
	}
	return registerOut{name}, "You are registered as " + string(name) + ". Call next_request with this name now, and again after each answer.", nil
}

type nextIn struct {
	Name        string `json:"name" jsonschema:"the name under which you are registered"`
	WaitSeconds *int   `json:"wait_seconds,omitempty" jsonschema:"how many seconds to wait for a request: 40 by default, at most 45"`
}

type requestOut struct {
	ID       core.Owner       `json:"request"`
	From     core.AgentName   `json:"from,omitempty" jsonschema:"the agent of errand that asks for the user; omitted: the user asks"`
	Text     string           `json:"text"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"messages of the conversation that the request comes from"`
	Created  time.Time        `json:"created"`
}

type nextOut struct {
	Request *requestOut `json:"request,omitempty" jsonschema:"omitted: there is no request yet"`
}

func (d *door) nextRequest(ctx context.Context, _ *mcp.CallToolRequest, in nextIn) (nextOut, string, error) {
	wait, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.gone, end)()
	defer context.AfterFunc(d.stopping, end)()
	next, err := ops.Do(wait, d.Runner, api.NextRequest, d.by, api.NextRequestInput{Name: core.AgentName(in.Name), AtMost: d.patience(waits{WaitSeconds: in.WaitSeconds})})
	if err != nil && (wait.Err() == nil || d.gone.Err() != nil) {
		return nextOut{}, "", err
	}
	if next == nil {
		return nextOut{}, "There is no request yet. Call next_request again.", nil
	}
	task := next.Task
	out := requestOut{ID: next.ID, From: task.From, Text: task.Text, Created: task.Created}
	if task.Briefing != nil {
		for _, m := range task.Briefing.Messages {
			out.Messages = append(out.Messages, contextMessage{Role: m.Who, Text: m.Text})
		}
	}
	return nextOut{&out}, "Request " + string(out.ID) + out.asker() + ":\n\n" + out.Text + "\n\nDo it, and then call answer_request with this id.", nil
}

func (r requestOut) asker() string {
	if r.From == "" {
		return " from the user"
	}
	return fmt.Sprintf(" from %s, for the user", r.From.Display())
}

type answerRequestIn struct {
	Request string `json:"request" jsonschema:"id of the request, as next_request gave it"`
	Text    string `json:"text" jsonschema:"the answer: what was done or found, understandable by itself"`
	Failed  bool   `json:"failed,omitempty" jsonschema:"true: it could not be done, and text says why"`
}

type answerRequestOut struct {
	Task core.TaskID `json:"task_id"`
}

func (d *door) answerRequest(ctx context.Context, _ *mcp.CallToolRequest, in answerRequestIn) (answerRequestOut, string, error) {
	id, err := ops.Do(ctx, d.Runner, api.AnswerRequest, d.by, api.AnswerRequestInput(in))
	if err != nil {
		return answerRequestOut{}, "", err
	}
	return answerRequestOut{id}, "The answer of " + string(id) + " is kept. Call next_request again.", nil
}
