package service_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A house is a service with one person of each role, who is called like it.
type house struct {
	*service.Service
	servicetest.PeopleCalls
	t       testing.TB
	store   *store.Store
	signals *dispatchtest.Client
	now     time.Time
}

func newHouse(t *testing.T, change func(*service.Deps)) *house {
	t.Helper()
	return newHouseOn(t, store.Options{SQLite: storetest.File(t)}, change)
}

func newHouseOn(t testing.TB, on store.Options, change func(*service.Deps)) *house {
	t.Helper()
	h := &house{t: t, now: noon, signals: &dispatchtest.Client{}}
	clock := func() time.Time { return h.now }
	on.Now = clock
	var err error
	if h.store, err = store.Open(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.store.Close() })
	storetest.AddEveryRole(t, h.store)
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	env := &service.Env{Store: h.store, Now: clock, Logger: slog.New(slog.DiscardHandler)}
	deps := service.Deps{Env: env, Runner: service.NewRunner(env, nil),
		Dispatch: dispatchtest.New(t, h.signals, h.store), Roster: roster, Sticky: true, Browsers: browsers(t)}
	deps.NewIntake = func(*service.Service) service.Intake { return acceptor{} }
	if change != nil {
		change(&deps)
	}
	if h.Service, err = service.New(deps); err != nil {
		t.Fatal(err)
	}
	h.PeopleCalls = servicetest.PeopleCalls{Operations: h.Runner}
	return h
}

// browsers sends push notifications to one of the operator's own hosts, and to the public internet.
func browsers(t testing.TB) service.Browsers {
	t.Helper()
	key, err := push.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	sender, err := push.NewBrowserSender(push.Options{Key: key, Allow: []string{"127.0.0.1:9"}})
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func (h *house) CancelTask(ctx context.Context, by actor.Actor, id core.TaskID, reason string) (core.Task, error) {
	return servicetest.CancelTask(ctx, h.Service, by, id, reason)
}

func (h *house) CreateToken(ctx context.Context, by actor.Actor, id core.PersonID, in api.NewToken) (string, core.Token, error) {
	return servicetest.CreateToken(ctx, h.Service, by, id, in)
}

func (h *house) RevokeToken(ctx context.Context, by actor.Actor, id string) error {
	return do(ctx, h, api.RevokeToken, by, api.TokenID{ID: id})
}

func (h *house) RevokeOwnToken(ctx context.Context, by actor.Actor, id string) error {
	return do(ctx, h, api.RevokeOwnToken, by, api.TokenID{ID: id})
}

func (h *house) AnswerQuestion(ctx context.Context, by actor.Actor, id core.QuestionID, answer api.QuestionAnswer) (core.Question, error) {
	return servicetest.AnswerQuestion(ctx, h.Service, by, id, answer)
}

// answerShown answers a question in the chat that shows it.
func (h *house) answerShown(ctx context.Context, by actor.Actor, id core.QuestionID, text string) error {
	in := api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(id)}, Body: api.QuestionAnswer{Text: text}, Shown: true}
	return do(ctx, h, api.AnswerQuestion, by, in)
}

// decides reports whether the actor may decide about approvals.
func (h *house) decides(by actor.Actor) bool {
	h.t.Helper()
	q, err := ops.Do(h.t.Context(), h.Runner, api.GetQuestion, by, api.QuestionID{ID: string(h.asked(h.task("guest"), true))})
	if err != nil {
		h.t.Fatal(err)
	}
	return q.MayAnswer
}

func (h *house) CreateTask(ctx context.Context, by actor.Actor, in api.CreateTaskInput) (core.Task, error) {
	return servicetest.CreateTask(ctx, h.Service, by, in)
}

func (h *house) CancelTasks(ctx context.Context, by actor.Actor, ids []string, person core.PersonID, reason string) ([]api.BulkTask, error) {
	in := api.CancelTasksInput{Person: person}
	in.Body.IDs, in.Body.Reason = ids, reason
	return ops.Do(ctx, h.Runner, api.CancelTasks, by, in)
}

func (h *house) RetryTasks(ctx context.Context, by actor.Actor, ids []string, person core.PersonID) ([]api.BulkTask, error) {
	in := api.RetryTasksInput{Person: person}
	in.Body.IDs = ids
	return ops.Do(ctx, h.Runner, api.RetryTasks, by, in)
}

func (h *house) TaskDetails(ctx context.Context, by actor.Actor, id string, person core.PersonID) (api.TaskDetails, error) {
	return ops.Do(ctx, h.Runner, api.GetTaskDetails, by, api.GetTaskDetailsInput{TaskID: api.TaskID{ID: id}, Person: api.Person{Person: person}})
}

func (h *house) RetryTask(ctx context.Context, by actor.Actor, id core.TaskID) (api.Task, error) {
	return ops.Do(ctx, h.Runner, api.RetryTask, by, servicetest.Changed(ctx, h.Service, by, id))
}

func (h *house) SteerTask(ctx context.Context, by actor.Actor, id core.TaskID, key, text string) (api.Task, error) {
	return servicetest.SteerTask(ctx, h.Service, by, id, key, text)
}

func (h *house) ContinueTask(ctx context.Context, by actor.Actor, id core.TaskID, text string, in api.ContinueTaskInput) (api.Task, error) {
	in.TaskRef, in.Body.Text = servicetest.Changed(ctx, h.Service, by, id), text
	return ops.Do(ctx, h.Runner, api.ContinueTask, by, in)
}

// Tasks lists the tasks of a person; empty: the actor's, "*": everybody's.
func (h *house) Tasks(ctx context.Context, by actor.Actor, person core.PersonID) ([]api.Task, error) {
	list, err := ops.Do(ctx, h.Runner, api.ListTasks, by, api.ListTasksInput{TaskFilter: api.TaskFilter{Person: api.Person{Person: person}}})
	return list.Items, err
}

func (h *house) GetTask(ctx context.Context, by actor.Actor, id string, atMost time.Duration) (api.Task, error) {
	return ops.Do(ctx, h.Runner, api.GetTask, by, api.GetTaskInput{TaskID: api.TaskID{ID: id}, AtMost: atMost})
}

func (h *house) TryHook(ctx context.Context, by actor.Actor, address string) (api.TriedHook, error) {
	var in api.TryHookInput
	in.Body.URL = address
	return ops.Do(ctx, h.Runner, api.TryHook, by, in)
}

func (h *house) HookSecret(ctx context.Context, by actor.Actor, renew bool) (api.HookSecret, error) {
	var in api.HookSecretInput
	in.Body.Renew = renew
	return ops.Do(ctx, h.Runner, api.GetHookSecret, by, in)
}

func as(role core.Role) actor.Actor {
	return actor.Actor{Person: core.PersonID(role), Role: role}
}

func chatOf(person core.PersonID) core.SessionKey {
	return core.NewSessionKey(core.WebRoute("main"), person)
}

func (h *house) task(person core.PersonID) core.Task {
	h.t.Helper()
	task, err := h.store.CreateTask(h.t.Context(), core.Origin{Person: person, Role: core.Member, Depth: 1}, store.NewTask{Agents: []core.AgentName{"trains"}, Text: "find trains"}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// session begins one in the chat of a person.
func (h *house) session(person core.PersonID) core.SessionID {
	h.t.Helper()
	found, err := h.store.Rehydrate(h.t.Context(), chatOf(person), "nikki")
	if err != nil {
		h.t.Fatal(err)
	}
	return found.Session
}

func isNotFound(err error) bool {
	var no *service.Error
	return errors.As(err, &no) && no.Code == "not_found"
}

func isForbidden(err error) bool {
	var no *service.Error
	return errors.As(err, &no) && no.Code == "forbidden"
}
