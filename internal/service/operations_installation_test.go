package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
)

func usesOfInstallation() map[string]use {
	return map[string]use{
		"getAbout":   {own: with(api.GetAbout, api.None{})},
		"getMetrics": {own: with(api.GetMetrics, api.MetricsInput{})},
		"pause":      {own: with(api.Pause, api.None{})},
		"resume": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			if err := h.store.Pause(ctx, by.Person); err != nil {
				return err
			}
			return do(ctx, h, api.Resume, by, api.None{})
		}},
		"listCleanUps":      {own: with(api.ListCleanUps, api.ListCleanUpsInput{Limit: 1})},
		"startCleanUp":      {own: with(api.StartCleanUp, api.None{})},
		"checkModels":       {own: with(api.CheckModels, api.CheckModelsInput{})},
		"checkRemoteAgents": {own: with(api.CheckRemoteAgents, api.None{})},
		"listMCPServers":    {own: with(api.ListMCPServers, api.ListMCPServersInput{})},
		"tryMCPTool":        {own: with(api.TryMCPTool, api.TryMCPToolInput{Server: "sim", Body: api.MCPCall{Tool: "echo"}})},
		"listChannels":      {own: with(api.ListChannels, api.None{})},
		"getChannelQR":      {own: with(api.GetChannelQR, whatsapp)},
		"createChannelCode": {own: with(api.CreateChannelCode, api.CreateChannelCodeInput{Account: whatsapp})},

		"registerAgent":        {own: with(api.RegisterAgent, api.RegisterAgentInput{Name: "zed"})},
		"listRegisteredAgents": {own: with(api.ListRegisteredAgents, api.None{})},
		"nextRequest":          {own: with(api.NextRequest, api.NextRequestInput{Name: "zed"})},
		"answerRequest":        {own: with(api.AnswerRequest, api.AnswerRequestInput{Request: "t-none/zed", Text: "done"})},
	}
}

var whatsapp = api.Account{Channel: "whatsapp", Account: "main"}

// with uses an operation with one input.
func with[In, Out any](op api.Op[In, Out], in In) func(context.Context, *house, actor.Actor) error {
	return func(ctx context.Context, h *house, by actor.Actor) error { return do(ctx, h, op, by, in) }
}
