package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"
)

// A Setup is what is done with a bot's token before there is a Channel. Token is
// required.
type Setup struct {
	Token  string
	URL    string       // default https://api.telegram.org
	Client *http.Client // default: the standard one
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

func (s Setup) api() api {
	return api{strings.TrimRight(cmp.Or(s.URL, "https://api.telegram.org"), "/"), s.Token, cmp.Or(s.Client, &http.Client{})}
}

// Identify asks Telegram whose the token is. Its errors are for people, and say
// what to do.
func (s Setup) Identify(ctx context.Context) (Bot, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var me models.User
	if err := s.api().call(ctx, "getMe", nil, &me); err != nil {
		return Bot{}, s.explain(err)
	}
	if !me.IsBot || me.Username == "" {
		return Bot{}, errors.New("what answers is not Telegram: look at the address")
	}
	return Bot{ID: me.ID, Username: me.Username, Name: me.FirstName}, nil
}

// ErrTaken is that messages of a bot go to another program already.
var ErrTaken = errors.New("another program gets this bot's messages: a worker that runs already, or one that has to be stopped")

// Await waits until somebody writes to the bot in private, and returns who did so
// last. Nothing is confirmed: a Channel gets the message too.
func (s Setup) Await(ctx context.Context) (Visitor, error) {
	for wait := 20; ; {
		var list []json.RawMessage
		err := s.api().call(ctx, "getUpdates", map[string]any{"timeout": wait, "allowed_updates": wanted}, &list)
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
	if err := s.api().call(ctx, "sendMessage", map[string]any{"chat_id": chat, "text": text}, nil); err != nil {
		return s.explain(err)
	}
	return nil
}

// explain says what a person can do about err.
func (s Setup) explain(err error) error {
	var no *apiError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer from Telegram: %w", err)
	case !errors.As(err, &no):
		return fmt.Errorf("cannot reach Telegram: %w", err)
	case no.code == http.StatusConflict:
		return ErrTaken
	case no.code == http.StatusUnauthorized || no.code == http.StatusNotFound:
		return errors.New("this token is not known to Telegram: it is mistyped, or was revoked. Ask @BotFather for it with /token")
	case no.code == http.StatusForbidden:
		return fmt.Errorf("refused by Telegram: %s", no.text)
	}
	return fmt.Errorf("answer of Telegram: %d %s", no.code, no.text)
}
