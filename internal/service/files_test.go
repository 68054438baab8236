package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
)

// TestFilesOfAGroup proves that the files of a conversation which several share are not
// one member's by a task that they asked for there.
func TestFilesOfAGroup(t *testing.T) {
	h := newHouse(t, nil)
	route := errand.Route{Channel: "telegram", Chat: "7"}
	key := errand.NewSessionKey(route, errand.Everyone)
	found, err := h.store.Rehydrate(t.Context(), key, "nikki")
	require.NoError(t, err)
	_, err = h.store.PutFile(t.Context(), string(key), found.Session, "partner", "plan.md", []byte("ours"))
	require.NoError(t, err)
	task, err := h.store.CreateTask(t.Context(), errand.Origin{Route: route, Person: "member", Role: errand.Member, Session: found.Session, SessionKey: key, Depth: 1},
		store.NewTask{Agents: []errand.AgentName{"trains"}, Text: "find trains"}, "")
	require.NoError(t, err)
	member := as(errand.Member)
	_, err = h.Files(t.Context(), member, string(task.ID), service.FileFilter{})
	require.Error(t, err)
	_, err = h.RemoveFile(t.Context(), member, string(task.ID), "plan.md")
	require.Error(t, err)
	_, err = h.PutFile(t.Context(), member, string(task.ID), "plan.md", []byte("mine"))
	require.Error(t, err)
	member.Here = key // they write in the chat
	list, err := h.Files(t.Context(), member, string(task.ID), service.FileFilter{})
	require.NoError(t, err)
	require.Len(t, list, 1)
}
