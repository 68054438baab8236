package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/storetest"
	"errand/internal/tools"
	"errand/internal/tools/files"
)

// A rig is a session of Ada's in which an agent calls tools of the workspace.
type rig struct {
	t     *testing.T
	store *store.Store
	key   core.SessionKey
	id    core.SessionID
	tools []tools.Tool
	turn  int
}

func newRig(t *testing.T) *rig {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.EnsurePerson(t.Context(), "ada", "Ada", core.Partner)
	require.NoError(t, err)
	r := &rig{t: t, store: s, key: core.NewSessionKey(core.WebRoute("main"), "ada"), tools: files.Tools(s)}
	found, err := s.Rehydrate(t.Context(), r.key, "nikki")
	require.NoError(t, err)
	r.id = found.Session
	return r
}

// calls begins a turn of the session, in which nikki calls tools, and returns one call
// for each.
func (r *rig) calls(n int) []store.Call {
	r.t.Helper()
	ctx := r.t.Context()
	if r.turn > 0 {
		key := core.StepKey{Owner: core.SessionOwner(r.id), Turn: r.turn, Step: 2}
		b, err := r.store.BeginStep(ctx, store.BeginStep{Key: key, Session: r.key})
		require.NoError(r.t, err)
		_, err = r.store.CommitStep(ctx, store.CommitStep{Step: b, Text: "done"})
		require.NoError(r.t, err)
	}
	r.turn++
	_, err := r.store.Accept(ctx, store.InboxMessage{Route: core.WebRoute("main"), Person: "ada", Role: core.Member, MessageID: fmt.Sprint(r.turn), Text: "please"})
	require.NoError(r.t, err)
	key := core.StepKey{Owner: core.SessionOwner(r.id), Turn: r.turn, Step: 1}
	b, err := r.store.BeginStep(ctx, store.BeginStep{Key: key, Session: r.key, Rows: store.ClaimAll})
	require.NoError(r.t, err)
	in := store.CommitStep{Step: b}
	for i := range n {
		in.Calls = append(in.Calls, core.ToolCall{ID: fmt.Sprint(i), Name: "write_file", Arguments: "{}"})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByActivity, Tool: "write_file"})
	}
	_, err = r.store.CommitStep(ctx, in)
	require.NoError(r.t, err)
	list := make([]store.Call, n)
	for i := range list {
		list[i], err = r.store.Call(ctx, core.CallKey{StepKey: key, Index: i + 1})
		require.NoError(r.t, err)
	}
	return list
}

// run carries out one call.
func (r *rig) run(call store.Call, name string, args map[string]any) string {
	r.t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(r.t, err)
	set, err := tools.NewSet(r.tools...)
	require.NoError(r.t, err)
	tool, ok := set.Tool(name)
	require.True(r.t, ok, name)
	text, err := tool.Run(context.WithoutCancel(r.t.Context()), call, raw)
	require.NoError(r.t, err)
	return text
}

func (r *rig) put(path, content string) {
	r.t.Helper()
	_, err := r.store.PutFile(r.t.Context(), string(r.key), r.id, "ada", path, []byte(content))
	require.NoError(r.t, err)
}
