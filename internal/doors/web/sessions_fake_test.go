package web

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// bindSessions binds the operations on sessions, chats and agents to fakes that note what they were
// asked for.
func (m *memory) bindSessions(r *ops.Runner) {
	ops.Bind(r, api.ListSessions, func(_ context.Context, by actor.Actor, in api.ListSessionsInput) (list api.List[core.Session], err error) {
		person, err := whose(by, in.Person.Person)
		if err != nil {
			return list, err
		}
		m.note("ListSessions", fmt.Sprintf("%s|%s|%s|%s|%d", person, in.Channel, in.Agent, in.State, in.Limit))
		if in.Chat != "" {
			list.Items = []core.Session{{ID: "5f", Person: person, Turns: 3, Plan: &core.Plan{Agent: "nikki", Turn: 3, Items: []core.PlanItem{{Text: "in " + in.Chat, State: core.PlanDoing}}}}}
		}
		return list, nil
	})
	ops.Bind(r, api.SearchSessions, func(_ context.Context, by actor.Actor, in api.SearchSessionsInput) ([]core.SearchHit, error) {
		person, err := whose(by, in.Person.Person)
		if err == nil {
			m.note("SearchSessions", in.Text+"|"+string(person))
		}
		return nil, err
	})
	ops.Bind(r, api.GetSession, func(_ context.Context, by actor.Actor, in api.SessionID) (core.Export, error) {
		m.note("GetSession", string(by.Person)+"|"+string(in.ID))
		return core.Export{Session: core.Session{ID: in.ID}, Messages: []core.Message{{Text: "night trains", Speaker: core.FromPerson}}}, nil
	})
	ops.Bind(r, api.ListCalls, func(_ context.Context, by actor.Actor, in api.ListCallsInput) ([]core.TurnCall, error) {
		m.note("ListCalls", fmt.Sprintf("%s|%s|%d", by.Person, in.ID, in.Turn))
		return []core.TurnCall{{Step: 1, Index: 1, Tool: "web_search", Arguments: `{"query":"trains"}`, Result: "<b>two</b>"}}, nil
	})
	ops.Bind(r, api.ExportSession, func(_ context.Context, by actor.Actor, in api.ExportSessionInput) (api.File, error) {
		m.note("ExportSession", fmt.Sprintf("%s|%s|%s", by.Person, in.ID, in.Format))
		return api.File{Reader: strings.NewReader("night trains"), Name: "session-5f.md"}, nil
	})
	ops.Bind(r, api.DeleteSession, func(_ context.Context, by actor.Actor, in api.DeleteSessionInput) (api.DeletedSession, error) {
		m.note("DeleteSession", fmt.Sprintf("%s|%s|%v", by.Person, in.ID, in.Force))
		return api.DeletedSession{Session: in.ID, Removed: map[string]int{"messages": 2}}, nil
	})
	ops.Bind(r, api.ResetChat, func(_ context.Context, by actor.Actor, in api.ResetChatInput) (api.NewSession, error) {
		m.note("ResetChat", strings.TrimSpace(string(by.Person)+"|"+in.Chat+" "+in.Body.Agent))
		return api.NewSession{Session: "s2"}, nil
	})
	ops.Bind(r, api.ChangeChat, func(_ context.Context, by actor.Actor, in api.ChangeChatInput) (api.ChangedChat, error) {
		m.note("ChangeChat", fmt.Sprintf("%s|%s|%s|%d", by.Person, in.ID, *cmp.Or(in.Body.Name, new(string)), *cmp.Or(in.Body.Seen, new(int64))))
		return api.ChangedChat{Session: in.ID}, nil
	})
	ops.Bind(r, api.ListAgents, func(_ context.Context, by actor.Actor, in api.ListAgentsInput) ([]api.Agent, error) {
		m.note("ListAgents", string(by.Person)+"|"+in.Chat)
		return []api.Agent{{Name: "nikki", Primary: true}}, nil
	})
	ops.Bind(r, api.OpenChat, func(_ context.Context, by actor.Actor, in api.OpenChatInput) (api.Opening, error) {
		m.note("OpenChat", fmt.Sprintf("%s|%s|%s", by.Person, in.Chat, in.Login))
		return api.Opening{About: api.About{WebUI: "http://127.0.0.1:8233"}}, nil
	})
	answerNothing(r, api.ListChats)
	answerNothing(r, api.ListCommands)
}
