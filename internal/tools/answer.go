package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"errand"
	"errand/internal/store"
)

// AnswerTask is the name of the tool that hands an answer on.
const AnswerTask = "answer_task"

// An Answerer answers questions; package service implements it.
type Answerer interface {
	// AnswerQuestionFor answers for the person that a tool call is made for, if they
	// have just said so.
	AnswerQuestionFor(ctx context.Context, call store.Call, id, text string) (errand.Question, error)
}

// Answer is the tool by which the agent of a conversation hands on what the person has
// said to a question of a sub-agent's.
func Answer(a Answerer) Tool {
	return Tool{
		Name: AnswerTask,
		Description: "Hand on the person's answer to a question that a sub-agent has asked them. Use it when their message answers the question, in their words; " +
			"never decide for them. The person sees what you have answered.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"question_id": {"type": "string"},
				"answer": {"type": "string", "description": "what the person said; one of the options where there are some"}
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
			q, err := a.AnswerQuestionFor(ctx, call, in.ID, in.Answer)
			if err != nil {
				return toolError(err)
			}
			return fmt.Sprintf("%s has the answer and goes on with %s.", q.Agent.Display(), q.Task), nil
		},
	}
}
