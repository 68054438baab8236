package telegram

import (
	"context"
	"strconv"

	"github.com/go-telegram/bot/models"

	"errand/internal/gateway"
)

// Moves knows what chats were called first. A group that becomes a supergroup has
// another id from then on, and counts its messages from 1 again. In errand it
// keeps its first id; its messages are called "12@-100123", so that none is taken
// for an older one.
type Moves interface {
	MoveChat(ctx context.Context, channel, account, from, to string) error
	ChatFirst(ctx context.Context, channel, account, chat string) (string, error)
}

// moved notes that a group has moved, as Telegram says in the old chat and in the
// new one; false if m says nothing of it.
func (c *Channel) moved(ctx context.Context, m *models.Message) (bool, error) {
	from, to := m.Chat.ID, m.MigrateToChatID
	if m.MigrateFromChatID != 0 {
		from, to = m.MigrateFromChatID, m.Chat.ID
	}
	if to == 0 || c.Moves == nil {
		return to != 0, nil
	}
	c.Logger.Info("a group has another id", "chat", from, "to_chat", to)
	return true, c.Moves.MoveChat(ctx, channelName, c.Account, number(from), number(to))
}

// chat is what errand calls the chat of a message. Only supergroups were called
// something else before.
func (c *Channel) chat(ctx context.Context, m *models.Message) (string, error) {
	id := number(m.Chat.ID)
	if c.Moves == nil || m.Chat.Type != models.ChatTypeSupergroup {
		return id, nil
	}
	return c.Moves.ChatFirst(ctx, channelName, c.Account, id)
}

// messageID is what errand calls a message of the chat that in comes from.
func messageID(in gateway.Arrival, m *models.Message, id int) string {
	if now := number(m.Chat.ID); in.Route.Chat != now {
		return strconv.Itoa(id) + "@" + now
	}
	return strconv.Itoa(id)
}

func number(id int64) string { return strconv.FormatInt(id, 10) }
