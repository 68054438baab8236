package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/internal/markup"
)

// A message is the body of Discord's create-message call. discordgo's type has no nonce.
type message struct {
	Content    string                       `json:"content"`
	Nonce      string                       `json:"nonce,omitempty"`
	Enforce    bool                         `json:"enforce_nonce,omitempty"`
	Flags      int                          `json:"flags,omitempty"`
	Pings      pings                        `json:"allowed_mentions"`
	Reference  *reference                   `json:"message_reference,omitempty"`
	Components []discordgo.MessageComponent `json:"components,omitempty"`

	options []string // answers that the buttons offer
	file    *core.SentFile
}

// The zero value of pings notifies no user.
type pings struct {
	Parse []string `json:"parse"`
}

var nobody = pings{Parse: []string{}}

type reference struct {
	MessageID string `json:"message_id"`
	Fail      bool   `json:"fail_if_not_exists"` // false: send even if the message that it replies to is gone
}

// mark precedes a message that may have arrived before.
const mark = core.Repeating + "\n"

func (m *message) mark() {
	if utf8.RuneCountInString(mark+m.Content) <= discord.MaxMessage {
		m.Content = mark + m.Content
	}
}

func compose(n core.Notification) []message {
	if n.File != nil {
		return []message{withFile(n)}
	}
	rows, listed := buttons(n.Options)
	parts := render(n.Event, n.Text, listed)
	var messages []message
	for i, part := range parts {
		m := message{Content: part, Nonce: nonce(n.IdempotencyKey(), i), Enforce: true, Pings: nobody, Flags: int(discordgo.MessageFlagsSuppressEmbeds)}
		if i == 0 && discord.IsID(n.ReplyTo) {
			m.Reference = &reference{MessageID: n.ReplyTo}
		}
		if i == len(parts)-1 {
			m.Components, m.options = rows, n.Options
		}
		messages = append(messages, m)
	}
	return messages
}

// nonce returns at most 25 characters, Discord's limit.
func nonce(key string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s", part, key))
	return "e" + hex.EncodeToString(sum[:12])
}

// render treats agents' texts as Markdown and errand's own as plain. An empty text still becomes a
// message, because a person waits for it.
func render(event core.EventType, text string, listed []string) []string {
	var messages []markup.Message
	if event == core.EventNotice {
		messages = markup.Discord.Plain(text + list(listed, func(o string) string { return o }))
	} else {
		messages = markup.Discord.Render(text + list(listed, discord.Escape))
	}
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.Text)
	}
	if len(parts) == 0 {
		parts = []string{"…"}
	}
	return parts
}

// list adds an empty line, so that its numbers do not continue a list in the text.
func list(listed []string, as func(string) string) string {
	text := ""
	for o := range slices.Chunk(listed, 2) {
		text += "\n" + as(o[0]+o[1])
	}
	if text != "" {
		text = "\n" + text
	}
	return text
}

// Limits of https://docs.discord.com/developers/components/reference.
const (
	mostRows, mostInRow   = 5, 5
	mostLabel, mostAnswer = 80, 100 // of characters
)

// buttons puts an answer into the custom id behind "=", or its number if the answer is too long.
// listed has the long answers and those without a button, for the text.
func buttons(options []string) (rows []discordgo.MessageComponent, listed []string) {
	var all []discordgo.MessageComponent
	var seen []string
	for _, o := range options {
		o = strings.Join(strings.Fields(o), " ")
		if o == "" || slices.Contains(seen, o) {
			continue
		}
		seen = append(seen, o)
		id := "=" + o
		if n := len(seen); utf8.RuneCountInString(id) > mostAnswer || n > mostRows*mostInRow {
			id = fmt.Sprint("#", n)
			listed = append(listed, fmt.Sprintf("%d. ", n), o)
		}
		if len(all) < mostRows*mostInRow {
			all = append(all, discordgo.Button{Label: core.Cut(o, mostLabel), Style: discordgo.SecondaryButton, CustomID: id})
		}
	}
	for row := range slices.Chunk(all, mostInRow) {
		rows = append(rows, discordgo.ActionsRow{Components: row})
	}
	return rows, listed
}

// simplify removes the part that Discord rejected. It is false if it cannot.
func (m *message) simplify(err error) bool {
	var no *discord.Error
	if !errors.As(err, &no) {
		return false
	}
	blames := func(field string) bool {
		return no.Code == discordgo.ErrCodeInvalidFormBody && slices.ContainsFunc(no.Fields, func(f string) bool { return strings.HasPrefix(f, field) })
	}
	switch {
	case m.Reference != nil && (no.Code == discordgo.ErrCodeCannotReplyWithoutPermissionToReadMessageHistory || blames("message_reference")):
		m.Reference = nil
	case m.Components != nil && blames("components"):
		m.Components = nil
		all := ""
		for _, o := range m.options {
			all += "\n" + discord.Escape("- "+strings.Join(strings.Fields(o), " "))
		}
		if utf8.RuneCountInString(m.Content+all) <= discord.MaxMessage {
			m.Content += all
		}
	default:
		return false
	}
	return true
}
