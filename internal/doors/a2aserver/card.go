package a2aserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// CardPath is the path of the house's card. An agent's own card is at CardPath below the agent's
// path.
const CardPath = a2asrv.WellKnownAgentCardPath

// ServeCard answers with the card of the house, or of the agent in the path. With a token the card
// describes the agents. Without one it only says how to call, even for an agent that does not
// exist.
func (s *Server) ServeCard(_ context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
	c := call{by: by, agent: House, base: r.URL.Scheme + "://" + r.URL.Host}
	if rest, ok := strings.CutPrefix(r.URL.Path, Path); ok {
		c.agent = strings.ToLower(strings.TrimSuffix(rest, CardPath))
	}
	card, err := s.card(r.Context(), c)
	if err != nil {
		status, fault := http.StatusNotFound, (*a2a.Error)(nil)
		if errors.As(s.refused(r.Context(), err), &fault) && fault.Err == a2a.ErrInternalError {
			status = http.StatusInternalServerError
		}
		s.refuse(w, false, status, nil, fault)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*") // a page of another site has no token
	_ = json.NewEncoder(w).Encode(card)                // fails only if the client is gone
}

func (h *handler) GetExtendedAgentCard(ctx context.Context, _ *a2a.GetExtendedAgentCardRequest) (*a2a.AgentCard, error) {
	card, err := h.card(ctx, callOf(ctx))
	return card, h.refused(ctx, err)
}

const securityName = "token"

func (s *Server) card(ctx context.Context, c call) (*a2a.AgentCard, error) {
	at := c.base + Path + c.agent
	card := &a2a.AgentCard{
		Name: c.agent, Description: "An agent that works on tasks in the background, also for days and over restarts.", Version: s.Version,
		SupportedInterfaces: []*a2a.AgentInterface{
			{URL: at, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: a2a.Version},
			{URL: at, ProtocolBinding: a2a.TransportProtocolHTTPJSON, ProtocolVersion: a2a.Version},
		},
		Capabilities:      a2a.AgentCapabilities{Streaming: true, PushNotifications: true, ExtendedAgentCard: true},
		DefaultInputModes: []string{"text/plain", "application/json"}, DefaultOutputModes: []string{"text/plain", "application/json"},
		SecuritySchemes: a2a.NamedSecuritySchemes{securityName: a2a.HTTPAuthSecurityScheme{Scheme: "Bearer",
			Description: "a token that a person makes for their program: errand tokens, or the page"}},
		SecurityRequirements: a2a.SecurityRequirementsOptions{{securityName: {}}},
		Skills:               []a2a.AgentSkill{skill("delegate", "Work on a task", "Works on what it is told, and may delegate parts of it.")},
	}
	if card.Version == "" {
		card.Version = "dev"
	}
	if c.by.Person == "" {
		return card, nil
	}
	list, err := ops.Do(ctx, s.Runner, api.ListAgents, c.by, api.ListAgentsInput{})
	if err != nil {
		return nil, err
	}
	if c.agent == House {
		card.Description = "The leading agent works on the task or delegates it. Each agent has a card of its own below " + c.base + Path + "."
		card.Skills = nil
		for _, a := range list {
			card.Skills = append(card.Skills, skill(string(a.Name), a.Name.Display(), a.Description))
		}
		return card, nil
	}
	for _, a := range list {
		if string(a.Name) == c.agent {
			card.Name, card.Description = a.Name.Display(), a.Description
			card.Skills = []a2a.AgentSkill{skill(string(a.Name), a.Name.Display(), a.Description)}
			return card, nil
		}
	}
	return nil, a2a.NewError(a2a.ErrInvalidRequest, "there is no agent "+core.Cut(c.agent, 40)+" here")
}

func skill(id, name, description string) a2a.AgentSkill {
	return a2a.AgentSkill{ID: id, Name: name, Description: description, Tags: []string{"task"}}
}
