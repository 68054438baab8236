package service

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
)

func (t taskViews) transcript(ctx context.Context, by actor.Actor, in api.TranscriptInput) ([]api.AgentTranscript, error) {
	task, err := t.own(ctx, by, core.TaskID(in.ID))
	if err != nil {
		return nil, err
	}
	list := make([]api.AgentTranscript, len(task.Agents))
	for i, agent := range task.Agents {
		messages, err := t.Store.Transcript(ctx, core.SubAgentOwner(task.ID, agent), 0)
		if err != nil {
			return nil, err
		}
		if messages == nil {
			messages = []core.Message{}
		}
		list[i] = api.AgentTranscript{Agent: agent, Messages: messages}
	}
	return list, nil
}
