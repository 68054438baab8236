package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/notifiers"
)

const (
	onePage, mostPages = 100, 10
	// For sureNonce, Discord certainly remembers a nonce and shows a repeated post once.
	sureNonce  = time.Minute
	clockSlack = 3 * time.Second
)

// A postedMessage is a message read back from Discord. It may lack its nonce.
type postedMessage struct {
	ID          string              `json:"id"`
	Content     string              `json:"content"`
	Nonce       any                 `json:"nonce"`
	Author      struct{ ID string } `json:"author"`
	Attachments []struct {
		Size int64 `json:"size"`
	} `json:"attachments"`
	Reference *struct {
		MessageID string `json:"message_id"`
	} `json:"message_reference"`
}

// Delivered looks for n among the bot's last messages in the channel, by nonce and by content. If
// only the first parts are there, Notify continues after them.
func (t *Notifier) Delivered(ctx context.Context, n core.Notification) (notifiers.Receipt, bool, error) {
	route, err := t.direct(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	a, chat, err := t.target(route)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	if n.Deletes() { // deleting again is safe
		return notifiers.Receipt{}, false, nil
	}
	list, whole, err := a.ours(ctx, chat, n.Created)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	young := !n.Created.IsZero() && time.Since(n.Created) < sureNonce
	messages := compose(n)
	var ids []string
	if n.Replaces != "" && len(messages[0].Components) == 0 { // only the delivery adds buttons
		if there, err := a.startsLike(ctx, chat, n.Replaces, messages[0]); err != nil {
			return notifiers.Receipt{}, false, err
		} else if there {
			ids = append(ids, n.Replaces)
		}
	}
	for _, m := range list {
		if i := len(ids); i < len(messages) && t.is(m, messages[i], n.Key, young) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == len(messages) {
		t.done(n.Key, ids)
		return notifiers.Receipt{IDs: ids}, true, nil
	}
	if !whole {
		return notifiers.Receipt{}, false, notifiers.ErrCannotCheck
	}
	if len(ids) > 0 {
		t.note(n.Key, progress{n.Text, ids})
	}
	return notifiers.Receipt{}, false, nil
}

// startsLike compares a message that was posted before the notification existed.
func (a *account) startsLike(ctx context.Context, chat, id string, m message) (bool, error) {
	var there postedMessage
	err := a.rest.Call(ctx, http.MethodGet, discordgo.EndpointChannelMessage(chat, id), nil, &there)
	switch {
	case discord.HasCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeMissingPermissions, discordgo.ErrCodeMissingAccess):
		return false, nil
	case err != nil:
		return false, a.explain(err)
	}
	return strings.TrimSpace(there.Content) == strings.TrimSpace(m.Content), nil
}

// is compares nonces if it can, because two replies may have the same text.
func (t *Notifier) is(there postedMessage, m message, key string, young bool) bool {
	if there.Nonce == any(m.Nonce) {
		return true
	}
	t.mu.Lock()
	owner, known := t.sent[there.ID]
	t.mu.Unlock()
	switch {
	case there.Nonce != nil && there.Nonce != "", young, known && owner != key:
		return false
	case there.Reference != nil && (m.Reference == nil || there.Reference.MessageID != m.Reference.MessageID):
		return false
	}
	if !there.has(m.file) {
		return false
	}
	content := strings.TrimSpace(there.Content)
	return content == strings.TrimSpace(m.Content) || content == strings.TrimSpace(mark+m.Content)
}

// ours returns the bot's messages since a time, the oldest first. whole is false if some may be
// missing.
func (a *account) ours(ctx context.Context, chat string, since time.Time) (list []postedMessage, whole bool, err error) {
	me, err := a.me(ctx)
	if err != nil {
		return nil, false, a.explain(err)
	}
	address, before := discordgo.EndpointChannelMessages(chat)+"?limit=100", ""
	for page := 0; page < mostPages && !whole; page++ {
		var got []postedMessage
		err := a.rest.Call(ctx, http.MethodGet, address+before, nil, &got)
		if discord.HasCode(err, discordgo.ErrCodeMissingPermissions, discordgo.ErrCodeMissingAccess) {
			return nil, false, notifiers.ErrCannotCheck
		}
		if err != nil {
			return nil, false, a.explain(err)
		}
		if page == 0 && len(got) == 0 {
			return nil, true, a.empty(ctx, chat)
		}
		whole = len(got) < onePage
		// The clocks may differ. Discord's response headers show by how much.
		from := since.Add(time.Until(a.rest.Now()) - clockSlack)
		for _, m := range got {
			if at, err := discordgo.SnowflakeTimestamp(m.ID); !since.IsZero() && err == nil && at.Before(from) {
				whole = true
				break
			}
			if m.Author.ID == me {
				list = append(list, m)
			}
			before = "&before=" + m.ID
		}
	}
	slices.Reverse(list)
	return list, whole, nil
}

// empty makes sure that an empty list means an empty channel: Discord also returns an empty list
// if the bot may not read the channel's history.
func (a *account) empty(ctx context.Context, chat string) error {
	var c struct {
		Last string `json:"last_message_id"`
	}
	if err := a.rest.Call(ctx, http.MethodGet, discordgo.EndpointChannel(chat), nil, &c); err != nil {
		return a.explain(err)
	}
	if c.Last != "" {
		return notifiers.ErrCannotCheck
	}
	return nil
}

func (a *account) me(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.id != "" {
		return a.id, nil
	}
	var u discordgo.User
	if err := a.rest.Call(ctx, http.MethodGet, discordgo.EndpointUser("@me"), nil, &u); err != nil {
		return "", err
	}
	if u.ID == "" {
		return "", errors.New("the answer of Discord says not who we are")
	}
	a.id = u.ID
	return a.id, nil
}
