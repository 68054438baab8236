package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestFilesOfAChat proves that a chat lists the files that its agents keep, only to its person, and
// none before it has begun.
func TestFilesOfAChat(t *testing.T) {
	h := newHouse(t, nil)
	ctx, member := t.Context(), as(core.Member)
	in := api.GetChatWorkInput{ChatName: api.ChatName{Chat: "main"}}
	none, err := ops.Do(ctx, h.Runner, api.GetChatWork, member, in)
	require.NoError(t, err)
	require.Equal(t, api.ChatWork{Kept: []core.File{}, Sent: []core.Artifact{}, Reminders: []core.Reminder{}}, none)

	id := h.session("member")
	_, err = h.store.PutFile(ctx, string(chatOf("member")), id, "member", "plan.md", []byte("to Bergen"))
	require.NoError(t, err)
	there, err := ops.Do(ctx, h.Runner, api.GetChatWork, member, in)
	require.NoError(t, err)
	require.Equal(t, id, there.Session)
	require.Len(t, there.Kept, 1)
	require.Equal(t, "plan.md", there.Kept[0].Path)

	others, err := ops.Do(ctx, h.Runner, api.GetChatWork, as(core.Partner), in) // their own chat with that name
	require.NoError(t, err)
	require.Empty(t, others.Kept)
}

// TestChangeReminder proves that a reminder of a chat is listed with it, and the chat in the list, that its text or its time is
// changed, by its own person only, and that what is wrong with the change leaves it as it was.
func TestChangeReminder(t *testing.T) {
	h := newHouse(t, nil)
	ctx, member := t.Context(), as(core.Member)
	var set api.CreateReminderInput
	set.Body.Chat, set.Body.When, set.Body.Text = "trip", "every monday at 8:00", "pack"
	one, err := ops.Do(ctx, h.Runner, api.CreateReminder, member, set)
	require.NoError(t, err)
	list := func(chat string) []core.Reminder {
		found, err := ops.Do(ctx, h.Runner, api.GetChatWork, member, api.GetChatWorkInput{ChatName: api.ChatName{Chat: chat}})
		require.NoError(t, err)
		return found.Reminders
	}
	require.Empty(t, list("main"))
	require.Len(t, list("trip"), 1)
	chats, err := ops.Do(ctx, h.Runner, api.ListChats, member, api.ListChatsInput{})
	require.NoError(t, err)
	require.Len(t, chats.Items, 1, "the chat is in the list, though nobody has written in it")

	change := api.ChangeReminderInput{ID: string(one.ID)}
	change.Body.Text = "pack the bags"
	require.True(t, isNotFound(do(ctx, h, api.ChangeReminder, as(core.Partner), change)))
	change.Body.When = "the day after never"
	require.Error(t, do(ctx, h, api.ChangeReminder, member, change))
	require.Equal(t, one.ID, list("trip")[0].ID)

	change.Body.When = ""
	changed, err := ops.Do(ctx, h.Runner, api.ChangeReminder, member, change)
	require.NoError(t, err)
	require.Equal(t, "pack the bags", changed.Text)
	require.Equal(t, one.Next, changed.Next)
	require.Len(t, list("trip"), 1)
	require.Error(t, do(ctx, h, api.ChangeReminder, member, change)) // the old one is over

	change.ID, change.Body.Text, change.Body.When = string(changed.ID), "", "every friday at 9:00"
	moved, err := ops.Do(ctx, h.Runner, api.ChangeReminder, member, change)
	require.NoError(t, err)
	require.Equal(t, "pack the bags", moved.Text)
	require.NotEqual(t, changed.Next, moved.Next)
	require.Len(t, list("trip"), 1)

	// A change gives a reminder no more rights than it had, and does not write into other chats.
	low, err := h.store.CreateReminder(ctx, store.Reminder{Reminder: core.Reminder{Person: member.Person, Text: "low", Next: moved.Next}, Key: chatOf(member.Person), Role: core.Guest})
	require.NoError(t, err)
	change.ID, change.Body.Text, change.Body.When = string(low.ID), "higher", ""
	changed, err = ops.Do(ctx, h.Runner, api.ChangeReminder, member, change)
	require.NoError(t, err)
	kept, err := h.store.Reminder(ctx, changed.ID)
	require.NoError(t, err)
	require.Equal(t, core.Guest, kept.Role)
	elsewhere := core.NewSessionKey(core.Route{Channel: "telegram", Account: "main", Chat: "7"}, member.Person)
	far, err := h.store.CreateReminder(ctx, store.Reminder{Reminder: core.Reminder{Person: member.Person, Text: "far", Next: moved.Next}, Key: elsewhere, Role: core.Member})
	require.NoError(t, err)
	change.ID = string(far.ID)
	servicetest.WantRefusal(t, do(ctx, h, api.ChangeReminder, member, change), service.KindConflict, "cannot write into")

	// The one that is replaced does not count.
	for n := 3; n < store.MaxReminders; n++ {
		_, err := h.store.CreateReminder(ctx, store.Reminder{Reminder: core.Reminder{Person: member.Person, Text: "more", Next: moved.Next}, Key: chatOf(member.Person), Role: core.Member})
		require.NoError(t, err)
	}
	change.ID = string(changed.ID)
	require.NoError(t, do(ctx, h, api.ChangeReminder, member, change))
}
