package web

import (
	"context"
	"fmt"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// bindWaiting binds the operations on messages that wait, which need a store.
func (m *memory) bindWaiting(r *ops.Runner) {
	ops.Bind(r, api.ListWaiting, func(_ context.Context, by actor.Actor, in api.ChatName) ([]core.WaitingMessage, error) {
		m.note("WaitingMessages", fmt.Sprintf("%s|%s", by.Person, in.Chat))
		return []core.WaitingMessage{{ID: "m1", Text: "trains"}}, nil
	})
	ops.Bind(r, api.ListTurnChanges, func(_ context.Context, by actor.Actor, in api.SentMessageID) ([]core.TurnChange, error) {
		m.note("ListTurnChanges", fmt.Sprintf("%s|%s|%s", by.Person, in.Chat, in.Message))
		return []core.TurnChange{{Tool: "remember", About: "tea"}}, nil
	})
	ops.Bind(r, api.EditMessage, func(_ context.Context, by actor.Actor, in api.EditMessageInput) (api.MessageChanged, error) {
		m.note("EditMessage", fmt.Sprintf("%s|%s|%s|%s", by.Person, in.Chat, in.Message, in.Body.Text))
		return api.MessageChanged{MessageID: in.Message}, nil
	})
	ops.Bind(r, api.WithdrawMessage, func(_ context.Context, by actor.Actor, in api.WaitingMessageID) (api.MessageChanged, error) {
		m.note("WithdrawMessage", fmt.Sprintf("%s|%s|%s", by.Person, in.Chat, in.Message))
		return api.MessageChanged{MessageID: in.Message}, nil
	})
}
