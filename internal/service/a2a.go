package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/texts"
)

// A2A has the operations of programs that give tasks to agents over A2A.
type A2A struct {
	*Env
	dispatch  *dispatch.Dispatcher
	tasks     *Tasks
	questions *Questions
	webhooks  Webhooks
}

func (a *A2A) bind(r *ops.Runner) {
	ops.Bind(r, api.ReceiveA2A, a.receive)
	ops.Bind(r, api.GetA2ATask, a.getTask)
	ops.Bind(r, api.ListA2ATasks, a.listTasks)
	ops.Bind(r, api.SetA2APush, a.setPush)
	ops.Bind(r, api.CheckA2APush, a.checkPush)
	ops.Bind(r, api.ListA2APushes, a.listPushes)
	ops.Bind(r, api.DeleteA2APush, a.deletePush)
}

// maxA2AName is the limit of the names that programs give, in bytes.
const maxA2AName = 200

func (a *A2A) receive(ctx context.Context, by actor.Actor, m api.A2AMessage) (core.Task, error) {
	for _, name := range []string{m.ID, m.Context} {
		if len(name) > maxA2AName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			return core.Task{}, Invalid("name", "refusal.a2a_name", "most", maxA2AName)
		}
	}
	if m.ID == "" {
		return core.Task{}, Invalid("message_id", "refusal.a2a_message_id")
	}
	before, err := a.Store.A2AMessage(ctx, by.Person, m.ID)
	if errors.Is(err, store.ErrNotFound) {
		first := a.delegate
		if m.Task != "" {
			first = a.add
		}
		t, fault := first(ctx, by, m)
		if !errors.Is(fault, store.ErrNoted) {
			return t, fault
		}
		before, err = a.Store.A2AMessage(ctx, by.Person, m.ID) // it came again at the same time
	}
	if err != nil {
		return core.Task{}, err
	}
	if before.Question != "" {
		t, err := a.answer(ctx, by, before, m.Text)
		if known := (*Error)(nil); !errors.As(err, &known) || known.Kind != KindConflict {
			return t, err
		}
		// The message answered the question when it first came.
	}
	return a.tasks.own(ctx, by, before.Task)
}

func (a *A2A) add(ctx context.Context, by actor.Actor, m api.A2AMessage) (core.Task, error) {
	t, err := a.ownTask(ctx, by, m.Task)
	if err != nil {
		return t, err
	}
	if m.Context != "" && m.Context != ContextOf(t) {
		return t, Invalid("context", "refusal.a2a_context", "task", t.ID)
	}
	if t.State.Terminal() {
		return t, conflict(TaskEndedCode, "refusal.task_ended", "task", t.ID, "state", texts.Key("state."+string(t.State)))
	}
	noted := store.A2AMessage{Person: by.Person, Message: m.ID, Context: ContextOf(t), Task: t.ID}
	if err := a.may(by, rights.QuestionsRead); err != nil {
		return t, err
	}
	open, err := a.questions.openOf(ctx, t.ID)
	if err != nil {
		return t, err
	}
	for _, q := range open {
		if q.Kind != core.AsksApproval && (m.Question == "" || string(q.ID) == m.Question) {
			// Noted first: a repeated message answers this question, and is not added to the task.
			noted.Question = q.ID
			if err := a.Store.NoteA2AMessage(ctx, noted); err != nil {
				return t, err
			}
			return a.answer(ctx, by, noted, m.Text)
		}
	}
	if m.Question != "" {
		return t, Refuse(KindNotFound, "not_found", "refusal.a2a_question", "question", core.Cut(m.Question, 40), "task", t.ID)
	}
	if err := a.may(by, rights.TasksSteer); err != nil {
		return t, err
	}
	t, _, err = taskMessages{a.tasks}.add(ctx, t, store.TaskMessage{Key: a2aKey(by, m.ID), Person: by.Person, Role: by.Role, Text: m.Text, A2A: &noted})
	return t, err
}

func (a *A2A) answer(ctx context.Context, by actor.Actor, m store.A2AMessage, text string) (core.Task, error) {
	if err := a.may(by, rights.QuestionsAnswer); err != nil {
		return core.Task{}, err
	}
	q, err := a.questions.find(ctx, by, string(m.Question))
	if err == nil {
		_, err = a.questions.close(ctx, by, q, api.AnswerQuestionInput{Body: api.QuestionAnswer{Text: text}, Program: true, Route: a2aRoute(m.Context)}, "")
	}
	if err != nil {
		return core.Task{}, err
	}
	return a.tasks.own(ctx, by, m.Task)
}

// delegate continues the last task of the context if that has ended and was of the same agent. A peer
// always gets a new task.
func (a *A2A) delegate(ctx context.Context, by actor.Actor, m api.A2AMessage) (core.Task, error) {
	if m.Context == "" {
		m.Context = "c-" + a2aKey(by, m.ID)[:20]
	}
	noted := &store.A2AMessage{Person: by.Person, Message: m.ID, Context: m.Context}
	last, err := a.Store.LastA2ATask(ctx, by.Person, m.Context)
	switch {
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return core.Task{}, err
	case err == nil && last.State.Terminal() && a.tasks.isLocal(ctx, last) == nil && slices.Equal(last.Agents, []core.AgentName{m.Agent}):
		if err := a.may(by, rights.TasksSteer); err != nil {
			return last, err
		}
		return taskMessages{a.tasks}.continueWith(ctx, by, last, core.Origin{Route: a2aRoute(m.Context)}, store.TaskMessage{Key: a2aKey(by, m.ID), Text: m.Text, A2A: noted})
	}
	return a.tasks.delegate(ctx, by, api.CreateTaskInput{Route: a2aRoute(m.Context), Body: api.NewTask{Agents: []core.AgentName{m.Agent}, Text: m.Text}}, noted)
}

func a2aRoute(name string) core.Route {
	return core.Route{Channel: core.ChannelA2A, Thread: name}
}

// a2aKey returns the key of a message to a task. It differs from the keys of other doors.
func a2aKey(by actor.Actor, message string) string {
	sum := sha256.Sum256([]byte("a2a " + strconv.Itoa(len(by.Person)) + string(by.Person) + message))
	return hex.EncodeToString(sum[:])
}

// ContextOf returns the conversation of a task, by the name that programs know.
func ContextOf(t core.Task) string {
	if t.Origin.Channel == core.ChannelA2A {
		return t.Origin.Thread
	}
	return string(t.ID)
}

func (a *A2A) getTask(ctx context.Context, by actor.Actor, in api.A2ATaskID) (core.Task, error) {
	return a.ownTask(ctx, by, in.Task)
}

// ownTask returns a task of the actor by its whole id.
func (a *A2A) ownTask(ctx context.Context, by actor.Actor, id core.TaskID) (core.Task, error) {
	t, err := a.tasks.own(ctx, by, id)
	if known := (*Error)(nil); err == nil && t.ID != id || errors.As(err, &known) && known.Code == "ambiguous" {
		return core.Task{}, Known(store.ErrNotFound)
	}
	return t, err
}

func (a *A2A) listTasks(ctx context.Context, by actor.Actor, in api.ListA2ATasksInput) (out api.A2ATaskList, err error) {
	f := store.TaskFilter{Person: by.Person, A2A: true, Context: in.Context, Agent: in.Agent, States: in.States, Since: in.Since, Limit: in.Limit}
	if out.Total, err = a.Store.CountTasks(ctx, f); err != nil {
		return out, err
	}
	if f.After, err = ParseCursor(api.ListA2ATasks.Name, in.After.After); err != nil {
		return out, err
	}
	list, err := paged(a.Store.Tasks(ctx, f))
	out.List = page(api.ListA2ATasks.Name, in.Limit, list, PositionOfTask)
	return out, err
}
