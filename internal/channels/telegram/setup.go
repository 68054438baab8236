package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/notifiers"
)

// A Setup makes calls with a bot's token before there is a Channel. Token is required.
type Setup struct {
	Token  string
	URL    string       // default https://api.telegram.org
	Client *http.Client // default: one without a timeout
}

// A Bot is the bot that a token belongs to.
type Bot struct {
	ID       int64
	Username string
	Name     string
}

// Link returns the URL at which people can write to the bot.
func (b Bot) Link() string { return "https://t.me/" + b.Username }

// A Visitor is a person who has written to a bot.
type Visitor struct {
	Chat int64
	Name string
}

func (s Setup) client() *Client { return NewClient(s.Token, s.URL, s.Client) }

// Identify asks Telegram for the bot of the token. Its errors are for people and say what to do.
func (s Setup) Identify(ctx context.Context) (Bot, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var me models.User
	if err := s.client().Call(ctx, "getMe", nil, &me); err != nil {
		return Bot{}, s.explain(err)
	}
	if !me.IsBot || me.Username == "" {
		return Bot{}, errors.New("what answers is not Telegram: look at the address")
	}
	return Bot{ID: me.ID, Username: me.Username, Name: me.FirstName}, nil
}

// Wanted are the types of updates that errand requests. Telegram drops all others.
var Wanted = []string{models.AllowedUpdateMessage, models.AllowedUpdateEditedMessage, models.AllowedUpdateCallbackQuery, models.AllowedUpdateMyChatMember}

// ErrInUse means that another program receives the bot's messages.
var ErrInUse = errors.New("another program gets this bot's messages: a worker that runs already, or one that has to be stopped")

// Await waits for a private message to the bot and returns its sender, or the last sender if there
// are several messages. It confirms nothing, so a Channel also receives the message.
func (s Setup) Await(ctx context.Context) (Visitor, error) {
	for wait := 20; ; {
		var list []json.RawMessage
		err := s.client().Call(ctx, "getUpdates", map[string]any{"timeout": wait, "allowed_updates": Wanted}, &list)
		if err != nil {
			return Visitor{}, s.explain(err)
		}
		for i := len(list) - 1; i >= 0; i-- {
			var u models.Update
			if json.Unmarshal(list[i], &u) != nil || u.Message == nil || u.Message.From == nil || u.Message.From.IsBot || u.Message.Chat.Type != models.ChatTypePrivate {
				continue
			}
			return Visitor{Chat: u.Message.Chat.ID, Name: u.Message.From.FirstName}, nil
		}
		if len(list) > 0 { // only messages in groups, which every poll returns at once
			timer := time.NewTimer(time.Second)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
		}
		if ctx.Err() != nil {
			return Visitor{}, ctx.Err()
		}
	}
}

// Greet sends a text without formatting.
func (s Setup) Greet(ctx context.Context, chat int64, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := s.client().Call(ctx, "sendMessage", map[string]any{"chat_id": chat, "text": text}, nil); err != nil {
		return s.explain(err)
	}
	return nil
}

func (s Setup) explain(err error) error {
	var no *Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer from Telegram: %w", err)
	case !errors.As(err, &no):
		return fmt.Errorf("cannot reach Telegram: %w", err)
	case no.Code == http.StatusConflict:
		return ErrInUse
	case Explain(err, "").Kind == notifiers.FailureLoggedOut:
		return errors.New("this token is not known to Telegram: " + tokenAdvice)
	case no.Code == http.StatusForbidden:
		return fmt.Errorf("refused by Telegram: %s", no.Text)
	}
	return fmt.Errorf("answer of Telegram: %d %s", no.Code, no.Text)
}
