package discord

import (
	"context"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/internal/markup"
	"errand/notifiers"
)

// again is when to retry what could not be shown at once.
const again = 2 * time.Second

// ShowProgress sends a message without a push notification, and later edits it. If the message was
// deleted, it sends a new one.
func (t *Notifier) ShowProgress(ctx context.Context, r core.Route, text, id string) (string, error) {
	a, chat, err := t.target(r)
	if err != nil {
		return "", err
	}
	if !a.limiter.Try(chat) {
		return "", notifiers.NotSentf(again, "others are on their way first")
	}
	line := "…"
	if parts := markup.Discord.Plain(text); len(parts) > 0 {
		line = parts[0].Text
	}
	m := message{Content: line, Pings: nobody, Flags: int(discordgo.MessageFlagsSuppressEmbeds)}
	if discord.IsID(id) {
		err := a.rest.Call(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(chat, id), m, nil)
		if err == nil {
			return id, nil
		}
		if !discord.HasCode(err, discordgo.ErrCodeUnknownMessage) {
			return "", a.explain(err)
		}
	}
	m.Flags |= int(discordgo.MessageFlagsSuppressNotifications)
	var sent struct{ ID string }
	if err := a.rest.Call(ctx, http.MethodPost, discordgo.EndpointChannelMessages(chat), m, &sent); err != nil {
		return "", a.explain(err)
	}
	return sent.ID, nil
}

var marks = map[notifiers.Mark]string{notifiers.Seen: "👀", notifiers.Done: "✅"}

// React adds the new mark before it removes the old one, so that the message always has one.
func (t *Notifier) React(ctx context.Context, r core.Route, messageID string, mark notifiers.Mark) error {
	a, chat, err := t.target(r)
	if err != nil {
		return err
	}
	if !discord.IsID(messageID) { // an interaction: a pressed button or a slash command
		return notifiers.ErrCannotShow
	}
	if !a.limiter.TryTyping(chat) {
		return notifiers.NotSentf(again, "others are on their way first")
	}
	if sign, ok := marks[mark]; ok {
		if err := a.rest.Call(ctx, http.MethodPut, discordgo.EndpointMessageReaction(chat, messageID, sign, "@me"), nil, nil); err != nil {
			return a.explain(err)
		}
	}
	for other, sign := range marks {
		if other == mark || mark == notifiers.Seen {
			continue
		}
		err := a.rest.Call(ctx, http.MethodDelete, discordgo.EndpointMessageReaction(chat, messageID, sign, "@me"), nil, nil)
		if err != nil && !discord.HasCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeUnknownEmoji) {
			return a.explain(err)
		}
	}
	return nil
}
