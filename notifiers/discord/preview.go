package discord

import (
	"context"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand"
	"errand/internal/platform/discord"
	"errand/notifiers"
)

// previewEvery is how far changes of a message are apart that shows a reply while it is
// being written: Discord permits five in five seconds in a channel, and the line that shows
// how far tasks are needs some of them.
const previewEvery = 2 * time.Second

// An edit is what a message is changed into. Nobody is pinged by it.
type edit struct {
	Content    string                       `json:"content"`
	Flags      int                          `json:"flags,omitempty"`
	Pings      pings                        `json:"allowed_mentions"`
	Components []discordgo.MessageComponent `json:"components,omitempty"`
}

// PreviewStyle says how a reply is shown while it is being written: in a message with a
// nonce of its own.
func (t *Notifier) PreviewStyle(errand.Route) notifiers.PreviewStyle {
	return notifiers.PreviewStyle{Every: previewEvery, Once: sureNonce}
}

// Preview shows as much of a reply as is written and one message holds.
func (t *Notifier) Preview(ctx context.Context, n errand.Notification, id string) (string, error) {
	a, chat, err := t.target(n.Route)
	if err != nil {
		return "", err
	}
	if !a.limiter.Try(chat) {
		return "", notifiers.NotSentf(again, "others are on their way first")
	}
	n.Key = "preview:" + n.Key // its nonce is not that of the delivery
	m := compose(n)[0]
	if id == "" {
		return a.create(ctx, chat, m)
	}
	there, err := a.change(ctx, chat, id, m)
	switch {
	case err != nil:
		return id, a.explain(err)
	case !there:
		return id, notifiers.Refusedf("the message is not there any more")
	}
	return id, nil
}

// create posts a message, and returns its id. One that cannot be a reply is none.
func (a *account) create(ctx context.Context, chat string, m message) (string, error) {
	for {
		var sent struct{ ID string }
		err := a.rest.Call(ctx, http.MethodPost, discordgo.EndpointChannelMessages(chat), m, &sent)
		switch {
		case err == nil && sent.ID != "":
			return sent.ID, nil
		case err == nil:
			return "", a.explain(&discord.Error{Text: "the answer is no message"})
		case !m.simplify(err):
			return "", a.explain(err)
		}
	}
}

// RemovePreview deletes a message.
func (t *Notifier) RemovePreview(ctx context.Context, r errand.Route, id string) error {
	a, chat, err := t.target(r)
	if err != nil || !discord.IsID(id) {
		return err
	}
	if !a.limiter.TryTyping(chat) {
		return notifiers.NotSentf(again, "others are on their way first")
	}
	err = a.rest.Call(ctx, http.MethodDelete, discordgo.EndpointChannelMessage(chat, id), nil, nil)
	if err != nil && !discord.HasCode(err, discordgo.ErrCodeUnknownMessage) {
		return a.explain(err)
	}
	return nil
}

// replace puts the first part of a notification in the place of a message, when its pace
// allows; false if that is not there any more. It may be done again: what is in doubt is as
// good as not sent.
func (a *account) replace(ctx context.Context, chat, id string, m message) (bool, error) {
	for {
		if err := a.limiter.Wait(ctx, chat); err != nil {
			return false, err
		}
		there, err := a.change(ctx, chat, id, m)
		if err == nil {
			return there, nil
		}
		if m.simplify(err) {
			continue
		}
		send := a.explain(err)
		if send.Outcome == notifiers.Unknown {
			again := *send
			again.Outcome = notifiers.NotSent
			send = &again
		}
		return false, send
	}
}

// change changes a message; false if it is not there any more, or not ours to change. Its
// errors are Discord's.
func (a *account) change(ctx context.Context, chat, id string, m message) (bool, error) {
	err := a.rest.Call(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(chat, id), edit{m.Content, m.Flags, m.Pings, m.Components}, nil)
	if discord.HasCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeCannotEditFromAnotherUser) {
		return false, nil
	}
	return err == nil, err
}
