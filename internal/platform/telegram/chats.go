package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// Moves knows what chats were called first, and what they are called now. A group
// that becomes a supergroup has another id from then on, and counts its messages
// from 1 again. In errand it keeps its first id, so that everything that is under way
// finds it.
type Moves interface {
	MoveChat(ctx context.Context, channel, account, from, to string) error
	ChatFirst(ctx context.Context, channel, account, chat string) (string, error)
	ChatNow(ctx context.Context, channel, account, chat string) (string, error)
}

// Chats are the chats of one account. Without Moves a group that has moved is
// another chat.
type Chats struct {
	Moves   Moves
	Account string
}

// First is what errand calls a chat.
func (c Chats) First(ctx context.Context, id int64) (string, error) {
	if c.Moves == nil {
		return FormatChat(id), nil
	}
	return c.Moves.ChatFirst(ctx, Channel, c.Account, FormatChat(id))
}

// Now is what Telegram calls a chat of errand's. It fails with ErrNoChat where that
// is no chat on Telegram.
func (c Chats) Now(ctx context.Context, chat string) (Chat, error) {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil {
		return Chat{}, ErrNoChat
	}
	if c.Moves == nil || id > 0 { // only groups move
		return Chat{ID: id}, nil
	}
	now, err := c.Moves.ChatNow(ctx, Channel, c.Account, chat)
	if err != nil || now == chat {
		return Chat{ID: id}, err
	}
	id, err = strconv.ParseInt(now, 10, 64)
	return Chat{ID: id, Moved: true}, err
}

// ErrNoChat says that something is not the id of a chat.
var ErrNoChat = errors.New("not the id of a chat on Telegram")

// Move notes that a chat has another id.
func (c Chats) Move(ctx context.Context, from, to int64) error {
	if c.Moves == nil {
		return nil
	}
	return c.Moves.MoveChat(ctx, Channel, c.Account, FormatChat(from), FormatChat(to))
}

// FormatChat writes the id of a chat as errand keeps it.
func FormatChat(id int64) string { return strconv.FormatInt(id, 10) }

// A Chat is one by the id that Telegram knows it by now.
type Chat struct {
	ID    int64
	Moved bool // errand calls it by an id that it had before
}

// FormatMessageID is what errand calls a message of the chat: "12", or "12@-100123"
// where the chat has moved, so that none is taken for an older one.
func (c Chat) FormatMessageID(message int) string {
	if c.Moved {
		return strconv.Itoa(message) + "@" + FormatChat(c.ID)
	}
	return strconv.Itoa(message)
}

// ParseMessageID is what Telegram calls a message; false if it is not one of the
// chat as it is now.
func (c Chat) ParseMessageID(id string) (int, bool) {
	number, chat, moved := strings.Cut(id, "@")
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || moved != c.Moved || moved && chat != FormatChat(c.ID) {
		return 0, false
	}
	return n, true
}
