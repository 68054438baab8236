package a2aserver

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand"
	"errand/internal/service"
)

// Push returns the body that tells a receiver how a task is now, and the headers that its
// configuration asks for.
func (s *Server) Push(ctx context.Context, p service.A2APush, t errand.Task) ([]byte, http.Header, error) {
	by, err := s.Backend.ActorOf(ctx, t.Origin.Person)
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
		// The specification says one, and some of its modules the other.
		h.Set("X-A2A-Notification-Token", p.Token)
		h.Set("A2A-Notification-Token", p.Token)
	}
	if p.Credentials != "" {
		h.Set("Authorization", p.Scheme+" "+p.Credentials)
	}
	body, err := json.Marshal(a2a.StreamResponse{Event: task})
	return body, h, err
}

func pushOf(c call, p *a2a.PushConfig) service.A2APush {
	out := service.A2APush{Task: errand.TaskID(p.TaskID), ID: p.ID, Base: c.base, URL: p.URL, Token: p.Token}
	if p.Auth != nil {
		out.Scheme, out.Credentials = p.Auth.Scheme, p.Auth.Credentials
	}
	return out
}

// configOf is one on the wire, without its credentials: whoever set it knows them.
func configOf(p service.A2APush) *a2a.PushConfig {
	out := &a2a.PushConfig{TaskID: a2a.TaskID(p.Task), ID: p.ID, URL: p.URL, Token: p.Token}
	if p.Scheme != "" {
		out.Auth = &a2a.PushAuthInfo{Scheme: p.Scheme}
	}
	return out
}

// CreateTaskPushConfig is as of a [a2asrv.RequestHandler].
func (h *handler) CreateTaskPushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return nil, err
	}
	p, err := h.Backend.SetA2APush(ctx, c.by, pushOf(c, req))
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	return configOf(p), nil
}

// GetTaskPushConfig is as of a [a2asrv.RequestHandler].
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
	return nil, a2a.NewError(a2a.ErrTaskNotFound, "task "+errand.Cut(string(req.TaskID), 40)+" has no such push notification config")
}

// ListTaskPushConfigs is as of a [a2asrv.RequestHandler]. There are so few that they are one
// page.
func (h *handler) ListTaskPushConfigs(ctx context.Context, req *a2a.ListTaskPushConfigRequest) (*a2a.ListTaskPushConfigResponse, error) {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return nil, err
	}
	list, err := h.Backend.A2APushes(ctx, c.by, errand.TaskID(req.TaskID))
	if err != nil {
		return nil, h.refused(ctx, err)
	}
	out := &a2a.ListTaskPushConfigResponse{Configs: []*a2a.PushConfig{}}
	for _, p := range list {
		out.Configs = append(out.Configs, configOf(p))
	}
	return out, nil
}

// DeleteTaskPushConfig is as of a [a2asrv.RequestHandler].
func (h *handler) DeleteTaskPushConfig(ctx context.Context, req *a2a.DeleteTaskPushConfigRequest) error {
	c := callOf(ctx)
	if _, err := h.find(ctx, c, req.TaskID); err != nil {
		return err
	}
	return h.refused(ctx, h.Backend.DeleteA2APush(ctx, c.by, errand.TaskID(req.TaskID), req.ID))
}
