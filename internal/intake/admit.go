package intake

import (
	"context"
	"slices"
	"strings"

	"errand"
	"errand/internal/commands"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/store"
)

// admit returns who a sender is, or why they do not get in. p is who they are
// known as; nobody, where its id is empty.
func (i *Intake) admit(ctx context.Context, in Inbound, p service.Person, t *limit.Tokens) (service.Person, Outcome, error) {
	access := i.service.Access.On(in.Route)
	if p.ID == "" {
		if err := i.allowStranger(in, t); err != nil {
			return p, Outcome{}, err
		}
	}
	if access.Mode == service.AccessAllowlist {
		listed, err := i.listed(ctx, access, in, p)
		if err != nil {
			return p, Outcome{}, err
		}
		if !listed {
			return i.turnAway(ctx, in, "is not on the list")
		}
	}
	if p.ID != "" {
		return p, Outcome{}, i.remember(ctx, in, p)
	}
	switch {
	case access.Mode == service.AccessAllowlist:
		return i.letIn(ctx, in, access.RoleOr(errand.Member))
	case in.Sender.Bot:
		return i.turnAway(ctx, in, "is a bot")
	case access.Mode == service.AccessOpen:
		return i.letIn(ctx, in, access.RoleOr(errand.Guest))
	}
	return i.askIn(ctx, in)
}

// remember notes ids that somebody who is known comes with for the first time.
func (i *Intake) remember(ctx context.Context, in Inbound, p service.Person) error {
	if len(in.Sender.IDs) < 2 {
		return nil
	}
	known, err := i.service.Store.Identities(ctx, p.ID)
	if err != nil {
		return err
	}
	isNew := func(id string) bool {
		return !slices.ContainsFunc(known, func(i service.Identity) bool { return i.Channel == in.Route.Channel && i.ExternalID == id })
	}
	if !slices.ContainsFunc(in.Sender.IDs, isNew) {
		return nil
	}
	return i.service.Store.RememberIdentities(ctx, service.Identity{Channel: in.Route.Channel, Account: in.Route.Account,
		Name: in.Sender.Name, Person: p.ID}, in.Sender.IDs...)
}

func (i *Intake) letIn(ctx context.Context, in Inbound, role errand.Role) (service.Person, Outcome, error) {
	as := service.Person{Name: in.Sender.Name, Role: role, Language: in.Sender.Language}
	if as.Name == "" {
		as.Name = in.Sender.IDs[0]
	}
	p, created, err := i.service.Store.AdmitSender(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs, as)
	if created {
		i.service.Logger.Info("somebody new", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "person", p.ID)
	}
	return p, Outcome{}, err
}

// askIn gives a stranger a code, and tells it to them: once, and again with each
// /pair. In a group nobody is told who has not asked for it.
func (i *Intake) askIn(ctx context.Context, in Inbound) (service.Person, Outcome, error) {
	asked := commands.Is("/pair", in.Text) && !in.Forwarded
	if in.Group && !asked && !in.Private {
		return i.turnAway(ctx, in, "is unknown, and wrote in a group")
	}
	notice := i.service.Texts.For(in.Sender.Language, i.service.Language).Localize("pairing.code", "code", store.PairingCode)
	ask := store.AskPairing{Pairing: service.Pairing{
		Channel: in.Route.Channel, Account: in.Route.Account, ExternalID: in.Sender.IDs[0], OtherIDs: in.Sender.IDs[1:],
		Name: in.Sender.Name, Language: in.Sender.Language, Route: in.Route,
	}, Notice: notice}
	if asked {
		ask.Again = in.MessageID
	}
	if in.Private {
		ask.Notice = ""
	}
	ask.Message = i.pairingMessage(in)
	p, added, err := i.service.Store.AskPairing(ctx, ask)
	switch {
	case err != nil:
		return service.Person{}, Outcome{}, err
	case p.State == store.PairingDenied:
		return i.turnAway(ctx, in, "was denied")
	}
	i.service.Logger.Info("somebody asks to be let in", "channel", in.Route.Channel, "sender", p.ExternalID)
	if added {
		i.service.WakeOutbox(ctx, in.Route)
	}
	out := Outcome{Refused: "is unknown", Code: p.Code}
	if in.Private {
		out.Answer = strings.ReplaceAll(notice, store.PairingCode, strings.ToUpper(p.Code))
	}
	return service.Person{}, out, nil
}

// pairingMessage is what is kept of a message until its sender is let in: its words, in a
// chat that nobody else reads. Commands are not carried out later.
func (i *Intake) pairingMessage(in Inbound) *store.PairingMessage {
	text, err := service.CleanText(in.Text, i.service.MessageBytes)
	if in.Group || in.Private || err == nil && commands.In(text) && !in.Forwarded {
		return nil
	}
	w := &store.PairingMessage{MessageID: in.MessageID, Revision: in.Revision, More: len(in.Attachments) > 0,
		Forwarded: in.Forwarded, From: in.ForwardedFrom}
	switch {
	case err == nil:
		w.Text = commands.Unescape(text)
	case !service.IsEmpty(err): // too long, or damaged
		w.More = true
	}
	return w
}

// turnAway notes that a sender was refused, for the operator: they themselves are
// told nothing.
func (i *Intake) turnAway(ctx context.Context, in Inbound, reason string) (service.Person, Outcome, error) {
	i.service.Logger.Info("sender refused", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "reason", reason)
	err := i.service.Store.Refuse(ctx, service.Refusal{Channel: in.Route.Channel, Account: in.Route.Account,
		ExternalID: in.Sender.IDs[0], Name: in.Sender.Name, Reason: reason})
	return service.Person{}, Outcome{Refused: reason}, err
}
