package discord

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand"
	"errand/internal/platform/discord"
	"errand/notifiers"
)

const (
	// onePage and mostPages are how many messages are looked through.
	onePage, mostPages = 100, 10
	// sureNonce is for how long a nonce is surely remembered: until then a message
	// that is posted again is shown once, whatever was found.
	sureNonce  = time.Minute
	clockSlack = 3 * time.Second
)

// A postedMessage is one that is read back. Discord need not tell its nonce.
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

// Delivered looks for n among our last messages in its channel, by nonce and by
// content. Where only its first parts are there, Notify goes on behind them.
func (t *Notifier) Delivered(ctx context.Context, n errand.Notification) (notifiers.Receipt, bool, error) {
	route, err := t.direct(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	a, chat, err := t.target(route)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	list, whole, err := a.ours(ctx, chat, n.Created)
	if err != nil {
		return notifiers.Receipt{}, false, err
	}
	young := !n.Created.IsZero() && time.Since(n.Created) < sureNonce
	messages := compose(n)
	var ids []string
	if n.Replaces != "" && len(messages[0].Components) == 0 { // that has buttons only when it is told
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

// startsLike reports whether a message that is older than a notification says what this begins
// with.
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

// is reports whether a message that is there is one that we sent under a key.
// Two answers may be of the same words: while the nonce decides, words do not.
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

// ours returns what we have written in a channel since a time, the oldest first;
// whole is false if there is more than can be looked through.
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
		// Our clocks may differ; Discord's answer has told by how much.
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

// empty tells a channel without messages from one whose messages we may not read:
// Discord shows none of either.
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

// me returns the id of the bot, which Discord is asked for once.
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
