package gateway

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"errand"
	"errand/store"
)

// An Inbound is a message as a channel received it. Nothing in it is trusted.
type Inbound struct {
	Route     errand.Route
	Person    errand.PersonID
	Role      errand.Role // at most; empty: the person's
	Group     bool        // the chat has more people than this one
	MessageID string      // the platform's; drawn when empty
	Revision  int
	ReplyTo   string
	Text      string
	// Attachments are what it came with. Of those that are not taken tell says
	// so, once for the message.
	Attachments []Attachment

	language string // of the platform's client
	tell     func(context.Context, string) error
}

// An Accepted is a message that will be answered, whatever happens now.
type Accepted struct {
	Key       errand.SessionKey
	MessageID string
	Duplicate bool
	// Answer is set for a command, which no agent sees.
	Answer string
	// Empty says that nothing of the message could be taken. Its sender was told.
	Empty bool
}

// Accept checks a message, commits it to the inbox and signals its session.
// When it returns without error the message is durably accepted: a signal that
// is lost is made up for by the watchdog.
func (g *Gateway) Accept(ctx context.Context, in Inbound) (Accepted, error) {
	text, err := g.clean(in.Text)
	if err != nil && !(isEmpty(err) && len(in.Attachments) > 0) {
		return Accepted{}, err
	}
	if in.MessageID == "" {
		in.MessageID = uuid.NewString()
	}
	if len(in.MessageID) > 200 || !utf8.ValidString(in.MessageID) || strings.ContainsFunc(in.MessageID, isControl) {
		return Accepted{}, badRequest("message_id", "the message id must be at most 200 bytes of printable text")
	}
	by, err := g.actor(ctx, in)
	if err != nil {
		return Accepted{}, err
	}
	in.Role = by.Role
	if err := g.inTime(in, text); err != nil {
		return Accepted{}, err
	}
	message := store.InboxMessage{
		Route: in.Route, Person: in.Person, Shared: in.Group && g.shares(in.Route), Role: in.Role,
		MessageID: in.MessageID, Revision: in.Revision, ReplyTo: in.ReplyTo, Text: forAgent(text),
	}
	out := Accepted{Key: message.Session(), MessageID: in.MessageID}
	if errand.IsCommand(text) {
		out.Answer, err = g.command(ctx, in, out.Key, text)
		return out, err
	}
	if out.Empty, err = g.bring(ctx, in, by, &message); err != nil || out.Empty {
		return out, err
	}
	g.Probe("before inbox")
	row, err := g.Store.Accept(ctx, message)
	if err != nil {
		return Accepted{}, err
	}
	g.Probe("after inbox")
	out.Duplicate = row.Duplicate
	if row.Duplicate {
		g.Logger.Info("message seen before", "channel", in.Route.Channel, "chat", in.Route.Chat)
	} else {
		g.Logger.Info("message accepted", "channel", in.Route.Channel, "chat", in.Route.Chat, "bytes", len(text))
	}
	// Signalled for a duplicate too: the first time may have died in between.
	if err := g.WakeSession(ctx, out.Key, row.ID); err != nil {
		g.Logger.Warn("session not signalled; the watchdog will", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
	}
	g.Probe("after signal")
	return out, nil
}

// bring makes what a message came with a part of it; empty if there is nothing to
// it then. What the inbox has already is not fetched again.
func (g *Gateway) bring(ctx context.Context, in Inbound, by Actor, m *store.InboxMessage) (empty bool, err error) {
	if len(in.Attachments) == 0 {
		return false, nil
	}
	if has, err := g.Store.Has(ctx, *m); err != nil || has {
		return false, err
	}
	got, err := g.fetch(ctx, in, g.Texts.For(by.Language, in.language, g.Language))
	if err != nil {
		return false, err
	}
	if len(got.told) > 0 && in.tell != nil {
		// Before the message is in the inbox: after it, nobody would come back to it.
		if err := in.tell(ctx, strings.Join(got.told, "\n")); err != nil {
			return false, err
		}
	}
	m.Attached, m.Note = got.kept, strings.Join(got.note, "\n")
	return m.Text == "" && len(got.kept) == 0 && len(got.note) == len(got.told), nil
}

// shares reports whether the people of a group chat share one session.
func (g *Gateway) shares(r errand.Route) bool {
	return g.Shared != nil && g.Shared(r)
}

// clean refuses what cannot be a message and takes out what nobody can see.
func (g *Gateway) clean(text string) (string, error) {
	if len(text) > g.MessageBytes {
		return "", &Error{http.StatusRequestEntityTooLarge, "too_large",
			"the message is too long: at most " + bytesText(g.MessageBytes) + "; send it in parts, or as a file the agent can fetch"}
	}
	if !utf8.ValidString(text) {
		return "", badRequest("not_utf8", "the message is not valid UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		if isControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	if text = strings.TrimSpace(text); text == "" {
		return "", badRequest(emptyCode, "the message is empty")
	}
	return text, nil
}

// emptyCode is of the [*Error] that a message has no text.
const emptyCode = "empty"

func isEmpty(err error) bool {
	var no *Error
	return errors.As(err, &no) && no.Code == emptyCode
}

// isControl holds for characters that steer terminals and text direction
// instead of showing something.
func isControl(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

func bytesText(n int) string {
	if n%1024 == 0 {
		return strconv.Itoa(n/1024) + " kB"
	}
	return strconv.Itoa(n) + " bytes"
}

var chatName = regexp.MustCompile(`^[\pL\pN][\pL\pN ._@+-]{0,63}$`)

// WebRoute is the route of the chat called name on the page, the terminal and
// the API, if that can be a name.
func WebRoute(name string) (errand.Route, error) {
	if !chatName.MatchString(name) {
		return errand.Route{}, badRequest("chat", "the name of a chat has 1 to 64 letters, digits, spaces, dots, dashes, @ or +, and begins with a letter or digit")
	}
	return errand.WebRoute(name), nil
}
