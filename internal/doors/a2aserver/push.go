package a2aserver

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
)

// Push returns the body that describes the task's current state to a receiver, and the headers that
// p asks for.
func (s *Server) Push(ctx context.Context, p core.A2APush, t core.Task) ([]byte, http.Header, error) {
	by, err := s.ActorOf(ctx, t.Origin.Person)
	if err != nil {
		return nil, nil, err
	}
	by = by.AsProgram()
	v, err := s.see(ctx, by, t)
	if err != nil {
		return nil, nil, err
	}
	task, err := s.task(ctx, call{by: by, agent: House, base: p.Base}, v, nil, true)
	if err != nil {
		return nil, nil, err
	}
	h := http.Header{}
	if p.Token != "" {
		// The A2A specification names both headers.
		h.Set("X-A2A-Notification-Token", p.Token)
		h.Set("A2A-Notification-Token", p.Token)
	}
	if p.Credentials != "" {
		h.Set("Authorization", p.Scheme+" "+p.Credentials)
	}
	body, err := json.Marshal(a2a.StreamResponse{Event: task})
	return body, h, err
}

func pushOf(c call, p *a2a.PushConfig) core.A2APush {
	out := core.A2APush{Task: core.TaskID(p.TaskID), ID: p.ID, Base: c.base, URL: p.URL, Token: p.Token}
	if p.Auth != nil {
		out.Scheme, out.Credentials = p.Auth.Scheme, p.Auth.Credentials
	}
	return out
}

// configOf leaves out the credentials.
func configOf(p core.A2APush) *a2a.PushConfig {
	out := &a2a.PushConfig{TaskID: a2a.TaskID(p.Task), ID: p.ID, URL: p.URL, Token: p.Token}
	if p.Scheme != "" {
		out.Auth = &a2a.PushAuthInfo{Scheme: p.Scheme}
	}
	return out
}

func (h *handler) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return nil, err
	}
	p, err := ops.Do(ctx, h.Runner, api.SetA2APush, c.by, api.A2APushInput{Push: pushOf(c, req)})
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	return configOf(p), nil
}

func (h *handler) GetTaskPushConfig(ctx context.Context, req *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	list, err := h.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: req.TaskID})
	if err != nil {
		return nil, err
	}
	for _, p := range list.Configs {
		if p.ID == req.ID {
			return p, nil
		}
	}
	return nil, a2a.NewError(a2a.ErrTaskNotFound, "task "+core.Cut(string(req.TaskID), 40)+" has no such push notification config")
}

// ListTaskPushConfigs returns all configurations in one page, because a task has few.
func (h *handler) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return nil, err
	}
	list, err := ops.Do(ctx, h.Runner, api.ListA2APushes, c.by, api.A2ATaskID{Task: core.TaskID(req.TaskID)})
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	out := &a2a.ListTaskPushConfigResponse{Configs: []*a2a.PushConfig{}}
	for _, p := range list {
		out.Configs = append(out.Configs, configOf(p))
	}
	return out, nil
}

func (h *handler) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return err
	}
	in := api.DeleteA2APushInput{A2ATaskID: api.A2ATaskID{Task: core.TaskID(req.TaskID)}, ID: req.ID}
	_, err := ops.Do(ctx, h.Runner, api.DeleteA2APush, c.by, in)
	return h.refused(ctx, err)
}
