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

	"errand"
	"errand/internal/intake"
	"errand/internal/platform/telegram"
	"errand/internal/service"
)

const mostTrips = 5

// receiveUpdate takes an update in. Without an error it need not come again.
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

// guarded does what an update asks for. One update that trips us, however often,
// must not keep all others from coming in.
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
		c.Logger.Error("an update could not be handled and is left out", "update", id, "panic", p, "stack", string(debug.Stack()))
		err = nil
	}()
	return do()
}

// updates is how many come within a second at most.
const updates = 1_000_000

// revision numbers an edit. Its time alone does not: it is in seconds, and who is
// quick edits twice in one.
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
	case text == "" && content == "": // somebody joined, a topic was made …
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
		// Its words are edited. With the picture they stand below the others would
		// be replaced by that one.
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

// place notes that we were let into a chat, or put out of it. What there is to
// tell there meanwhile is refused by Telegram, and waits for a person.
func (c *Channel) place(m *models.ChatMemberUpdated) {
	switch to := m.NewChatMember.Type; to {
	case models.ChatMemberTypeBanned, models.ChatMemberTypeLeft:
		what := "removed from a group"
		if !isGroup(m.Chat) {
			what = "blocked by a person"
		}
		c.Logger.Warn("the bot was "+what+": nothing can be told there until that is undone", "chat", m.Chat.ID)
	default:
		c.Logger.Info("our place in a chat changed", "chat", m.Chat.ID, "to", string(to))
	}
}

// receive hands a message to the receiver; false if it was not taken and never will
// be.
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
		Route: errand.Route{Channel: telegram.Channel, Account: c.Account, Chat: chat},
		// Not the username: it can be given up, and taken by somebody else.
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
		// Without the message there is no chat to tell anything to.
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
	// Whoever presses twice says it once.
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

// optionOf is the answer that a button stands for: what it carries, or, where
// that is a number, what it says.
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

// answer ends the waiting of whoever pressed a button.
func (c *Channel) answer(ctx context.Context, q *models.CallbackQuery, text string) {
	c.politely(ctx, "answerCallbackQuery", map[string]any{"callback_query_id": q.ID, "text": text})
}

const politeness = 5 * time.Second // for a call that nothing depends on

// politely calls what makes things look better, and matters no further.
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
