package web

import (
	"context"
	"fmt"

	"errand"
	"errand/internal/service"
)

// The part of the fake that knows the chats in a person's list.

func (m *memory) Chats(_ context.Context, by service.Actor, p service.Page) ([]service.Chat, error) {
	m.note("Chats", fmt.Sprintf("%s|%d", by.Person, p.Limit))
	return nil, nil
}

func (m *memory) WaitingMessages(_ context.Context, by service.Actor, route errand.Route) ([]service.WaitingMessage, error) {
	m.note("WaitingMessages", fmt.Sprintf("%s|%s", by.Person, route.Chat))
	return []service.WaitingMessage{{ID: "m1", Text: "trains"}}, nil
}

func (m *memory) EditMessage(_ context.Context, by service.Actor, route errand.Route, id, text string) error {
	m.note("EditMessage", fmt.Sprintf("%s|%s|%s|%s", by.Person, route.Chat, id, text))
	return nil
}

func (m *memory) WithdrawMessage(_ context.Context, by service.Actor, route errand.Route, id string) error {
	m.note("WithdrawMessage", fmt.Sprintf("%s|%s|%s", by.Person, route.Chat, id))
	return nil
}

func (m *memory) ChangeChat(_ context.Context, by service.Actor, id errand.SessionID, to service.ChatChange) error {
	said := fmt.Sprintf("%s|%s", by.Person, id)
	if to.Name != nil {
		said += fmt.Sprintf("|name %q", *to.Name)
	}
	if to.Pinned != nil {
		said += fmt.Sprintf("|pinned %v", *to.Pinned)
	}
	if to.Archived != nil {
		said += fmt.Sprintf("|archived %v", *to.Archived)
	}
	if to.Seen != nil {
		said += fmt.Sprintf("|seen %d", *to.Seen)
	}
	m.note("ChangeChat", said)
	return nil
}
