package web

import (
	"context"
	"fmt"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// bindInstallation binds the operations on errand as a whole, its models, channels and MCP servers.
func (m *memory) bindInstallation(r *ops.Runner) {
	ops.Bind(r, api.GetAbout, func(_ context.Context, by actor.Actor, _ api.None) (api.About, error) {
		about := api.About{Roles: []api.RoleName{{Role: core.Guest, Name: by.Reads}}}
		if by.IsMasterAdmin() {
			about.WebUI = "http://127.0.0.1:8233"
		}
		return about, nil
	})
	ops.Bind(r, api.GetMetrics, func(_ context.Context, _ actor.Actor, in api.MetricsInput) (api.File, error) {
		return api.File{Reader: strings.NewReader(fmt.Sprint(in.Hooks)), Type: "text/plain"}, nil
	})
	answerNothing(r, api.CheckModels)
	answerNothing(r, api.CheckRemoteAgents)
	answerNothing(r, api.ListMCPServers)
	ops.Bind(r, api.TryMCPTool, func(_ context.Context, _ actor.Actor, in api.TryMCPToolInput) (api.TriedMCPTool, error) {
		return api.TriedMCPTool{Text: fmt.Sprint(in.Server, " ", in.Body)}, nil
	})
	answerNothing(r, api.ListChannels)
	ops.Bind(r, api.GetChannelQR, func(context.Context, actor.Actor, api.Account) (api.File, error) {
		return api.File{Reader: strings.NewReader("\x89PNG")}, nil
	})
	ops.Bind(r, api.CreateChannelCode, func(_ context.Context, _ actor.Actor, in api.CreateChannelCodeInput) (api.ChannelCode, error) {
		return api.ChannelCode{Code: in.Channel + " " + in.Account.Account + " " + in.Body.Phone}, nil
	})
	answerNothing(r, api.ListCleanUps)
	ops.Bind(r, api.StartCleanUp, func(context.Context, actor.Actor, api.None) (api.StartedCleanUp, error) {
		return api.StartedCleanUp{Started: true}, nil
	})
}
