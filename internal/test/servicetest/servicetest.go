// Package servicetest checks what a service answers in tests.
package servicetest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

// WantRefusal fails a test unless err is a refusal of a kind that has a text.
func WantRefusal(t *testing.T, err error, kind service.Kind, text string) {
	t.Helper()
	var no *service.Error
	if !errors.As(err, &no) || no.Kind != kind || !strings.Contains(no.Message, text) {
		t.Errorf("the error is %v, want %s with %q", err, kind, text)
	}
}

// NewRunner returns a runner whose callers may do everything, for tests of what calls operations.
func NewRunner() *ops.Runner {
	allow := func(actor.Actor) error { return nil }
	return &ops.Runner{Check: func(actor.Actor, api.Spec) error { return nil }, Count: allow, IsRefusal: service.IsRefusal, Log: slog.New(slog.DiscardHandler)}
}

// Changed names a task by its id for an actor who may change it: with the person or the conversation
// that the task is of, as a door does.
func Changed(ctx context.Context, s *service.Service, by actor.Actor, id core.TaskID) api.TaskRef {
	in := api.TaskRef{TaskID: api.TaskID{ID: string(id)}}
	switch t, err := s.Store.Task(ctx, id); {
	case err != nil || t.Origin.Person == by.Person:
	case by.Here != "" && t.Origin.SessionKey == by.Here:
		in.Session = by.Here
	default:
		in.Person = t.Origin.Person
	}
	return in
}

// CancelTask cancels a task by its id.
func CancelTask(ctx context.Context, s *service.Service, by actor.Actor, id core.TaskID, reason string) (core.Task, error) {
	in := api.CancelTaskInput{TaskRef: Changed(ctx, s, by, id)}
	in.Body.Reason = reason
	t, err := ops.Do(ctx, s.Runner, api.CancelTask, by, in)
	return t.Task, err
}

// CreateToken makes a token for a person, who may be the actor.
func CreateToken(ctx context.Context, s *service.Service, by actor.Actor, id core.PersonID, in api.NewToken) (string, core.Token, error) {
	if id == by.Person {
		made, err := ops.Do(ctx, s.Runner, api.CreateOwnToken, by, api.CreateOwnTokenInput{Body: in})
		return made.Secret, made.Token, err
	}
	made, err := ops.Do(ctx, s.Runner, api.CreateToken, by, api.CreateTokenInput{PersonID: api.PersonID{ID: string(id)}, Body: in})
	return made.Secret, made.Token, err
}

// Remind sets a reminder in a chat of the actor's on the page.
func Remind(ctx context.Context, s *service.Service, by actor.Actor, chat, when, text string) (core.Reminder, error) {
	var in api.CreateReminderInput
	in.Body.Chat, in.Body.When = chat, when
	in.Body.Text = text
	return ops.Do(ctx, s.Runner, api.CreateReminder, by, in)
}

// SteerTask adds to a task by its id.
func SteerTask(ctx context.Context, s *service.Service, by actor.Actor, id core.TaskID, key, text string) (api.Task, error) {
	in := api.SteerTaskInput{TaskRef: Changed(ctx, s, by, id), Key: key}
	in.Body.Text = text
	return ops.Do(ctx, s.Runner, api.SteerTask, by, in)
}

// Reset begins a session in a conversation, with an agent if it is not empty.
func Reset(ctx context.Context, s *service.Service, by actor.Actor, key core.SessionKey, agent core.AgentName, message string) (core.SessionID, error) {
	in := api.ResetChatInput{ConversationKey: api.ConversationKey{Key: key}}
	in.Body.Agent, in.Body.MessageID = string(agent), message
	out, err := ops.Do(ctx, s.Runner, api.ResetChat, by, in)
	return out.Session, err
}

// SwitchAgent puts an agent in charge of a conversation.
func SwitchAgent(ctx context.Context, s *service.Service, by actor.Actor, key core.SessionKey, agent core.AgentName) (core.AgentName, error) {
	return ops.Do(ctx, s.Runner, api.SwitchAgent, by, api.SwitchAgentInput{ConversationKey: api.ConversationKey{Key: key}, Agent: agent})
}

// StopChat ends the running turn of a conversation; with all, also its open tasks.
func StopChat(ctx context.Context, s *service.Service, by actor.Actor, key core.SessionKey, all bool) (api.StoppedChat, error) {
	return ops.Do(ctx, s.Runner, api.StopChat, by, api.StopChatInput{ConversationKey: api.ConversationKey{Key: key}, All: all})
}

// DeleteSession deletes a session by its id.
func DeleteSession(ctx context.Context, s *service.Service, by actor.Actor, id core.SessionID, force bool) (api.DeletedSession, error) {
	return ops.Do(ctx, s.Runner, api.DeleteSession, by, api.DeleteSessionInput{SessionID: api.SessionID{ID: id}, Force: force})
}

// Search finds messages of the actor by words.
func Search(ctx context.Context, s *service.Service, by actor.Actor, text string) ([]core.SearchHit, error) {
	return ops.Do(ctx, s.Runner, api.SearchSessions, by, api.SearchSessionsInput{Text: text})
}

// Must returns what a call returned, or ends the test if there was an error:
// Must(h.CancelTask(ctx, by, id, ""))(t).
func Must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// CleanUp starts a clean-up.
func CleanUp(ctx context.Context, s *service.Service, by actor.Actor) error {
	_, err := ops.Do(ctx, s.Runner, api.StartCleanUp, by, api.None{})
	return err
}

// Stream runs a stream of a service and calls each with its events until ctx ends or each fails.
// It returns the refusal, or the error of each. When the stream is open, it calls opened.
func Stream[In, Event any](ctx context.Context, r *ops.Runner, op api.Stream[In, Event], by actor.Actor, in In, opened func(), each func(Event) error) error {
	s := &sink[Event]{opened: opened, each: each}
	_, err := r.Run(ctx, op, ops.Call{By: by, Sink: s, Read: func(to any) error { *to.(*In) = in; return nil }})
	if errors.Is(err, ops.ErrGone) {
		return s.err
	}
	return err
}

type sink[Event any] struct {
	opened func()
	each   func(Event) error
	err    error
}

func (s *sink[Event]) Open()       { s.opened() }
func (s *sink[Event]) Beat() error { return nil }

func (s *sink[Event]) Send(e any) error {
	s.err = s.each(e.(Event))
	return s.err
}

// AnswerQuestion answers a question by its id, at the page.
func AnswerQuestion(ctx context.Context, s *service.Service, by actor.Actor, id core.QuestionID, answer api.QuestionAnswer) (core.Question, error) {
	q, err := ops.Do(ctx, s.Runner, api.AnswerQuestion, by, api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(id)}, Body: answer})
	return q.Question, err
}

// Questions lists questions.
func Questions(ctx context.Context, s *service.Service, by actor.Actor, in api.ListQuestionsInput) ([]core.Question, error) {
	list, err := ops.Do(ctx, s.Runner, api.ListQuestions, by, in)
	var questions []core.Question
	for _, q := range list.Items {
		questions = append(questions, q.Question)
	}
	return questions, err
}

// CreateTask gives a task to agents. It does not count as a message.
func CreateTask(ctx context.Context, s *service.Service, by actor.Actor, in api.CreateTaskInput) (core.Task, error) {
	by.Counted = true
	t, err := ops.Do(ctx, s.Runner, api.CreateTask, by, in)
	return t.Task, err
}
