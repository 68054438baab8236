package a2aserver

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/telemetry"
)

// handler is not an a2asrv.AgentExecutor, because its tasks outlive this process.
type handler struct{ *Server }

var _ a2asrv.RequestHandler = (*handler)(nil)

// find hides tasks of other callers and of other agents.
func (h *handler) find(ctx context.Context, c call, id a2a.TaskID) (*seen, error) {
	t, err := ops.Do(ctx, h.Runner, api.GetA2ATask, c.by, api.A2ATaskID{Task: core.TaskID(id)})
	switch {
	case err != nil:
		return nil, h.refused(ctx, err)
	case !c.isFor(t):
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "there is no task "+core.Cut(string(id), 40)+" of this agent's")
	}
	v, err := h.see(ctx, c.by, t)
	return v, h.refused(ctx, err)
}

func checkHistory(n *int) error {
	if n != nil && *n < 0 {
		return invalid("historyLength must not be negative")
	}
	return nil
}

func (h *handler) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	c := callOf(ctx)
	if err := checkHistory(req.HistoryLength); err != nil {
		return nil, err
	}
	v, err := h.find(ctx, c, req.ID)
	if err != nil {
		return nil, err
	}
	out, err := h.task(ctx, c, v, req.HistoryLength, true)
	return out, h.refused(ctx, err)
}

const (
	pageSize = 50
	mostPage = 100
)

// ListTasks lists only tasks that were created over A2A, newest first.
func (h *handler) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	c := callOf(ctx)
	f := api.ListA2ATasksInput{Context: req.ContextID, After: api.After{After: req.PageToken}, Limit: pageSize}
	if c.agent != House {
		f.Agent = core.AgentName(c.agent)
	}
	if err := checkHistory(req.HistoryLength); err != nil {
		return nil, err
	}
	if req.PageSize < 0 || req.PageSize > mostPage {
		return nil, invalid("pageSize must be from 1 to " + strconv.Itoa(mostPage))
	} else if req.PageSize > 0 {
		f.Limit = req.PageSize
	}
	if req.Status != a2a.TaskStateUnspecified {
		state, ok := fromWire[req.Status]
		if !ok {
			return nil, invalid(fmt.Sprintf("status must be one of %v", stateNames()))
		}
		f.States = []core.TaskState{state}
	}
	if req.StatusTimestampAfter != nil {
		f.Since = *req.StatusTimestampAfter
	}
	list, err := ops.Do(ctx, h.Runner, api.ListA2ATasks, c.by, f)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	out := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: list.Total, PageSize: f.Limit, NextPageToken: list.Next}
	for _, t := range list.Items {
		v, err := h.see(ctx, c.by, t)
		if err != nil {
			return nil, h.refused(ctx, err)
		}
		task, err := h.task(ctx, c, v, req.HistoryLength, req.IncludeArtifacts)
		if err != nil {
			return nil, h.refused(ctx, err)
		}
		out.Tasks = append(out.Tasks, task)
	}
	return out, nil
}

func (h *handler) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	c := callOf(ctx)
	v, err := h.find(ctx, c, req.ID)
	switch {
	case err != nil:
		return nil, err
	case v.State == core.Canceled: // a repeated request
	case v.State.Terminal():
		return nil, a2a.NewError(a2a.ErrTaskNotCancelable, "task "+string(v.ID)+" has ended: it is "+string(v.State))
	default:
		in := api.CancelTaskInput{TaskRef: api.TaskRef{TaskID: api.TaskID{ID: string(v.ID)}}}
		in.Body.Reason = "canceled over A2A"
		done, err := ops.Do(ctx, h.Runner, api.CancelTask, c.by, in)
		if err != nil {
			return nil, h.refused(ctx, err)
		}
		v.Task = done.Task
	}
	out, err := h.task(ctx, c, &seen{Task: v.Task}, nil, true)
	return out, h.refused(ctx, err)
}

// SendMessage answers when the task rests, or after [Options.Wait] with its current state.
func (h *handler) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	c := callOf(ctx)
	var history *int
	if req.Config != nil {
		history = req.Config.HistoryLength
	}
	if err := checkHistory(history); err != nil {
		return nil, err
	}
	v, err := h.receive(ctx, c, req)
	if err != nil {
		return nil, err
	}
	if req.Config == nil || !req.Config.ReturnImmediately {
		wait, end := context.WithTimeout(ctx, h.Wait)
		defer end()
		defer context.AfterFunc(c.stopping, end)()
		for !v.rests() && wait.Err() == nil {
			if err := h.next(wait, &c, v); err != nil && wait.Err() == nil {
				return nil, h.refused(ctx, err)
			}
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err() // the client is gone, but the task continues
	}
	out, err := h.task(ctx, c, v, history, true)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	return out, nil
}

func (h *handler) receive(ctx context.Context, c call, req *a2a.SendMessageRequest) (*seen, error) {
	m, err := messageOf(req)
	if err != nil {
		return nil, err
	}
	if m.Task != "" {
		if _, err := h.find(ctx, c, a2a.TaskID(m.Task)); err != nil {
			return nil, err
		}
	}
	var push core.A2APush
	if req.Config != nil && req.Config.PushConfig != nil {
		push = pushOf(c, req.Config.PushConfig)
		if _, err := ops.Do(ctx, h.Runner, api.CheckA2APush, c.by, api.A2APushInput{Push: push}); err != nil { // before the task is created
			return nil, h.refused(ctx, err)
		}
	}
	if m.Agent, err = h.agentOf(ctx, c); err != nil {
		return nil, h.refused(ctx, err)
	}
	t, err := ops.Do(ctx, h.Runner, api.ReceiveA2A, c.by, m)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	if push.URL != "" {
		if push.Task = t.ID; push.ID == "" {
			push.ID = "message" // a repeated message sets the same configuration
		}
		if _, err := ops.Do(ctx, h.Runner, api.SetA2APush, c.by, api.A2APushInput{Push: push}); err != nil {
			return nil, h.refused(ctx, err)
		}
	}
	v, err := h.see(ctx, c.by, t)
	return v, h.refused(ctx, err)
}

func (h *handler) agentOf(ctx context.Context, c call) (core.AgentName, error) {
	list, err := ops.Do(ctx, h.Runner, api.ListAgents, c.by, api.ListAgentsInput{})
	if err != nil {
		return "", err
	}
	for _, a := range list {
		if c.agent == House && a.Primary || c.agent != House && string(a.Name) == c.agent {
			return a.Name, nil
		}
	}
	return "", a2a.NewError(a2a.ErrInvalidRequest, "there is no agent "+strconv.Quote(core.Cut(c.agent, 40))+" here; the extended card of "+c.base+Path+House+" names those there are")
}

func messageOf(req *a2a.SendMessageRequest) (api.A2AMessage, error) {
	m := req.Message
	if m == nil {
		return api.A2AMessage{}, invalid("the message is missing")
	}
	if m.Role != a2a.MessageRoleUser && m.Role != a2a.MessageRoleUnspecified {
		return api.A2AMessage{}, invalid("a sent message must have the role user")
	}
	out := api.A2AMessage{ID: m.ID, Context: m.ContextID, Task: core.TaskID(m.TaskID)}
	out.Question, _ = m.Metadata["questionId"].(string)
	var texts []string
	for _, p := range m.Parts {
		text, err := textOf(p)
		if err != nil {
			return out, err
		}
		if id, ok := questionOf(p); ok && out.Question == "" {
			out.Question = id
			continue
		}
		texts = append(texts, text)
	}
	out.Text = strings.Join(texts, "\n\n")
	return out, nil
}

const lookEvery = 5 * time.Second

func (h *handler) next(ctx context.Context, c *call, v *seen) error {
	for ctx.Err() == nil {
		t, err := ops.Do(ctx, h.Runner, api.GetTask, c.by, api.GetTaskInput{TaskID: api.TaskID{ID: string(v.ID)}, AtMost: lookEvery,
			Until: func(t core.Task) bool { return t.State != v.State || progress(&t) != progress(&v.Task) }})
		if err != nil {
			return err
		}
		now := &seen{Task: t.Task}
		if err := h.ask(ctx, c.by, now); err != nil {
			return err
		}
		news := now.mark() != v.mark() || now.doing() != v.doing()
		if *v = *now; news {
			return nil
		}
	}
	return ctx.Err()
}

// SendStreamingMessage ends its stream when the task rests.
func (h *handler) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return h.guarded(ctx, func(c call, yield func(a2a.Event, error) bool) error {
		v, err := h.receive(ctx, c, req)
		if err != nil {
			return err
		}
		return h.follow(ctx, &c, v, (*seen).rests, yield)
	})
}

// SubscribeToTask continues while a question is open, because someone else may answer it.
func (h *handler) SubscribeToTask(ctx context.Context, req *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return h.guarded(ctx, func(c call, yield func(a2a.Event, error) bool) error {
		v, err := h.find(ctx, c, req.ID)
		switch {
		case err != nil:
			return err
		case v.State.Terminal():
			return a2a.NewError(a2a.ErrUnsupportedOperation, "task "+string(v.ID)+" has ended: read it instead")
		}
		return h.follow(ctx, &c, v, func(v *seen) bool { return v.State.Terminal() }, yield)
	})
}

// guarded recovers panics, and yields an error as the last event of the stream.
func (h *handler) guarded(ctx context.Context, serve func(call, func(a2a.Event, error) bool) error) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		gone := false
		err := func() (err error) {
			defer telemetry.RecoverPanic(h.Logger, "A2A stream failed", &err)
			return serve(callOf(ctx), func(e a2a.Event, err error) bool {
				gone = gone || !yield(e, err)
				return !gone
			})
		}()
		if err != nil && !gone && ctx.Err() == nil {
			yield(nil, h.refused(ctx, err))
		}
	}
}

func (h *handler) follow(ctx context.Context, c *call, v *seen, over func(*seen) bool, yield func(a2a.Event, error) bool) error {
	if on, err := h.yieldTask(ctx, c, v, yield); !on {
		return err
	}
	wait, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(c.stopping, end)()
	for !over(v) {
		err := h.next(wait, c, v)
		switch {
		case wait.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if on, err := h.yieldChanges(ctx, c, v, yield); !on {
			return err
		}
	}
	return nil
}

func (h *handler) yieldTask(ctx context.Context, c *call, v *seen, yield func(a2a.Event, error) bool) (on bool, err error) {
	task, err := h.task(ctx, *c, v, nil, true)
	if err != nil {
		return false, err
	}
	return yield(task, nil), nil
}

// yieldChanges yields the artifacts of a completed task before its final state.
func (h *handler) yieldChanges(ctx context.Context, c *call, v *seen, yield func(a2a.Event, error) bool) (on bool, err error) {
	if v.State.Terminal() {
		artifacts, err := h.artifacts(ctx, *c, v.Task)
		if err != nil {
			return false, err
		}
		for _, a := range artifacts {
			e := &a2a.TaskArtifactUpdateEvent{TaskID: a2a.TaskID(v.ID), ContextID: service.ContextOf(v.Task), Artifact: a, LastChunk: true}
			if !yield(e, nil) {
				return false, nil
			}
		}
	}
	return yield(&a2a.TaskStatusUpdateEvent{TaskID: a2a.TaskID(v.ID), ContextID: service.ContextOf(v.Task), Status: v.status()}, nil), nil
}
