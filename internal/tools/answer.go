package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"errand/api"
	"errand/internal/ops"
	"errand/internal/store"
)

// AnswerTask is the name of the tool that answers a sub-agent's question.
const AnswerTask = "answer_task"

// Answer returns the tool with which the agent of a conversation passes on a person's
// answer to a sub-agent's question.
func Answer(r *ops.Runner) Tool {
	return Tool{
		Name: AnswerTask,
		Description: "Pass the user's answer on to the sub-agent that asked the question. Use it if the user's message answers the question, with the user's words. " +
			"Never decide for the user, who sees what you passed on. It cannot answer approvals.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"question_id": {"type": "string"},
				"answer": {"type": "string", "description": "what the user said; one of the options, if the question has options"}
			},
			"required": ["question_id", "answer"]
		}`),
		Effect: Idempotent, Doing: "doing.answer",
		Run: func(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
			in, err := Parse[struct {
				ID     string `json:"question_id"`
				Answer string `json:"answer"`
			}](args)
			if err != nil {
				return "error: " + err.Error(), nil
			}
			q, err := ops.Do(ctx, r, api.AnswerQuestionByTool, call.Actor(AnswerTask), api.AnswerQuestionByToolInput{
				ID: in.ID, Text: in.Answer, Route: call.Origin.Route, Key: call.Key, Task: call.Task != nil,
			})
			if err != nil {
				return toolError(err)
			}
			return fmt.Sprintf("%s has the answer and continues %s.", q.Agent.Display(), q.Task), nil
		},
	}
}
