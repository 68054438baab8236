package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"errand/internal/core"
	"errand/internal/intake"
)

// inbound converts a message. It is false if the message is not for errand. On a server a message
// must mention the bot or reply to it. An edit need not, if the original message did.
func (r *run) inbound(m *discordgo.Message, update bool) (in intake.Inbound, ok bool) {
	addressed := m.GuildID == "" || r.addressed(m)
	switch {
	case m.Author == nil || m.Author.Bot || m.Author.System || m.WebhookID != "": // bots do not talk to bots
		return in, false
	case m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply: // a system message
		return in, false
	case !addressed && !update:
		return in, false
	}
	in = r.from(m.ChannelID, m.GuildID, m.Author, m.Member)
	in.Unaddressed = !addressed
	in.MessageID, in.Text, in.Sent = m.ID, r.plain(m), m.Timestamp
	in.Mentions = mentioned(m)
	if m.EditedTimestamp != nil {
		in.Revision, in.Sent = int(m.EditedTimestamp.UnixMicro()), *m.EditedTimestamp
	}
	if m.Type == discordgo.MessageTypeReply && m.MessageReference != nil {
		in.ReplyTo = m.MessageReference.MessageID
	}
	if forwarded := snapshot(m); forwarded != "" {
		in.Text, in.Forwarded = forwarded, true // Discord does not name the original author
	}
	voice := m.Flags&discordgo.MessageFlagsIsVoiceMessage != 0
	for _, a := range m.Attachments {
		in.Attachments = append(in.Attachments, r.attachment(m, a, voice))
	}
	switch {
	case len(m.StickerItems) > 0:
		in.Unreadable = intake.Sticker
	case m.Poll != nil, hasMore(m), in.Text == "" && len(m.Embeds) > 0 && len(m.Attachments) == 0:
		in.Unreadable = intake.Other
	}
	if in.Text == "" && in.Unreadable == "" && len(in.Attachments) == 0 {
		if m.GuildID == "" {
			return in, false
		}
		in.Text = "@" + r.me.Username // the message has no other text
	}
	return in, true
}

func snapshot(m *discordgo.Message) string {
	var texts []string
	for _, s := range m.MessageSnapshots {
		if s.Message != nil && strings.TrimSpace(s.Message.Content) != "" {
			texts = append(texts, strings.TrimSpace(s.Message.Content))
		}
	}
	return strings.Join(texts, "\n")
}

func hasMore(m *discordgo.Message) bool {
	return slices.ContainsFunc(m.MessageSnapshots, func(s discordgo.MessageSnapshot) bool {
		return s.Message == nil || strings.TrimSpace(s.Message.Content) == "" || len(s.Message.Attachments) > 0
	})
}

func (r *run) from(chat, guild string, by *discordgo.User, as *discordgo.Member) intake.Inbound {
	return intake.Inbound{
		Route: core.Route{Channel: Name, Account: r.Account, Chat: chat},
		// Not the username: its owner can give it up, and another person can take it.
		Sender: intake.Sender{IDs: []string{by.ID}, Name: nameOf(by, as), Bot: by.Bot},
		Group:  guild != "",
	}
}

func nameOf(u *discordgo.User, as *discordgo.Member) string {
	if as != nil && as.Nick != "" {
		return as.Nick
	}
	return cmp.Or(u.GlobalName, u.Username)
}

func (r *run) addressed(m *discordgo.Message) bool {
	to := m.ReferencedMessage
	if m.Type == discordgo.MessageTypeReply && to != nil && to.Author != nil && to.Author.ID == r.me.ID {
		return true
	}
	if !slices.ContainsFunc(m.Mentions, func(u *discordgo.User) bool { return u.ID == r.me.ID }) {
		return false
	}
	// A reply mentions the author of the original message, even if its text does not.
	return m.Type != discordgo.MessageTypeReply || to == nil || strings.Contains(m.Content, "<@"+r.me.ID+">") || strings.Contains(m.Content, "<@!"+r.me.ID+">")
}

var mentions = regexp.MustCompile(`<(@!?|@&|#|a?:[A-Za-z0-9_]{1,32}:)([0-9]{1,20})>`)

// plain removes mentions of the bot and replaces others with names.
func (r *run) plain(m *discordgo.Message) string {
	text := strings.TrimSpace(m.Content)
	for _, us := range []string{"<@" + r.me.ID + ">", "<@!" + r.me.ID + ">"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, us))
		text = strings.TrimSpace(strings.TrimSuffix(text, us))
	}
	if len(text) < len(strings.TrimSpace(m.Content)) {
		text = strings.TrimSpace(strings.TrimLeft(text, ",:;"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return mentions.ReplaceAllStringFunc(text, func(mark string) string {
		parts := mentions.FindStringSubmatch(mark)
		switch kind, id := parts[1], parts[2]; {
		case kind == "@&":
			return "@" + cmp.Or(r.roles[id], "role")
		case kind == "#":
			return "#" + cmp.Or(r.places[id].name, "channel")
		case strings.HasPrefix(kind, "@"):
			if i := slices.IndexFunc(m.Mentions, func(u *discordgo.User) bool { return u.ID == id }); i >= 0 {
				return "@" + nameOf(m.Mentions[i], nil)
			}
			return "@somebody"
		default:
			return strings.TrimPrefix(kind, "a")
		}
	})
}

func mentioned(m *discordgo.Message) []intake.Mention {
	list := make([]intake.Mention, len(m.Mentions))
	for i, u := range m.Mentions {
		list[i] = intake.Mention{ID: u.ID, Text: "@" + nameOf(u, nil)}
	}
	return list
}

func (r *run) attachment(m *discordgo.Message, a *discordgo.MessageAttachment, voice bool) intake.Attachment {
	return intake.Attachment{ID: a.ID, Name: a.Filename, Type: a.ContentType, Size: int64(a.Size), Voice: voice,
		Open: func(ctx context.Context) (io.ReadCloser, error) { return r.open(ctx, m.ChannelID, m.ID, a) }}
}

// open fetches the message again if the URL of the attachment has expired, which happens after some
// hours.
func (r *run) open(ctx context.Context, chat, message string, a *discordgo.MessageAttachment) (io.ReadCloser, error) {
	body, err := r.download(ctx, a.URL)
	if !errors.Is(err, intake.ErrGone) {
		return body, err
	}
	var m discordgo.Message
	if err := r.rest.Call(ctx, http.MethodGet, discordgo.EndpointChannelMessage(chat, message), nil, &m); err != nil {
		if HasCode(err, discordgo.ErrCodeUnknownMessage, discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions) {
			return nil, fmt.Errorf("%w: %w", intake.ErrGone, err)
		}
		return nil, err
	}
	if i := slices.IndexFunc(m.Attachments, func(now *discordgo.MessageAttachment) bool { return now.ID == a.ID }); i >= 0 {
		return r.download(ctx, m.Attachments[i].URL)
	}
	return nil, err
}

var cdn = []string{"cdn.discordapp.com", "media.discordapp.net"}

func (r *run) download(ctx context.Context, address string) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || !slices.Contains(cdn, u.Host) {
		return nil, fmt.Errorf("%w: it is not kept by Discord", intake.ErrGone)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: its address is malformed", intake.ErrGone)
	}
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		var asked *url.Error
		if errors.As(err, &asked) {
			err = asked.Err // without the URL, which grants access to the file
		}
		return nil, fmt.Errorf("fetch an attachment: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return resp.Body, nil
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		err = fmt.Errorf("%w: Discord answers %d", intake.ErrGone, resp.StatusCode)
	default:
		err = fmt.Errorf("fetch an attachment: Discord answers %d", resp.StatusCode)
	}
	resp.Body.Close()
	return nil, err
}
