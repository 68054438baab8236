package service_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

var groupRoute = core.Route{Channel: "telegram", Chat: "7"}

// groupTask is a task that a person asked for in a group, whose conversation has a file. It returns
// where its files are.
func (h *house) groupTask(person core.PersonID) api.FilesOf {
	h.t.Helper()
	key := core.NewSessionKey(groupRoute, core.Everyone)
	found, err := h.store.Rehydrate(h.t.Context(), key, "nikki")
	require.NoError(h.t, err)
	_, err = h.store.PutFile(h.t.Context(), string(key), found.Session, "partner", "plan.md", []byte("ours"))
	require.NoError(h.t, err)
	task, err := h.store.CreateTask(h.t.Context(), core.Origin{Route: groupRoute, Person: person, Role: core.Member, Session: found.Session, SessionKey: key, Depth: 1},
		store.NewTask{Agents: []core.AgentName{"trains"}, Text: "find trains"}, "")
	require.NoError(h.t, err)
	return api.FilesOf{Of: string(task.ID)}
}

// TestFilesOfAGroup proves that the files of a conversation which several share are not
// one member's by a task that they asked for there.
func TestFilesOfAGroup(t *testing.T) {
	h := newHouse(t, nil)
	of := h.groupTask("member")
	plan := api.FilePath{FilesOf: of, Path: "plan.md"}
	member := as(core.Member)
	require.True(t, isForbidden(do(t.Context(), h, api.ListFiles, member, api.ListFilesInput{FilesOf: of})))
	require.True(t, isForbidden(do(t.Context(), h, api.DeleteFile, member, plan)))
	require.True(t, isForbidden(do(t.Context(), h, api.PutFile, member, api.PutFileInput{FilePath: plan, Body: api.NewUpload([]byte("mine"))})))
	member.Here = core.NewSessionKey(groupRoute, core.Everyone) // they write in the chat
	list, err := ops.Do(t.Context(), h.Runner, api.ListFiles, member, api.ListFilesInput{FilesOf: of})
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// TestFiles proves that a file is written, read in each version, listed and deleted.
func TestFiles(t *testing.T) {
	h := newHouse(t, nil)
	ctx, member := t.Context(), as(core.Member)
	plan := api.FilePath{FilesOf: api.FilesOf{Of: string(h.session("member"))}, Path: "notes/plan.md"}
	for version, text := range []string{"to Bergen", "to Oslo"} {
		done, err := ops.Do(ctx, h.Runner, api.PutFile, member, api.PutFileInput{FilePath: plan, Body: api.NewUpload([]byte(text))})
		require.NoError(t, err)
		require.Equal(t, version+1, done.Version)
	}
	for version, want := range []string{"to Oslo", "to Bergen"} {
		f, err := ops.Do(ctx, h.Runner, api.GetFile, member, api.GetFileInput{FilePath: plan, Version: version})
		require.NoError(t, err)
		data, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
		require.Equal(t, "plan.md", f.Name)
	}
	workspaces, err := ops.Do(ctx, h.Runner, api.ListWorkspaces, member, api.ListWorkspacesInput{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, 1, workspaces.Items[0].Files)
	workspaces, err = ops.Do(ctx, h.Runner, api.ListWorkspaces, member, api.ListWorkspacesInput{Limit: 1, After: api.After{After: workspaces.Next}})
	require.NoError(t, err)
	require.Empty(t, workspaces.Items)
	require.NoError(t, do(ctx, h, api.DeleteFile, member, plan))
	require.True(t, isNotFound(do(ctx, h, api.GetFile, member, api.GetFileInput{FilePath: plan})))
}
