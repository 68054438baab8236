package service_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestWaitingInChats proves that the list of chats counts the open questions that the caller can
// answer, and no questions for other people.
func TestWaitingInChats(t *testing.T) {
	h := newHouse(t, nil)
	h.asked(h.taskIn(chatOf("member")), false)
	h.asked(h.taskIn(chatOf("member")), false)
	h.session("partner")
	for person, n := range map[core.Role]int{core.Member: 2, core.Partner: 0} {
		list, err := ops.Do(t.Context(), h.Runner, api.ListChats, as(person), api.ListChatsInput{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		require.Equal(t, n, list.Items[0].Waiting, person)
	}
}

// TestStoppedInTheirLanguage proves that the notice of a stopped turn is in the reader's language: in
// the log, in the stream and when the page opens a chat.
func TestStoppedInTheirLanguage(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(core.Member)
	_, err := h.store.Accept(ctx, store.InboxMessage{Route: core.WebRoute("main"), Person: by.Person, Role: by.Role, MessageID: "m1", Text: "hello"})
	require.NoError(t, err)
	step := core.StepKey{Owner: core.SessionOwner(h.session(by.Person)), Turn: 1, Step: 1}
	_, err = h.store.BeginStep(ctx, store.BeginStep{Key: step, Session: chatOf(by.Person), Window: 40, Rows: store.ClaimAll})
	require.NoError(t, err)
	out, err := h.store.StopTurn(ctx, chatOf(by.Person), "")
	require.NoError(t, err)
	require.True(t, out.Any)

	stopped := func(list []core.Event) (text string) {
		for _, e := range list {
			if e.Type == core.EventNotice {
				text += e.Text
			}
		}
		return text
	}
	in := api.EventsInput{ChatName: api.ChatName{Chat: "main"}, Limit: 9}
	for language, text := range map[string]string{"": store.TurnStopped, "es": "Se detuvo la respuesta."} {
		by.Language = language
		list, err := ops.Do(ctx, h.Runner, api.ListEvents, by, in)
		require.NoError(t, err)
		require.Equal(t, text, stopped(list))
		in.Before = "1000"
		list, err = ops.Do(ctx, h.Runner, api.ListEvents, by, in)
		require.NoError(t, err)
		require.Equal(t, text, stopped(list))
		in.Before = ""
		opened, err := ops.Do(ctx, h.Runner, api.OpenChat, by, api.OpenChatInput{ChatName: in.ChatName})
		require.NoError(t, err)
		require.Equal(t, text, stopped(opened.Events))
		seen := errors.New("seen")
		err = servicetest.Stream(ctx, h.Runner, api.GetEvents, by, in, func() {}, func(e core.Event) error {
			if e.Type != core.EventNotice {
				return nil
			}
			require.Equal(t, text, e.Text)
			return seen
		})
		require.ErrorIs(t, err, seen)
	}
}
