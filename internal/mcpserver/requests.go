package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/service"
)

// addRequests offers the other direction: the client is an agent of its person, and takes
// requests.
func (d *door) addRequests(s *mcp.Server) {
	add(d, s, &mcp.Tool{Name: "register_agent", Description: "Become an agent of your person: from then on their chats with errand can delegate to you, as long as you call next_request again and again. " +
		"Only where the person wants it. Registering again under the same name comes back to what was left unanswered.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, d.registerAgent)
	add(d, s, &mcp.Tool{Name: "next_request", Description: "Wait for the next request to you, at most wait_seconds, and take it. Do what it asks, as if your person had asked, with the same care and permissions; then call answer_request. " +
		"Where there is none yet, call next_request again: a minute after the last call you are not connected any more."}, d.nextRequest)
	add(d, s, &mcp.Tool{Name: "keep_request", Description: "Say that you are still at work on a request that you have taken, at least each half hour, or it is taken that you are gone. It fails where nobody waits for the request any more: then stop.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, d.keepRequest)
	add(d, s, &mcp.Tool{Name: "answer_request", Description: "Answer a request that you have taken, with all that whoever asked has to know, or say with failed why it cannot be done. It is final.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, d.answerRequest)
}

type registerIn struct {
	Name        string `json:"name" jsonschema:"by which you are called, such as zed-editor: small letters, digits, - and _; not the name of an agent of errand's"`
	Description string `json:"description" jsonschema:"one line for the agents that may delegate to you: what you are, on which project, and what you can do there"`
}

type registerOut struct {
	Name errand.AgentName `json:"name"`
}

func (d *door) registerAgent(ctx context.Context, _ *mcp.CallToolRequest, in registerIn) (registerOut, string, error) {
	if err := d.checkRate(); err != nil {
		return registerOut{}, "", err
	}
	name, err := d.Backend.RegisterAgent(ctx, d.by, errand.AgentName(in.Name), in.Description)
	if err != nil {
		return registerOut{}, "", err
	}
	return registerOut{name}, "You are registered as " + string(name) + ". Call next_request with this name now, and again after each answer.", nil
}

type nextIn struct {
	Name        string `json:"name" jsonschema:"the name under which you are registered"`
	WaitSeconds *int   `json:"wait_seconds,omitempty" jsonschema:"wait so many seconds for a request, 40 by default and at most 45"`
}

// A requestOut is a request as the client that takes it reads it.
type requestOut struct {
	ID       string           `json:"request"`
	From     errand.AgentName `json:"from,omitempty" jsonschema:"the agent of errand's that asks for your person; left out: the person themselves"`
	Text     string           `json:"text"`
	Messages []contextMessage `json:"messages,omitempty" jsonschema:"of the conversation that it comes from"`
	Again    bool             `json:"again,omitempty" jsonschema:"it was given to you before, and has no answer"`
	Created  time.Time        `json:"created"`
}

type requestsOut struct {
	Request    *requestOut     `json:"request,omitempty" jsonschema:"the one that you have taken now; left out: there is none yet"`
	Unanswered []requestOut    `json:"unanswered,omitempty" jsonschema:"what you have taken before and not answered"`
	Canceled   []errand.TaskID `json:"canceled,omitempty" jsonschema:"tasks whose requests you have taken, and that were canceled: stop working on them"`
}

func (d *door) nextRequest(ctx context.Context, _ *mcp.CallToolRequest, in nextIn) (requestsOut, string, error) {
	wait, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.gone, end)()
	defer context.AfterFunc(d.stopping, end)()
	found, err := d.Backend.NextRequest(wait, d.by, errand.AgentName(in.Name), d.patience(waits{WaitSeconds: in.WaitSeconds}))
	if err != nil && (wait.Err() == nil || d.gone.Err() != nil) {
		return requestsOut{}, "", err
	}
	out := requestsOut{Canceled: found.Canceled}
	lines := []string{"There is no request yet. Call next_request again."}
	if r := found.Next; r != nil {
		v := requestOf(*r)
		out.Request = &v
		lines[0] = "Request " + v.ID + v.asker() + ":\n\n" + v.Text + "\n\nDo it, and then call answer_request with this id."
	}
	for _, r := range found.Unanswered {
		v := requestOf(r)
		out.Unanswered = append(out.Unanswered, v)
		lines = append(lines, "You have taken "+v.ID+" before and not answered: "+r.Task.Title)
	}
	for _, id := range found.Canceled {
		lines = append(lines, "Task "+string(id)+" was canceled: stop working on it.")
	}
	return out, strings.Join(lines, "\n"), nil
}

func requestOf(r service.Request) requestOut {
	out := requestOut{ID: string(errand.SubAgentOwner(r.Task.ID, r.Agent)), From: r.Task.From, Text: r.Task.Text, Again: r.Again, Created: r.Task.Created}
	if r.Task.Briefing != nil {
		for _, m := range r.Task.Briefing.Messages {
			out.Messages = append(out.Messages, contextMessage{Role: m.Who, Text: m.Text})
		}
	}
	return out
}

func (r requestOut) asker() string {
	if r.From == "" {
		return " from your person"
	}
	return fmt.Sprintf(" from %s, for your person", r.From.Display())
}

type keepIn struct {
	Request string `json:"request" jsonschema:"id of the request, as next_request gave it"`
}

func (d *door) keepRequest(ctx context.Context, _ *mcp.CallToolRequest, in keepIn) (answerRequestOut, string, error) {
	if err := d.checkRate(); err != nil {
		return answerRequestOut{}, "", err
	}
	id, err := d.Backend.KeepRequest(ctx, d.by, in.Request)
	if err != nil {
		return answerRequestOut{}, "", err
	}
	return answerRequestOut{id}, "Go on.", nil
}

type answerRequestIn struct {
	Request string `json:"request" jsonschema:"id of the request, as next_request gave it"`
	Text    string `json:"text" jsonschema:"the answer: what was done or found, complete in itself"`
	Failed  bool   `json:"failed,omitempty" jsonschema:"it could not be done, and text says why"`
}

type answerRequestOut struct {
	Task errand.TaskID `json:"task_id"`
}

func (d *door) answerRequest(ctx context.Context, _ *mcp.CallToolRequest, in answerRequestIn) (answerRequestOut, string, error) {
	if err := d.checkRate(); err != nil {
		return answerRequestOut{}, "", err
	}
	id, err := d.Backend.AnswerRequest(ctx, d.by, service.RequestAnswer{Request: in.Request, Text: in.Text, Failed: in.Failed})
	if err != nil {
		return answerRequestOut{}, "", err
	}
	return answerRequestOut{id}, "The answer of " + string(id) + " is kept. Call next_request again.", nil
}
