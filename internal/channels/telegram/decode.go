package telegram

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-telegram/bot/models"

	"errand/internal/channels"
)

// needed are the fields without which something would be another's, or from
// somewhere else.
var needed = []string{"update_id", "message_id", "id", "chat", "type", "from", "is_bot", "sender_chat", "is_topic_message", "message_thread_id"}

// decode reads updates, the oldest first. One that cannot be read is left out:
// asking for it again would not change it, and nothing behind it would come.
func (c *Channel) decode(list []json.RawMessage) []*models.Update {
	var updates []*models.Update
	for _, raw := range list {
		u, left, err := channels.Decode[models.Update](raw, needed...)
		if err != nil {
			c.Logger.Error("an update cannot be read and is left out", "error", err)
			continue
		}
		if len(left) > 0 {
			c.Logger.Warn("an update cannot be read as a whole", "update", u.ID, "without", left)
			keepForwarded(u, raw)
		}
		updates = append(updates, u)
	}
	slices.SortStableFunc(updates, func(a, b *models.Update) int { return cmp.Compare(a.ID, b.ID) })
	return updates
}

// keepForwarded keeps that a message was passed on, where it cannot be read from
// where: without that it would be its sender's own words.
func keepForwarded(u *models.Update, raw json.RawMessage) {
	type message struct {
		Origin json.RawMessage `json:"forward_origin"`
	}
	var of struct {
		Message message `json:"message"`
		Edited  message `json:"edited_message"`
	}
	if json.Unmarshal(raw, &of) != nil {
		return // what is left has been read: it is an object
	}
	for m, origin := range map[*models.Message]json.RawMessage{u.Message: of.Message.Origin, u.EditedMessage: of.Edited.Origin} {
		if m != nil && m.ForwardOrigin == nil && len(origin) > 0 {
			m.ForwardOrigin = &models.MessageOrigin{}
		}
	}
}
