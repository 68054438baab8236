package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// Moves stores the first and the current id of groups. When a group becomes a supergroup, it gets a
// new id, and its message ids start at 1 again. errand keeps using its first id, so that running
// sessions still find it.
type Moves interface {
	MoveChat(ctx context.Context, channel, account, from, to string) error
	ChatFirst(ctx context.Context, channel, account, chat string) (string, error)
	ChatNow(ctx context.Context, channel, account, chat string) (string, error)
}

// Chats converts the chat ids of one account. Without Moves a group with a new id is a new chat.
type Chats struct {
	Moves   Moves
	Account string
}

// First returns errand's id of a chat.
func (c Chats) First(ctx context.Context, id int64) (string, error) {
	if c.Moves == nil {
		return FormatChat(id), nil
	}
	return c.Moves.ChatFirst(ctx, Name, c.Account, FormatChat(id))
}

// Now returns the current Telegram id of a chat. It returns ErrNoChat if chat is not an id of
// Telegram's.
func (c Chats) Now(ctx context.Context, chat string) (Chat, error) {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil {
		return Chat{}, ErrNoChat
	}
	if c.Moves == nil || id > 0 { // only groups move
		return Chat{ID: id}, nil
	}
	now, err := c.Moves.ChatNow(ctx, Name, c.Account, chat)
	if err != nil || now == chat {
		return Chat{ID: id}, err
	}
	id, err = strconv.ParseInt(now, 10, 64)
	return Chat{ID: id, Moved: true}, err
}

// ErrNoChat means that a text is not the id of a chat.
var ErrNoChat = errors.New("not the id of a chat on Telegram")

// Move records that a chat has a new id.
func (c Chats) Move(ctx context.Context, from, to int64) error {
	if c.Moves == nil {
		return nil
	}
	return c.Moves.MoveChat(ctx, Name, c.Account, FormatChat(from), FormatChat(to))
}

// FormatChat formats a chat id as errand stores it.
func FormatChat(id int64) string { return strconv.FormatInt(id, 10) }

// A Chat is a chat with its current id.
type Chat struct {
	ID    int64
	Moved bool // errand uses an older id of the chat
}

// FormatMessageID returns errand's id of a message: "12", or "12@-100123" if the chat has moved, so
// that it differs from ids before the move.
func (c Chat) FormatMessageID(message int) string {
	if c.Moved {
		return strconv.Itoa(message) + "@" + FormatChat(c.ID)
	}
	return strconv.Itoa(message)
}

// ParseMessageID returns Telegram's id of a message. It is false for a message from before the chat
// moved.
func (c Chat) ParseMessageID(id string) (int, bool) {
	number, chat, moved := strings.Cut(id, "@")
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || moved != c.Moved || moved && chat != FormatChat(c.ID) {
		return 0, false
	}
	return n, true
}
