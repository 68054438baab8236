package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/platform"
)

// A Setup is what is done with a bot's token before there is a Channel. Token is
// required.
type Setup struct {
	Token  string
	URL    string       // default https://api.telegram.org
	Client *http.Client // default: one that waits for as long as the context allows
}

// A Bot is whose a token is.
type Bot struct {
	ID       int64
	Username string
	Name     string
}

// Link is where people find the bot.
func (b Bot) Link() string { return "https://t.me/" + b.Username }

// A Visitor is somebody who has written to a bot.
type Visitor struct {
	Chat int64
	Name string
}

func (s Setup) client() *Client { return NewClient(s.Token, s.URL, s.Client) }

// Identify asks Telegram whose the token is. Its errors are for people, and say
// what to do.
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

// Wanted are the updates that are asked for, and that Telegram keeps from then on.
// What else there is would only be thrown away.
var Wanted = []string{models.AllowedUpdateMessage, models.AllowedUpdateEditedMessage, models.AllowedUpdateCallbackQuery, models.AllowedUpdateMyChatMember}

// ErrInUse is that messages of a bot go to another program already.
var ErrInUse = errors.New("another program gets this bot's messages: a worker that runs already, or one that has to be stopped")

// Await waits until somebody writes to the bot in private, and returns who did so
// last. Nothing is confirmed: a Channel gets the message too.
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
		if len(list) > 0 { // of groups: they are there at once, each time
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

// Greet sends a text, as it is.
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
	case Explain(err, "").Kind == platform.LoggedOut:
		return errors.New("this token is not known to Telegram: " + tokenAdvice)
	case no.Code == http.StatusForbidden:
		return fmt.Errorf("refused by Telegram: %s", no.Text)
	}
	return fmt.Errorf("answer of Telegram: %d %s", no.Code, no.Text)
}
