package service_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
)

type servers []string

func (s servers) Servers() (list []api.MCPServer) {
	for _, tool := range s {
		list = append(list, api.MCPServer{Name: tool, Tools: []api.MCPTool{{Name: tool, Role: core.Member}}})
	}
	return list
}

func (servers) BuiltIn() api.MCPServer {
	return api.MCPServer{Name: "errand", Tools: []api.MCPTool{{Name: "run_code"}}}
}

func (servers) Try(context.Context, string, string, json.RawMessage) (string, error) { return "", nil }

// TestMCPTools proves that a tool is shown with the role and the agents that may use it,
// by the table of rights and the roster that calls go by.
func TestMCPTools(t *testing.T) {
	h := newHouse(t, func(d *service.Deps) {
		d.Rights = api.Rights()
		for name, role := range map[string]core.Role{"github.delete_*": core.MasterAdmin, "github.read": core.Guest} {
			if err := d.Rights.Set(rights.Tool, name, role); err != nil {
				t.Fatal(err)
			}
		}
		finn, _ := d.Roster.Agent("finn")
		finn.Tools = []string{"github.*"}
		sasha, _ := d.Roster.Agent("sasha")
		sasha.Tools = []string{"web_search"}
		nikki, _ := d.Roster.Agent("nikki")
		nikki.Tools = nil
		d.MCP = servers{"github.delete_repo", "github.read", "wiki.read"}
	})
	list, err := ops.Do(t.Context(), h.Runner, api.ListMCPServers, as(core.MasterAdmin), api.ListMCPServersInput{})
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	for i, want := range []api.MCPTool{
		{Name: "github.delete_repo", Role: core.MasterAdmin, Agents: []core.AgentName{"finn"}},
		{Name: "github.read", Role: core.Member, Agents: []core.AgentName{"finn"}},
		{Name: "wiki.read", Role: core.Member, Agents: []core.AgentName{}},
	} {
		if got := list[i].Tools[0]; got.Role != want.Role || !slices.Equal(got.Agents, want.Agents) || got.Agents == nil {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	all, err := ops.Do(t.Context(), h.Runner, api.ListMCPServers, as(core.MasterAdmin), api.ListMCPServersInput{BuiltIn: true})
	if err != nil || len(all) != 4 || all[0].Name != "errand" || all[0].Tools[0].Role != h.Rights.Least(rights.Tool, "run_code") {
		t.Errorf("with errand's own tools: %+v, %v", all, err)
	}
}
