package telegram

import (
	"context"

	"github.com/go-telegram/bot/models"

	"errand/internal/intake"
)

// noteMove handles both service messages of a move: in the old group and in the new one.
func (c *Channel) noteMove(ctx context.Context, m *models.Message) (bool, error) {
	from, to := m.Chat.ID, m.MigrateToChatID
	if m.MigrateFromChatID != 0 {
		from, to = m.MigrateFromChatID, m.Chat.ID
	}
	if to == 0 || c.Moves == nil {
		return to != 0, nil
	}
	c.Logger.Info("group has a new id", "chat", from, "to_chat", to)
	return true, c.chats.Move(ctx, from, to)
}

// chat returns errand's id of the chat. Only supergroups may have had another id before.
func (c *Channel) chat(ctx context.Context, m *models.Message) (string, error) {
	if m.Chat.Type != models.ChatTypeSupergroup {
		return FormatChat(m.Chat.ID), nil
	}
	return c.chats.First(ctx, m.Chat.ID)
}

func messageID(in intake.Inbound, m *models.Message, id int) string {
	return Chat{ID: m.Chat.ID, Moved: in.Route.Chat != FormatChat(m.Chat.ID)}.FormatMessageID(id)
}
