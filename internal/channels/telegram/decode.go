package telegram

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-telegram/bot/models"

	"errand/internal/channels"
)

// Without one of the needed fields a message could appear to have another sender or chat.
var needed = []string{"update_id", "message_id", "id", "chat", "type", "from", "is_bot", "sender_chat", "is_topic_message", "message_thread_id"}

// decode skips an update that cannot be decoded, because it would block all later ones.
func (c *Channel) decode(list []json.RawMessage) []*models.Update {
	var updates []*models.Update
	for _, raw := range list {
		u, left, err := channels.Decode[models.Update](raw, needed...)
		if err != nil {
			c.Logger.Error("update skipped, because it cannot be read", "error", err)
			continue
		}
		if len(left) > 0 {
			c.Logger.Warn("update read only in part", "update", u.ID, "without", left)
			keepForwarded(u, raw)
		}
		updates = append(updates, u)
	}
	slices.SortStableFunc(updates, func(a, b *models.Update) int { return cmp.Compare(a.ID, b.ID) })
	return updates
}

// keepForwarded marks a message as forwarded if Decode dropped its origin. Otherwise the text would
// count as the sender's own.
func keepForwarded(u *models.Update, raw json.RawMessage) {
	type message struct {
		Origin json.RawMessage `json:"forward_origin"`
	}
	var of struct {
		Message message `json:"message"`
		Edited  message `json:"edited_message"`
	}
	if json.Unmarshal(raw, &of) != nil {
		return // cannot fail: Decode has read it as an object
	}
	for m, origin := range map[*models.Message]json.RawMessage{u.Message: of.Message.Origin, u.EditedMessage: of.Edited.Origin} {
		if m != nil && m.ForwardOrigin == nil && len(origin) > 0 {
			m.ForwardOrigin = &models.MessageOrigin{}
		}
	}
}
