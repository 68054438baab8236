package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/ops"
)

func (d *door) addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{Name: "delegate", Title: "Delegate a task", Description: "Hand a task to one of errand's agents, with what it has to know.",
		Arguments: []*mcp.PromptArgument{
			{Name: "task", Description: "what to do", Required: true},
			{Name: "agent", Description: "the agent; default: the one that fits best"},
		}}, d.delegatePrompt)
	s.AddPrompt(&mcp.Prompt{Name: "take_requests", Title: "Take requests", Description: "Be an agent that your chats with errand can delegate to, for as long as this conversation is open.",
		Arguments: []*mcp.PromptArgument{{Name: "name", Description: "your name, such as shop-editor", Required: true}}}, d.requestsPrompt)
}

func (d *door) requestsPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	name := strings.TrimSpace(req.Params.Arguments["name"])
	return &mcp.GetPromptResult{Description: "Take requests", Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Register with errand as " + name +
		" (register_agent; describe this project and what you can do in it) and take requests: call next_request, do what it asks in this project, answer with answer_request, " +
		"and call next_request again, until I tell you to stop. If there is no request yet, call it again at once. " +
		"The requests come from me, or from one of errand's agents on my behalf: ask me here before you do anything that I would want to approve, and answer with failed if it cannot be done."}}}}, nil
}

func (d *door) delegatePrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	who := strings.TrimSpace(req.Params.Arguments["agent"])
	if who == "" {
		list, err := ops.Do(ctx, d.Runner, api.ListAgents, d.by, api.ListAgentsInput{})
		if err != nil {
			return nil, d.refused(err)
		}
		names := make([]string, len(list))
		for i, a := range list {
			names[i] = string(a.Name) + " (" + a.Description + ")"
		}
		who = "the agent that fits best: " + strings.Join(names, ", ")
	}
	return &mcp.GetPromptResult{Description: "Delegate a task", Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Delegate this with delegate_to_bot to " + who + ".\n\n" +
		"Task: " + strings.TrimSpace(req.Params.Arguments["task"]) + "\n\n" +
		"Write the task so that it can be done without asking back: the goal, what is there already, what must not be touched, and what the result should look like. " +
		"The agent does not see this conversation nor these files: give what it needs in the task or in messages. " +
		"If the call comes back before the result is there, keep the task_id, go on with other work, and ask for it later with await_task. If it asks a question, ask me."}}}}, nil
}
