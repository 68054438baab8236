package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const bareQueue = "bench-bare"

// bare is a program on Temporal alone, of the same three workflows: a session, what
// it delegates, and the sub-agent that does it. Tools are activities of the session. It
// calls the same model over HTTP and uses the same server. It keeps nothing: no
// transcript, no task, no promise.
type bare struct {
	client client.Client
	model  string // the address of the model; empty: none is called
	http   *http.Client
	worker worker.Worker
	n      int // sessions
}

func startBare(ctx context.Context, c client.Client, model string, n int) (*bare, error) {
	b := &bare{client: c, model: model, n: n, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	b.worker = worker.New(c, bareQueue, worker.Options{})
	b.worker.RegisterWorkflowWithOptions(b.session, workflow.RegisterOptions{Name: "bareSession"})
	b.worker.RegisterWorkflowWithOptions(b.delegation, workflow.RegisterOptions{Name: "bareDelegation"})
	b.worker.RegisterWorkflowWithOptions(b.subAgent, workflow.RegisterOptions{Name: "bareSubAgent"})
	b.worker.RegisterActivity(b.think)
	b.worker.RegisterActivity(b.tool)
	if err := b.worker.Start(); err != nil {
		return nil, err
	}
	for i := range n {
		if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: bareID(i), TaskQueue: bareQueue}, b.session, bareID(i)); err != nil {
			b.worker.Stop()
			return nil, err
		}
	}
	return b, nil
}

func bareID(session int) string { return fmt.Sprintf("bare/%d", session) }

func (b *bare) send(ctx context.Context, session int, text string) error {
	h, err := b.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: bareID(session), UpdateName: "message", Args: []any{text}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err != nil {
		return err
	}
	return h.Get(ctx, nil)
}

// stop ends the sessions.
func (b *bare) stop(ctx context.Context) {
	for i := range b.n {
		if err := b.client.SignalWorkflow(ctx, bareID(i), "", "end", nil); err != nil {
			break
		}
	}
	b.worker.Stop()
	b.http.CloseIdleConnections()
}

// session answers each message, which is an update, so that its sender gets the reply.
func (b *bare) session(ctx workflow.Context, id string) error {
	tasks := 0
	err := workflow.SetUpdateHandler(ctx, "message", func(ctx workflow.Context, text string) (string, error) {
		messages := []bareMessage{{Role: "user", Content: text}}
		for {
			answer, err := b.step(ctx, messages)
			switch {
			case err != nil || answer.Task == "" && len(answer.Tools) == 0:
				return answer.Text, err
			case answer.Task == "":
				results, err := b.call(ctx, answer.Tools)
				if err != nil {
					return "", err
				}
				messages = append(messages, results...)
				continue
			}
			tasks++
			var report string
			child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: fmt.Sprintf("%s/%d", id, tasks)})
			if err := workflow.ExecuteChildWorkflow(child, b.delegation, answer.Task).Get(ctx, &report); err != nil {
				return "", err
			}
			messages = append(messages, bareMessage{Role: "tool", Content: report})
		}
	})
	if err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return nil
}

func (b *bare) delegation(ctx workflow.Context, task string) (string, error) {
	var report string
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: workflow.GetInfo(ctx).WorkflowExecution.ID + "/sub"})
	err := workflow.ExecuteChildWorkflow(child, b.subAgent, task).Get(ctx, &report)
	return report, err
}

func (b *bare) subAgent(ctx workflow.Context, task string) (string, error) {
	answer, err := b.step(ctx, []bareMessage{{Role: "system", Content: subAgentPrompt}, {Role: "user", Content: task}})
	return answer.Text, err
}

func (b *bare) step(ctx workflow.Context, messages []bareMessage) (answer bareAnswer, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	err = workflow.ExecuteActivity(ctx, b.think, messages).Get(ctx, &answer)
	return answer, err
}

// call runs tools, all at once.
func (b *bare) call(ctx workflow.Context, names []string) ([]bareMessage, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	running := make([]workflow.Future, len(names))
	for i, name := range names {
		running[i] = workflow.ExecuteActivity(ctx, b.tool, name)
	}
	results := make([]bareMessage, len(names))
	for i, run := range running {
		results[i].Role = "tool"
		if err := run.Get(ctx, &results[i].Content); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// tool runs one tool.
func (b *bare) tool(ctx context.Context, name string) (string, error) {
	return runTool(ctx, name)
}

type bareMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A bareAnswer is a reply, the task that the model delegates, or the tools that it calls.
type bareAnswer struct {
	Text, Task string
	Tools      []string
}

// think calls the model.
func (b *bare) think(ctx context.Context, messages []bareMessage) (answer bareAnswer, err error) {
	if b.model == "" {
		return bareAnswer{Text: "ok"}, nil
	}
	body, err := json.Marshal(map[string]any{"model": "bench", "messages": messages})
	if err != nil {
		return answer, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.model+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.http.Do(req)
	if err != nil {
		return answer, err
	}
	defer resp.Body.Close()
	var out struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || len(out.Choices) == 0 {
		return answer, fmt.Errorf("the model answered %s: %w", resp.Status, err)
	}
	message := out.Choices[0].Message
	answer.Text = message.Content
	for _, call := range message.ToolCalls {
		if call.Function.Name != "call_agent" {
			answer.Tools = append(answer.Tools, call.Function.Name)
			continue
		}
		var args struct{ Task string }
		if err := json.Unmarshal([]byte(call.Function.Arguments), &args); err != nil {
			return answer, err
		}
		answer.Task = args.Task
	}
	return answer, nil
}
