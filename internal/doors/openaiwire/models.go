package openaiwire

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
)

const anyAgent = "errand"

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (s *Server) agents(q *request) ([]api.Agent, error) {
	list, err := ops.Do(q.Context(), s.Runner, api.ListAgents, q.by, api.ListAgentsInput{})
	return slices.DeleteFunc(list, func(a api.Agent) bool { return !a.Primary && !a.Talks }), err
}

// models returns the agents that the caller may talk to, the primary one first.
func (s *Server) models(q *request) ([]model, error) {
	agents, err := s.agents(q)
	if err != nil {
		return nil, err
	}
	list := []model{{anyAgent, "model", 0, "errand"}}
	for _, a := range agents {
		list = append(list, model{string(a.Name), "model", 0, "errand"})
	}
	return list, nil
}

func (s *Server) getModels(q *request) error {
	list, err := s.models(q)
	if err != nil {
		return err
	}
	return q.reply(map[string]any{"object": "list", "data": list})
}

func (s *Server) getModel(q *request) error {
	list, err := s.models(q)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.ID == q.PathValue("model") {
			return q.reply(m)
		}
	}
	return noModel(q.PathValue("model"))
}

func noModel(name string) error {
	return &wireError{http.StatusNotFound, "invalid_request_error", "model_not_found", "model", "there is no model " + strconv.Quote(core.Cut(name, 40)) + "; GET /v1/models lists them"}
}

// agentOf returns "" for the primary agent.
func (s *Server) agentOf(q *request, name string) (core.AgentName, error) {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "errand/"))
	if name == anyAgent || name == "" {
		return "", nil
	}
	agents, err := s.agents(q)
	if err != nil {
		return "", err
	}
	for _, a := range agents {
		if string(a.Name) == name {
			if a.Primary {
				return "", nil
			}
			return a.Name, nil
		}
	}
	return "", noModel(name)
}
