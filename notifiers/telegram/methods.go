package telegram

import (
	"context"

	"github.com/go-telegram/bot/models"
)

// sendMessage has the parameters of https://core.telegram.org/bots/api#sendmessage.
type sendMessage struct {
	Chat        int64                      `json:"chat_id"`
	Thread      int                        `json:"message_thread_id,omitempty"`
	Text        string                     `json:"text"`
	Entities    []models.MessageEntity     `json:"entities,omitempty"`
	LinkPreview *models.LinkPreviewOptions `json:"link_preview_options,omitempty"`
	Silent      bool                       `json:"disable_notification,omitempty"`
	ReplyTo     *models.ReplyParameters    `json:"reply_parameters,omitempty"`
	Buttons     models.ReplyMarkup         `json:"reply_markup,omitempty"`
}

// editMessage has the parameters of https://core.telegram.org/bots/api#editmessagetext.
type editMessage struct {
	Chat        int64                      `json:"chat_id"`
	Message     int                        `json:"message_id"`
	Text        string                     `json:"text"`
	Entities    []models.MessageEntity     `json:"entities,omitempty"`
	LinkPreview *models.LinkPreviewOptions `json:"link_preview_options,omitempty"`
	Buttons     models.ReplyMarkup         `json:"reply_markup,omitempty"`
}

// deleteMessage has the parameters of https://core.telegram.org/bots/api#deletemessage.
type deleteMessage struct {
	Chat    int64 `json:"chat_id"`
	Message int   `json:"message_id"`
}

// messageDraft has the parameters of https://core.telegram.org/bots/api#sendmessagedraft.
type messageDraft struct {
	Chat     int64                  `json:"chat_id"`
	Thread   int                    `json:"message_thread_id,omitempty"`
	Draft    int                    `json:"draft_id"`
	Text     string                 `json:"text"`
	Entities []models.MessageEntity `json:"entities,omitempty"`
}

// setReaction has the parameters of https://core.telegram.org/bots/api#setmessagereaction. An
// empty Reaction removes the current one.
type setReaction struct {
	Chat     int64                 `json:"chat_id"`
	Message  int                   `json:"message_id"`
	Reaction []models.ReactionType `json:"reaction"`
}

// chatAction has the parameters of https://core.telegram.org/bots/api#sendchataction.
type chatAction struct {
	Chat   int64             `json:"chat_id"`
	Thread int               `json:"message_thread_id,omitempty"`
	Action models.ChatAction `json:"action"`
}

func (a *account) sendMessage(ctx context.Context, p *sendMessage) (int, error) {
	var sent struct {
		ID int `json:"message_id"`
	}
	err := a.client.Call(ctx, "sendMessage", p, &sent)
	return sent.ID, err
}
