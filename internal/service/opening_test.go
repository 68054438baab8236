package service_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
)

// TestOpenChat proves that one answer has what a page reads of a chat, and leaves out what the caller
// may not read alone.
func TestOpenChat(t *testing.T) {
	parts := map[string]struct{ has, without, capability string }{
		"me":        {`"id":"member"`, `"id":""`, rights.SelfRead},
		"about":     {`"version":"v1"`, `"version":""`, rights.InstallationRead},
		"agents":    {`"active":true`, `[]`, rights.AgentsRead},
		"chats":     {`"title":"find trains"`, `[]`, rights.SessionsRead},
		"waiting":   {`"state":"open"`, `[]`, rights.QuestionsRead},
		"questions": {`"state":"open"`, `[]`, rights.QuestionsRead},
		"session":   {`"title":"find trains"`, ``, rights.SessionsRead},
		"events":    {`"text":"find trains"`, ``, ""},
	}
	for _, part := range parts {
		table := api.Rights()
		if part.capability != "" {
			require.NoError(t, table.Set(rights.Capability, part.capability, core.MasterAdmin))
		}
		h := newHouse(t, func(d *service.Deps) { d.Rights, d.About = table, api.About{Version: "v1"} })
		h.asksInChat("find trains")
		out, err := ops.Do(t.Context(), h.Runner, api.OpenChat, as(core.Member), api.OpenChatInput{ChatName: api.ChatName{Chat: "main"}})
		require.NoError(t, err)
		raw, err := json.Marshal(out)
		require.NoError(t, err)
		var got map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &got))
		for name, want := range parts {
			if want.capability == part.capability && part.capability != "" {
				require.Contains(t, string(got[name]), want.without, "%s without %s", name, part.capability)
				require.NotContains(t, string(got[name]), want.has)
			} else {
				require.Contains(t, string(got[name]), want.has, "%s without %s", name, part.capability)
			}
		}
	}
	h := newHouse(t, nil)
	err := do(t.Context(), h, api.OpenChat, as(core.Member), api.OpenChatInput{ChatName: api.ChatName{Chat: "../main"}})
	require.Error(t, err)
}

// asksInChat has the member write a message, and an agent ask for an approval.
func (h *house) asksInChat(text string) {
	h.t.Helper()
	id := h.session("member")
	_, err := h.store.Accept(h.t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: "member", Role: core.Member, MessageID: "m1", Text: text})
	require.NoError(h.t, err)
	h.askedIn(store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(id), Turn: 1, Step: 1}, Session: chatOf("member"), Window: 40, Rows: store.ClaimAll}, true)
}
