package service_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestSessionInputs proves what the operations on sessions say to an input that makes no sense, to callers
// inside the program too.
func TestSessionInputs(t *testing.T) {
	h := newHouse(t, nil)
	ctx, owner := t.Context(), as(core.MasterAdmin)
	id := api.SessionID{ID: h.session(owner.Person)}
	for want, err := range map[string]error{
		"name the person whose chat": do(ctx, h, api.ListSessions, owner, api.ListSessionsInput{Chat: "trip", Person: api.Person{Person: "*"}}),
		"a chat name must have":      do(ctx, h, api.ListSessions, owner, api.ListSessionsInput{Chat: "../trip"}),
		"words to search for":        do(ctx, h, api.SearchSessions, owner, api.SearchSessionsInput{Text: " "}),
		"markdown or json":           do(ctx, h, api.ExportSession, owner, api.ExportSessionInput{SessionID: id, Format: "pdf"}),
		"name the turn":              do(ctx, h, api.ListCalls, owner, api.ListCallsInput{SessionID: id}),
		"There are: collect,":        do(ctx, h, api.SetBusyMode, owner, api.SetBusyModeInput{ConversationKey: api.ConversationKey{Key: chatOf(owner.Person)}, Mode: "later"}),
		"name what to change:":       do(ctx, h, api.ChangeChat, owner, api.ChangeChatInput{ID: id.ID}),
	} {
		servicetest.WantRefusal(t, err, service.KindInvalid, want)
	}
}

// TestListSessions proves that sessions are listed of one chat and of one agent, whose name may be
// written in any case.
func TestListSessions(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	id := h.session(by.Person)
	for _, tt := range []struct {
		in   api.ListSessionsInput
		want int
	}{
		{api.ListSessionsInput{Chat: "main"}, 1},
		{api.ListSessionsInput{Chat: "trip"}, 0},
		{api.ListSessionsInput{Agent: "Nikki"}, 1},
		{api.ListSessionsInput{Agent: "sasha"}, 0},
		{api.ListSessionsInput{State: "ended"}, 0},
	} {
		list, err := ops.Do(t.Context(), h.Runner, api.ListSessions, by, tt.in)
		require.NoError(t, err)
		require.Len(t, list.Items, tt.want, "%+v", tt.in)
		if tt.want > 0 {
			require.Equal(t, id, list.Items[0].ID)
		}
	}
}

// TestExportSession proves that a session is a file in both formats.
func TestExportSession(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	id := h.session(by.Person)
	for format, want := range map[string][3]string{
		"":         {"session-" + string(id) + ".md", "text/markdown; charset=utf-8", "# "},
		"markdown": {"session-" + string(id) + ".md", "text/markdown; charset=utf-8", "# "},
		"json":     {"session-" + string(id) + ".json", "application/json", `{"version":`},
	} {
		f, err := ops.Do(t.Context(), h.Runner, api.ExportSession, by, api.ExportSessionInput{SessionID: api.SessionID{ID: id}, Format: format})
		require.NoError(t, err)
		raw, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, want, [3]string{f.Name, f.Type, string(raw[:len(want[2])])})
		require.EqualValues(t, len(raw), f.Size)
	}
}

// TestChangeChat proves that a change of a chat is what its input says and no more.
func TestChangeChat(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	id := h.session(by.Person)
	change := func(by actor.Actor, set func(*api.ChangeChatInput)) error {
		in := api.ChangeChatInput{ID: id}
		set(&in)
		return do(t.Context(), h, api.ChangeChat, by, in)
	}
	named := func(name string) func(*api.ChangeChatInput) {
		return func(in *api.ChangeChatInput) { in.Body.Name = &name }
	}
	chat := func() core.Chat {
		list, err := ops.Do(t.Context(), h.Runner, api.ListChats, by, api.ListChatsInput{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		return list.Items[0]
	}
	require.NoError(t, change(by, named(" night\n trains ")))
	require.Equal(t, "night trains", chat().Title)
	require.NoError(t, change(by, func(in *api.ChangeChatInput) { in.Body.Pinned = new(true) }))
	require.Equal(t, "night trains", chat().Title)
	require.True(t, chat().Pinned)
	require.NoError(t, change(by, named(strings.Repeat("é", 80))))
	servicetest.WantRefusal(t, change(by, named(strings.Repeat("é", 81))), service.KindInvalid, "80")
	require.True(t, isNotFound(change(as(core.MasterAdmin), named("mine"))))
}

// TestListCommands proves that the commands are listed in the person's language, and only those that
// their role may use.
func TestListCommands(t *testing.T) {
	var asked []string
	h := newHouse(t, func(d *service.Deps) {
		d.Commands = func(language string) []api.Command {
			asked = append(asked, language)
			return []api.Command{{Name: "/help"}, {Name: "/cancel"}}
		}
	})
	by := as(core.Guest)
	by.Language = "es"
	list, err := ops.Do(t.Context(), h.Runner, api.ListCommands, by, api.None{})
	require.NoError(t, err)
	require.Equal(t, []api.Command{{Name: "/help"}}, list)
	require.Equal(t, []string{"es"}, asked)
}
