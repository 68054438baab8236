package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
)

func usesOfQuestions() map[string]use {
	answer := func(ctx context.Context, h *house, by actor.Actor, approval bool, text string) error {
		return h.answerShown(ctx, by, h.asked(h.task(by.Person), approval), text)
	}
	return map[string]use{
		"listQuestions": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListQuestions, by, api.ListQuestionsInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListQuestions, by, api.ListQuestionsInput{Here: chatOf(other(by))})
			},
		},
		"listTaskQuestions": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListTaskQuestions, by, api.ListTaskQuestionsInput{ID: "t-none"})
		}},
		"getQuestion": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetQuestion, by, api.QuestionID{ID: string(h.asked(h.task(by.Person), false))})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				by.Here = chatOf(other(by))
				return do(ctx, h, api.GetQuestion, by, api.QuestionID{ID: string(h.asked(h.taskIn(by.Here), false))})
			},
		},
		"answerQuestion": {
			own: func(ctx context.Context, h *house, by actor.Actor) error { return answer(ctx, h, by, false, "Yes") },
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				if err := answer(ctx, h, by, true, "yes"); err != nil {
					return err
				}
				return h.answerShown(ctx, by, h.asked(h.task(other(by)), false), "Yes")
			},
			audits: []func(context.Context, *house, actor.Actor) error{
				func(ctx context.Context, h *house, by actor.Actor) error { return answer(ctx, h, by, false, "Yes") },
				func(ctx context.Context, h *house, by actor.Actor) error {
					_, err := h.AnswerQuestion(ctx, by, h.asked(h.task(by.Person), false), api.QuestionAnswer{Decline: true})
					return err
				},
				func(ctx context.Context, h *house, by actor.Actor) error { return answer(ctx, h, by, true, "yes") },
				func(ctx context.Context, h *house, by actor.Actor) error { return answer(ctx, h, by, true, "no") },
			},
		},
		"answerQuestionByTool": {tool: "answer_task", own: func(ctx context.Context, h *house, by actor.Actor) error {
			key, id := h.askedInTurn(by.Person)
			return do(ctx, h, api.AnswerQuestionByTool, by, api.AnswerQuestionByToolInput{ID: string(id), Text: "Yes", Key: key})
		}},
		"listDeliveries": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListDeliveries, by, api.ListDeliveriesInput{})
		}},
		"retryDelivery": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.RetryDelivery, by, api.DeliveryID{ID: h.delivery()})
		}},
		"dismissDelivery": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.DismissDelivery, by, api.DeliveryID{ID: h.delivery()})
		}},
		"getUsage": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetUsage, by, api.GetUsageInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetUsage, by, api.GetUsageInput{Person: api.Person{Person: "*"}})
			},
		},
	}
}
