package discord

import (
	"context"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/notifiers"
)

// previewEvery leaves capacity for progress messages: Discord permits five changes in five seconds
// per channel.
const previewEvery = 2 * time.Second

// An edit is the body of Discord's edit-message call.
type edit struct {
	Content    string                       `json:"content"`
	Flags      int                          `json:"flags,omitempty"`
	Pings      pings                        `json:"allowed_mentions"`
	Components []discordgo.MessageComponent `json:"components,omitempty"`
}

// PreviewStyle returns how often a preview may change.
func (t *Notifier) PreviewStyle(core.Route) notifiers.PreviewStyle {
	return notifiers.PreviewStyle{Every: previewEvery}
}

// Preview shows the unfinished reply, as far as it fits into one message.
func (t *Notifier) Preview(ctx context.Context, n core.Notification, id string) (string, error) {
	a, chat, err := t.target(n.Route)
	if err != nil {
		return "", err
	}
	if !a.limiter.Try(chat) {
		return "", notifiers.NotSentf(again, "others are on their way first")
	}
	n.Key = "preview:" + n.Key // a nonce other than the delivery's
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

// create posts a message and returns its id. It repeats a post with an unknown outcome, because
// Discord shows the nonce only once.
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
			return "", a.explain(err).Repeatable()
		}
	}
}

func (a *account) remove(ctx context.Context, chat, id string) error {
	if err := a.limiter.Wait(ctx, chat); err != nil {
		return err
	}
	err := a.rest.Call(ctx, http.MethodDelete, discordgo.EndpointChannelMessage(chat, id), nil, nil)
	if err == nil {
		return nil
	}
	if send := a.explain(err).Repeatable(); send.Outcome != notifiers.Refused {
		return send
	}
	return nil
}

// replace edits a message. It is false if the message is gone. It repeats edits with an unknown
// outcome.
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
		return false, a.explain(err).Repeatable()
	}
}

// change is false if the message is gone or from another author. It returns Discord's errors as
// they are.
func (a *account) change(ctx context.Context, chat, id string, m message) (bool, error) {
	err := a.rest.Call(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(chat, id), edit{m.Content, m.Flags, m.Pings, m.Components}, nil)
	if discord.HasCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeCannotEditFromAnotherUser) {
		return false, nil
	}
	return err == nil, err
}
