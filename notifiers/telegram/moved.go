package telegram

import (
	"context"
	"strconv"
	"strings"
)

// Moves knows what chats are called now. A group that becomes a supergroup has
// another id from then on, and counts its messages from 1 again. In errand it
// keeps its first id, so that everything that is under way finds it; its messages
// are called "12@-100123", so that none is taken for an older one.
type Moves interface {
	MoveChat(ctx context.Context, channel, account, from, to string) error
	ChatNow(ctx context.Context, channel, account, chat string) (string, error)
}

const channelName = "telegram"

// follow looks up what a chat is called now. Only groups move.
func (t *Notifier) follow(ctx context.Context, to *target) error {
	if t.moves == nil || to.chat > 0 {
		return nil
	}
	now, err := t.moves.ChatNow(ctx, channelName, to.route.Account, to.route.Chat)
	if err != nil || now == to.route.Chat {
		return err
	}
	to.moved = true
	to.chat, err = strconv.ParseInt(now, 10, 64)
	return err
}

// move notes what a chat is called now.
func (t *Notifier) move(ctx context.Context, to *target, now int64) error {
	from := strconv.FormatInt(to.chat, 10)
	to.chat, to.moved = now, true
	if t.moves == nil {
		return nil
	}
	return t.moves.MoveChat(ctx, channelName, to.route.Account, from, strconv.FormatInt(now, 10))
}

// id is what errand calls a message of the chat.
func (to *target) id(message int) string {
	if to.moved {
		return strconv.Itoa(message) + "@" + strconv.FormatInt(to.chat, 10)
	}
	return strconv.Itoa(message)
}

// messageID is what Telegram calls a message; false if it is not one of the chat
// as it is now.
func (to *target) messageID(id string) (int, bool) {
	number, chat, moved := strings.Cut(id, "@")
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || moved != to.moved || moved && chat != strconv.FormatInt(to.chat, 10) {
		return 0, false
	}
	return n, true
}
