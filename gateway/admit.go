package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/store"
	"errand/texts"
)

// An AccessMode says what becomes of a sender whom nobody knows.
type AccessMode string

// The modes of access.
const (
	AccessPairing   AccessMode = "pairing"   // they get a code that somebody has to approve
	AccessAllowlist AccessMode = "allowlist" // only those on the list get in; the others are not answered
	AccessOpen      AccessMode = "open"      // everybody gets in
)

// An Access is who gets in on a channel. The zero value is pairing.
type Access struct {
	Mode AccessMode
	// Allow is the list of an allowlist: external ids. A person is on it with any
	// id that they are known by on the channel.
	Allow []string
	// Role is of those whom open (default: guest) and allowlist (default: member)
	// let in.
	Role errand.Role
}

func (a Access) role(otherwise errand.Role) errand.Role {
	if a.Role != "" {
		return a.Role
	}
	return otherwise
}

// longestID is of what a channel knows somebody by, in bytes.
const longestID = 200

func isExternalID(id string) bool {
	return id != "" && len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, isControl)
}

// A Sender is who a platform says that a message is from.
type Sender struct {
	// IDs are all that the platform knows them by, the one that lasts longest
	// first: a number and a hidden id may be one person's.
	IDs      []string
	Name     string // what they call themselves
	Language string // BCP 47, where the platform tells
	Bot      bool
}

// An Arrival is a message as a platform delivered it. Nothing in it is trusted.
type Arrival struct {
	Route     errand.Route
	Sender    Sender
	Group     bool   // others read the chat too
	MessageID string // the platform's
	Revision  int
	ReplyTo   string
	Text      string
	// Unreadable is what the message has that errand cannot take, or nothing: its
	// sender is told so, and Text is taken if there is any.
	Unreadable Content
	// Attachments are the files, pictures and recordings it came with. A message
	// may have no text besides.
	Attachments []Attachment
	// Album is what messages have in common that were sent as one, as several
	// pictures are: what is wrong with them is told once. Empty: it is alone.
	Album string
	// Deleted says that whoever sent MessageID took it back; there is no Text then.
	// Where the platform does not tell who that was, Sender may have no ids.
	Deleted bool
	// Private says that the channel can answer so that only the sender sees it:
	// what errand itself answers is then in [Received], and not in the outbox.
	Private bool
}

// A Content is something that a message has and errand cannot take.
type Content string

// What people send besides text.
const (
	Image   Content = "image"
	Voice   Content = "voice"
	File    Content = "file"
	Sticker Content = "sticker"
	Other   Content = "other" // a contact, a place, a poll …
)

// A Received is what became of an arrival.
type Received struct {
	Accepted
	Person  errand.PersonID // who it is from; empty: nobody knows
	Refused string          // why it was not accepted; empty: it was
	Code    string          // with which the sender can be let in
	// Told is what to tell the sender of one that was Private: the answer of the
	// command, or why it was not accepted; empty: nothing.
	Told string
}

// Receive is what the channel of a platform calls with each message: it lets in
// who may come in, and accepts what they say. Whoever does not get in starts
// nothing. What they are told is in the outbox, once for a message however often
// it is received: the answer of a command, or why the message was not taken. An
// [*Error] says that it never will be; after any other the channel has to come
// back with the message.
func (g *Gateway) Receive(ctx context.Context, in Arrival) (Received, error) {
	in.Sender.IDs = slices.DeleteFunc(slices.Clone(in.Sender.IDs), func(id string) bool { return !isExternalID(id) })
	in.Sender.Name, in.Sender.Language = shortName(in.Sender.Name), knownLanguage(in.Sender.Language)
	// A sender may have drawn these ids, and what no database takes would come
	// again and again.
	if !isExternalID(in.MessageID) {
		return Received{}, badRequest("message_id", "the message has no id that could be one")
	}
	if !isExternalID(in.ReplyTo) {
		in.ReplyTo = ""
	}
	if !isExternalID(in.Album) {
		in.Album = ""
	}
	if in.Deleted {
		return g.takeBack(ctx, in)
	}
	if len(in.Sender.IDs) == 0 {
		return Received{}, badRequest("sender", "the message says nothing of whom it is from")
	}
	p, err := g.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Received{}, err
	}
	p, refused, err := g.admit(ctx, in, p)
	if err != nil || refused.Refused != "" {
		return refused, err
	}
	if in.Unreadable != "" {
		t := g.Texts.For(p.Language, in.Sender.Language, g.Language)
		text := t.Say("unreadable.sorry", "content", t.Say("unreadable."+string(in.Unreadable)))
		if err := g.answer(ctx, in, errand.NewSessionKey(in.Route, p.ID), "unreadable:"+cmp.Or(in.Album, in.MessageID), text); err != nil {
			return Received{}, err
		}
		if strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0 {
			return Received{Person: p.ID, Refused: "is no text"}, nil
		}
	}
	out, err := g.Accept(ctx, Inbound{Route: in.Route, Person: p.ID, Group: in.Group, MessageID: in.MessageID,
		Revision: in.Revision, ReplyTo: in.ReplyTo, Text: in.Text, Attachments: in.Attachments, language: in.Sender.Language,
		tell: func(ctx context.Context, text string) error {
			key := "attached:" + cmp.Or(in.Album, in.MessageID)
			return g.answer(ctx, in, errand.NewSessionKey(in.Route, p.ID), key, text)
		}})
	if in.Private {
		return privately(p.ID, out, err)
	}
	received := Received{Accepted: out, Person: p.ID}
	if out.Empty {
		received.Refused = "has nothing that is taken"
	}
	return received, g.answered(ctx, in, p.ID, out, err)
}

// privately leaves it to the channel to tell a sender what became of their
// message.
func privately(by errand.PersonID, out Accepted, err error) (Received, error) {
	var no *Error
	if errors.As(err, &no) {
		return Received{Person: by, Refused: no.Code, Told: no.Message}, nil
	}
	return Received{Accepted: out, Person: by, Told: out.Answer}, err
}

// answered tells a sender what became of their message, where no agent will.
func (g *Gateway) answered(ctx context.Context, in Arrival, by errand.PersonID, out Accepted, err error) error {
	key, text, about := fmt.Sprintf("%s:%d", in.MessageID, in.Revision), out.Answer, out.Key
	var no *Error
	switch {
	case errors.As(err, &no):
		text, about = no.Message, errand.NewSessionKey(in.Route, by)
		if no.Code == tooFastCode { // once a minute: they write more than they are to be told
			key = fmt.Sprintf("%s:%s:%d", tooFastCode, by, g.Now().Unix()/60)
		}
	case err != nil || text == "":
		return err
	}
	return cmp.Or(g.answer(ctx, in, about, key, text), err)
}

// answer puts something into the outbox that errand itself says about a message.
func (g *Gateway) answer(ctx context.Context, in Arrival, session errand.SessionKey, key, text string) error {
	r := in.Route
	told, err := g.Store.Answer(ctx, errand.Notification{
		Key:   strings.Join([]string{"answer", r.Channel, r.Account, r.Chat, key}, ":"),
		Route: r, Session: session, Event: errand.EventNotice, Text: text, ReplyTo: in.MessageID,
	})
	if told {
		g.wake(ctx, r)
	}
	return err
}

// admit returns who a sender is, or why they do not get in. p is who they are
// known as; nobody, where its id is empty.
func (g *Gateway) admit(ctx context.Context, in Arrival, p Person) (Person, Received, error) {
	access := g.access(in.Route)
	if p.ID == "" {
		if err := g.paceStranger(in.Route.Channel, in.Sender.IDs[0]); err != nil {
			return p, Received{}, err
		}
	}
	if access.Mode == AccessAllowlist {
		listed, err := g.listed(ctx, access, in, p)
		if err != nil {
			return p, Received{}, err
		}
		if !listed {
			return g.turnAway(ctx, in, "is not on the list")
		}
	}
	if p.ID != "" {
		return p, Received{}, g.remember(ctx, in, p)
	}
	switch {
	case access.Mode == AccessAllowlist:
		return g.letIn(ctx, in, access.role(errand.Member))
	case in.Sender.Bot:
		return g.turnAway(ctx, in, "is a bot")
	case access.Mode == AccessOpen:
		return g.letIn(ctx, in, access.role(errand.Guest))
	}
	return g.askIn(ctx, in)
}

// access returns who gets in on a route.
func (g *Gateway) access(r errand.Route) Access {
	if a, ok := g.Access[r.Channel+"/"+r.Account]; ok {
		return a
	}
	return g.Access[r.Channel]
}

// listed reports whether a sender is on the list, with any id that they come with
// or are known by.
func (g *Gateway) listed(ctx context.Context, access Access, in Arrival, p Person) (bool, error) {
	ids := slices.Clone(in.Sender.IDs)
	if p.ID != "" {
		known, err := g.Store.Identities(ctx, p.ID)
		if err != nil {
			return false, err
		}
		for _, i := range known {
			if i.Channel == in.Route.Channel && (i.Account == in.Route.Account || i.Account == "") {
				ids = append(ids, i.ExternalID)
			}
		}
	}
	return slices.ContainsFunc(ids, func(id string) bool {
		return slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, id) })
	}), nil
}

// sameID compares ids as people write them: a number may have spaces, dashes and
// a plus, or not.
func sameID(a, b string) bool { return strings.EqualFold(plainID(a), plainID(b)) }

func plainID(id string) string {
	id = strings.TrimSpace(id)
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()+", r) {
			return -1
		}
		return r
	}, id)
	if digits == "" || strings.ContainsFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) }) {
		return id
	}
	return digits
}

// remember notes ids that somebody who is known comes with for the first time.
func (g *Gateway) remember(ctx context.Context, in Arrival, p Person) error {
	if len(in.Sender.IDs) < 2 {
		return nil
	}
	known, err := g.Store.Identities(ctx, p.ID)
	if err != nil {
		return err
	}
	isNew := func(id string) bool {
		return !slices.ContainsFunc(known, func(i Identity) bool { return i.Channel == in.Route.Channel && i.ExternalID == id })
	}
	if !slices.ContainsFunc(in.Sender.IDs, isNew) {
		return nil
	}
	return g.Store.RememberIdentities(ctx, Identity{Channel: in.Route.Channel, Account: in.Route.Account,
		Name: in.Sender.Name, Person: p.ID}, in.Sender.IDs...)
}

func (g *Gateway) letIn(ctx context.Context, in Arrival, role errand.Role) (Person, Received, error) {
	as := Person{Name: in.Sender.Name, Role: role, Language: in.Sender.Language}
	if as.Name == "" {
		as.Name = in.Sender.IDs[0]
	}
	p, created, err := g.Store.AdmitSender(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs, as)
	if created {
		g.Logger.Info("somebody new", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "person", p.ID)
	}
	return p, Received{}, err
}

// askIn gives a stranger a code, and tells it to them: once, and again with each
// /pair. In a group nobody is told who has not asked for it.
func (g *Gateway) askIn(ctx context.Context, in Arrival) (Person, Received, error) {
	first, _, _ := strings.Cut(strings.TrimSpace(in.Text), " ")
	asked := strings.EqualFold(first, "/pair")
	if in.Group && !asked && !in.Private {
		return g.turnAway(ctx, in, "is unknown, and wrote in a group")
	}
	tell := func(code string) string {
		return g.Texts.For(in.Sender.Language, g.Language).Say("pairing.code", "code", strings.ToUpper(code))
	}
	ask := store.AskPairing{Pairing: Pairing{
		Channel: in.Route.Channel, Account: in.Route.Account, ExternalID: in.Sender.IDs[0], OtherIDs: in.Sender.IDs[1:],
		Name: in.Sender.Name, Language: in.Sender.Language, Route: in.Route,
	}, Tell: tell}
	if asked {
		ask.Again = in.MessageID
	}
	if in.Private {
		ask.Tell = nil
	}
	p, told, err := g.Store.AskPairing(ctx, ask)
	switch {
	case errors.Is(err, store.ErrTooMany):
		return g.turnAway(ctx, in, "is unknown, and too many are waiting")
	case err != nil:
		return Person{}, Received{}, err
	case p.State == store.PairingDenied:
		return g.turnAway(ctx, in, "was denied")
	}
	g.Logger.Info("somebody asks to be let in", "channel", in.Route.Channel, "sender", p.ExternalID)
	if told {
		g.wake(ctx, in.Route)
	}
	out := Received{Refused: "is unknown", Code: p.Code}
	if in.Private {
		out.Told = tell(p.Code)
	}
	return Person{}, out, nil
}

// turnAway notes that a sender was refused, for the operator: they themselves are
// told nothing.
func (g *Gateway) turnAway(ctx context.Context, in Arrival, reason string) (Person, Received, error) {
	g.Logger.Info("sender refused", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "reason", reason)
	err := g.Store.Refuse(ctx, Refusal{Channel: in.Route.Channel, Account: in.Route.Account,
		ExternalID: in.Sender.IDs[0], Name: in.Sender.Name, Reason: reason})
	return Person{}, Received{Refused: reason}, err
}

// knownLanguage is the tag of a language that somebody's platform tells, or
// nothing.
func knownLanguage(tag string) string {
	if tag == "" || texts.CheckLanguage(tag) != nil {
		return ""
	}
	return tag
}
