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

	"errand"
	"errand/internal/recovered"
	"errand/internal/service"
)

// A handler carries out the calls of the protocol, of either binding, for who is
// in their context. It is no executor: what it begins is a task of errand's, which goes on
// whatever becomes of this process.
type handler struct{ *Server }

var _ a2asrv.RequestHandler = (*handler)(nil)

// find is the task of the caller's that an id names: another's is not found, and neither is
// another agent's.
func (h *handler) find(ctx context.Context, c call, id a2a.TaskID) (*seen, error) {
	t, err := h.Backend.OwnTask(ctx, c.by, errand.TaskID(id))
	switch {
	case err != nil:
		return nil, h.refused(ctx, err)
	case !c.isFor(t):
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "there is no task "+errand.Cut(string(id), 40)+" of this agent's")
	}
	v, err := h.see(ctx, c.by, t)
	return v, h.refused(ctx, err)
}

// checkHistory returns an error if historyLength is negative.
func checkHistory(n *int) error {
	if n != nil && *n < 0 {
		return invalid("historyLength must not be negative")
	}
	return nil
}

// GetTask is as of a [a2asrv.RequestHandler].
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

// The pages of a list.
const (
	pageSize = 50
	mostPage = 100
	pageList = "a2a"
)

// ListTasks is as of a [a2asrv.RequestHandler]: the tasks that came over A2A, the newest first.
func (h *handler) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	c := callOf(ctx)
	f := service.A2AFilter{Context: req.ContextID, Limit: pageSize}
	if c.agent != House {
		f.Agent = errand.AgentName(c.agent)
	}
	if err := checkHistory(req.HistoryLength); err != nil {
		return nil, err
	}
	if req.PageSize < 0 || req.PageSize > mostPage {
		return nil, invalid("pageSize is from 1 to " + strconv.Itoa(mostPage))
	} else if req.PageSize > 0 {
		f.Limit = req.PageSize
	}
	if req.Status != a2a.TaskStateUnspecified {
		state, ok := fromWire[req.Status]
		if !ok {
			return nil, invalid(fmt.Sprintf("status is one of %v", stateNames()))
		}
		f.States = []errand.TaskState{state}
	}
	if req.StatusTimestampAfter != nil {
		f.Since = *req.StatusTimestampAfter
	}
	if req.PageToken != "" {
		var err error
		if f.After, err = service.ParseCursor(pageList, req.PageToken); err != nil {
			return nil, invalid("the pageToken is none of errand's")
		}
	}
	list, all, err := h.Backend.A2ATasks(ctx, c.by, f)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	out := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: all, PageSize: f.Limit}
	for _, t := range list {
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
	if len(list) == f.Limit {
		out.NextPageToken = service.Cursor(pageList, service.PositionOfTask(list[len(list)-1]))
	}
	return out, nil
}

// CancelTask is as of a [a2asrv.RequestHandler].
func (h *handler) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	c := callOf(ctx)
	v, err := h.find(ctx, c, req.ID)
	switch {
	case err != nil:
		return nil, err
	case v.State == errand.Canceled: // again
	case v.State.Terminal():
		return nil, a2a.NewError(a2a.ErrTaskNotCancelable, "task "+string(v.ID)+" has ended: it is "+string(v.State))
	default:
		if v.Task, err = h.Backend.CancelTask(ctx, c.by, v.ID, "canceled over A2A"); err != nil {
			return nil, h.refused(ctx, err)
		}
	}
	out, err := h.task(ctx, c, &seen{Task: v.Task}, nil, true)
	return out, h.refused(ctx, err)
}

// SendMessage is as of a [a2asrv.RequestHandler]. It answers when the task rests, or after
// [Options.Wait] with the task as it is then.
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
		return nil, ctx.Err() // the client is gone; the task goes on
	}
	out, err := h.task(ctx, c, v, history, true)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	return out, nil
}

func (h *handler) receive(ctx context.Context, c call, req *a2a.SendMessageRequest) (*seen, error) {
	if err := h.Backend.AllowMessage(c.by, errand.WebRoute("").At()); err != nil { // programs count as their person
		return nil, h.refused(ctx, err)
	}
	m, err := messageOf(req)
	if err != nil {
		return nil, err
	}
	if m.Task != "" {
		if _, err := h.find(ctx, c, a2a.TaskID(m.Task)); err != nil {
			return nil, err
		}
	}
	var push service.A2APush
	if req.Config != nil && req.Config.PushConfig != nil {
		push = pushOf(c, req.Config.PushConfig)
		if err := h.Backend.CheckA2APush(c.by, push); err != nil { // before there is a task
			return nil, h.refused(ctx, err)
		}
	}
	if m.Agent, err = h.agentOf(ctx, c); err != nil {
		return nil, h.refused(ctx, err)
	}
	t, err := h.Backend.ReceiveA2A(ctx, c.by, m)
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	if push.URL != "" {
		if push.Task = t.ID; push.ID == "" {
			push.ID = "message" // the same message sets the same one
		}
		if _, err := h.Backend.SetA2APush(ctx, c.by, push); err != nil {
			return nil, h.refused(ctx, err)
		}
	}
	v, err := h.see(ctx, c.by, t)
	return v, h.refused(ctx, err)
}

func (h *handler) agentOf(ctx context.Context, c call) (errand.AgentName, error) {
	list, err := h.Backend.AgentsFor(ctx, c.by, "")
	if err != nil {
		return "", err
	}
	for _, a := range list {
		if c.agent == House && a.Primary || c.agent != House && string(a.Name) == c.agent {
			return a.Name, nil
		}
	}
	return "", a2a.NewError(a2a.ErrInvalidRequest, "there is no agent "+strconv.Quote(errand.Cut(c.agent, 40))+" here; the extended card of "+c.base+Path+House+" names those there are")
}

func messageOf(req *a2a.SendMessageRequest) (service.A2AMessage, error) {
	m := req.Message
	if m == nil {
		return service.A2AMessage{}, invalid("there is no message")
	}
	if m.Role != a2a.MessageRoleUser && m.Role != a2a.MessageRoleUnspecified {
		return service.A2AMessage{}, invalid("the role of a message that is sent is the user's")
	}
	out := service.A2AMessage{ID: m.ID, Context: m.ContextID, Task: errand.TaskID(m.TaskID)}
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

// next waits until a client sees something new of a task.
func (h *handler) next(ctx context.Context, c *call, v *seen) error {
	for ctx.Err() == nil {
		now := &seen{Task: errand.Task{ID: v.ID}}
		err := h.Backend.FollowTask(ctx, c.by, &now.Task, lookEvery, func(t *errand.Task) bool {
			return t.State != v.State || progress(t) != progress(&v.Task)
		})
		if err != nil {
			return err
		}
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

// SendStreamingMessage is as of a [a2asrv.RequestHandler]. The stream ends when the task rests.
func (h *handler) SendStreamingMessage(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return h.guarded(ctx, func(c call, yield func(a2a.Event, error) bool) error {
		v, err := h.receive(ctx, c, req)
		if err != nil {
			return err
		}
		return h.follow(ctx, &c, v, (*seen).rests, yield)
	})
}

// SubscribeToTask is as of a [a2asrv.RequestHandler]. The stream ends when the task has ended:
// what it asks may be answered elsewhere.
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

// guarded are the events of a call. Its error is the last, and so is a panic: the protocol's
// code waits for what comes then.
func (h *handler) guarded(ctx context.Context, serve func(call, func(a2a.Event, error) bool) error) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		gone := false
		err := func() (err error) {
			defer recovered.Panic(h.Logger, "a stream of an A2A client", &err)
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

// follow tells a task as it is, and then each change, until it is over or its client is gone.
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

// yieldTask yields a task as it is, and reports whether there is somebody to tell more.
func (h *handler) yieldTask(ctx context.Context, c *call, v *seen, yield func(a2a.Event, error) bool) (on bool, err error) {
	task, err := h.task(ctx, *c, v, nil, true)
	if err != nil {
		return false, err
	}
	return yield(task, nil), nil
}

// yieldChanges yields what has changed: the state of a task, and before its last what came of it.
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
