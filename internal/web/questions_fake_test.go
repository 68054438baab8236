package web

import (
	"context"

	"errand"
	"errand/internal/service"
)

func (m *memory) Question(_ context.Context, _ service.Actor, id string) (errand.Question, error) {
	return errand.Question{ID: errand.QuestionID(id), Kind: errand.AsksPerson, State: errand.QuestionOpen}, nil
}

func (m *memory) Deciders(context.Context, service.Actor, errand.Question) ([]string, error) {
	return []string{"Ada"}, nil
}

func (m *memory) MayAnswer(service.Actor, errand.Question) error { return nil }

func (m *memory) ListQuestions(_ context.Context, _ service.Actor, f service.QuestionFilter) ([]errand.Question, error) {
	if f.Key == "" {
		return nil, nil
	}
	q := errand.Question{ID: "q-22222222", Kind: errand.AsksPerson, State: errand.QuestionOpen, Text: string(f.Key), Route: errand.Route{Channel: errand.ChannelWeb, Chat: "main"}}
	if f.All {
		q.State = errand.QuestionAnswered
	}
	return []errand.Question{q}, nil
}

func (m *memory) AnswerQuestion(_ context.Context, by service.Actor, id string, in service.Answer) (errand.Question, error) {
	return errand.Question{ID: errand.QuestionID(id), State: errand.QuestionAnswered, Answer: in.Text, AnsweredBy: by.Person}, nil
}
