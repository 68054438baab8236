package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/core"
	"errand/internal/intake"

	"errand/internal/service"
)

const mostTrips = 5

// receiveUpdate returns nil if the update is done and Telegram need not deliver it again.
func (c *Channel) receiveUpdate(ctx context.Context, u *models.Update) error {
	return c.guarded(u.ID, func() error {
		switch {
		case u.Message != nil && u.Message.MediaGroupID != "":
			return c.album(ctx, []*models.Message{u.Message})
		case u.Message != nil:
			return c.message(ctx, []*models.Message{u.Message}, 0)
		case u.EditedMessage != nil:
			return c.message(ctx, []*models.Message{u.EditedMessage}, revision(u))
		case u.CallbackQuery != nil:
			return c.press(ctx, u.CallbackQuery)
		case u.MyChatMember != nil:
			c.place(u.MyChatMember)
		}
		return nil
	})
}

// guarded skips an update after repeated panics, so that later ones are received.
func (c *Channel) guarded(id int64, do func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if c.tripped != id {
			c.tripped, c.trips = id, 0
		}
		if c.trips++; c.trips < mostTrips {
			err = fmt.Errorf("update %d: panic: %v", id, p)
			return
		}
		c.Logger.Error("update skipped, because it could not be handled", "update", id, "panic", p, "stack", string(debug.Stack()))
		err = nil
	}()
	return do()
}

// updates is more than arrive in a second.
const updates = 1_000_000

// revision adds the update id, because the time of an edit has a resolution of a second.
func revision(u *models.Update) int {
	return u.EditedMessage.EditDate*updates + int(u.ID%updates)
}

func (c *Channel) message(ctx context.Context, parts []*models.Message, revision int) error {
	m := head(parts)
	if moved, err := c.noteMove(ctx, m); moved || err != nil {
		return err
	}
	text, content := textOf(m), contentOf(m)
	switch {
	case m.From == nil || m.From.IsBot || m.SenderChat != nil: // bots do not talk to bots
		return nil
	case text == "" && content == "": // a service message
		return nil
	}
	addressed := !isGroup(m.Chat) || slices.ContainsFunc(parts, c.addressed)
	if !addressed && revision == 0 {
		return nil
	}
	in, err := c.inbound(ctx, m, m.From)
	if err != nil {
		return err
	}
	in.Unaddressed = !addressed
	in.MessageID, in.Revision, in.Album = messageID(in, m, m.ID), revision, m.MediaGroupID
	in.Sent = time.Unix(int64(max(m.Date, m.EditDate)), 0)
	if revision > 0 && in.Album != "" {
		// Only the text was edited. With its picture the message would lose the other
		// pictures of the album.
		if in.Text = c.plain(text); in.Text == "" {
			return nil
		}
		_, err = c.receive(ctx, in)
		return err
	}
	c.fill(&in, parts)
	_, err = c.receive(ctx, in)
	return err
}

func (c *Channel) fill(in *intake.Inbound, parts []*models.Message) {
	var words []string
	for _, m := range parts {
		if text := textOf(m); text != "" {
			words = append(words, text)
		}
		if m.ReplyToMessage != nil && !isTopicHead(m) {
			in.ReplyTo = messageID(*in, m, m.ReplyToMessage.ID)
		}
		if m.ForwardOrigin != nil {
			in.Forwarded, in.ForwardedFrom = true, originOf(m.ForwardOrigin)
		}
		in.Mentions = append(in.Mentions, c.mentions(m)...)
		found := c.attachments(m)
		if in.Attachments = append(in.Attachments, found...); len(found) == 0 {
			in.Unreadable = contentOf(m)
		}
	}
	in.Text = c.plain(strings.Join(words, "\n"))
}

// place logs that the bot was added to or removed from a chat. After a removal Telegram rejects
// deliveries, and a person has to decide about them.
func (c *Channel) place(m *models.ChatMemberUpdated) {
	switch to := m.NewChatMember.Type; to {
	case models.ChatMemberTypeBanned, models.ChatMemberTypeLeft:
		what := "removed from a group"
		if !isGroup(m.Chat) {
			what = "blocked by a person"
		}
		c.Logger.Warn("the bot was "+what+": nothing can be told there until that is undone", "chat", m.Chat.ID)
	default:
		c.Logger.Info("bot's membership of a chat changed", "chat", m.Chat.ID, "to", string(to))
	}
}

// receive is false for a message that can never be accepted.
func (c *Channel) receive(ctx context.Context, in intake.Inbound) (bool, error) {
	out, err := c.Receiver.Receive(ctx, in)
	var no *service.Error
	if errors.As(err, &no) {
		c.Logger.Info("message refused", "chat", in.Route.Chat, "reason", no.Code)
		return false, nil
	}
	return err == nil && out.Refused == "", err
}

func (c *Channel) inbound(ctx context.Context, m *models.Message, by *models.User) (intake.Inbound, error) {
	chat, err := c.chat(ctx, m)
	in := intake.Inbound{
		Route: core.Route{Channel: Name, Account: c.Account, Chat: chat},
		// Not the username: its owner can give it up, and another person can take it.
		Sender: intake.Sender{IDs: []string{strconv.FormatInt(by.ID, 10)}, Name: strings.TrimSpace(by.FirstName + " " + by.LastName),
			Language: by.LanguageCode, Bot: by.IsBot},
		Group: isGroup(m.Chat),
	}
	if m.IsTopicMessage && m.MessageThreadID != 0 {
		in.Route.Thread = strconv.Itoa(m.MessageThreadID)
	}
	return in, err
}

func (c *Channel) press(ctx context.Context, q *models.CallbackQuery) error {
	m := q.Message.Message
	if q.From.IsBot || m == nil {
		// Without the message there is no chat to reply to.
		c.answer(ctx, q, inLanguage(c.TooOld, q.From.LanguageCode))
		return nil
	}
	in, err := c.inbound(ctx, m, &q.From)
	if err != nil {
		return err
	}
	in.Text, in.ReplyTo, in.Pressed = optionOf(m, q.Data), messageID(in, m, m.ID), true
	if strings.TrimSpace(in.Text) == "" {
		c.answer(ctx, q, "")
		return nil
	}
	// A second press has the same message id, so the inbox ignores it.
	h := fnv.New64a()
	h.Write([]byte(q.Data))
	in.MessageID = fmt.Sprintf("press-%s-%d-%x", in.ReplyTo, q.From.ID, h.Sum64())
	received, err := c.receive(ctx, in)
	if err != nil {
		return err
	}
	c.answer(ctx, q, "")
	if received && !in.Group {
		c.politely(ctx, "editMessageReplyMarkup", map[string]any{"chat_id": m.Chat.ID, "message_id": m.ID})
	}
	return nil
}

// optionOf returns the text of the button with that number, or the data itself.
func optionOf(m *models.Message, data string) string {
	if m.ReplyMarkup != nil {
		for _, row := range m.ReplyMarkup.InlineKeyboard {
			for _, b := range row {
				if b.CallbackData == data {
					return b.Text
				}
			}
		}
	}
	if strings.HasPrefix(data, "#") {
		return ""
	}
	return data
}

func (c *Channel) answer(ctx context.Context, q *models.CallbackQuery, text string) {
	c.politely(ctx, "answerCallbackQuery", map[string]any{"callback_query_id": q.ID, "text": text})
}

const politeness = 5 * time.Second // limit of calls that nothing depends on

// politely makes a call that only improves the display.
func (c *Channel) politely(ctx context.Context, method string, params any) {
	ctx, cancel := context.WithTimeout(ctx, politeness)
	defer cancel()
	if err := c.client.Call(ctx, method, params, nil); err != nil {
		c.Logger.Debug("not shown", "error", err)
	}
}

func inLanguage(texts map[string]string, language string) string {
	short, _, _ := strings.Cut(language, "-")
	return cmp.Or(texts[language], texts[short], texts[""])
}
