package service

import (
	"context"

	"errand"
	"errand/internal/rights"
)

// An AgentTranscript is what one agent of a task has read, called and written at work on it.
type AgentTranscript struct {
	Agent    errand.AgentName `json:"agent"`
	Messages []errand.Message `json:"messages" description:"the latest 200, the oldest first; none of an agent that works in another system"`
}

// TaskTranscript returns the transcripts of the actor's own task that is meant by a prefix of
// its id: one of each of its agents.
func (s *Service) TaskTranscript(ctx context.Context, by Actor, prefix string) ([]AgentTranscript, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	t, err := s.FindTask(ctx, by, prefix, "")
	if err != nil {
		return nil, err
	}
	list := make([]AgentTranscript, len(t.Agents))
	for i, agent := range t.Agents {
		messages, err := s.Store.Transcript(ctx, errand.SubAgentOwner(t.ID, agent), 0)
		if err != nil {
			return nil, err
		}
		if messages == nil {
			messages = []errand.Message{}
		}
		list[i] = AgentTranscript{agent, messages}
	}
	return list, nil
}
