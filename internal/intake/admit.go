package intake

import (
	"context"
	"slices"
	"strings"

	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/store"
)

// admit returns a sender's person, or why they are refused. p is the known person, or has no id.
func (i *Intake) admit(ctx context.Context, in Inbound, p core.Person, t *limit.Tokens) (core.Person, Outcome, error) {
	access := i.deps.Access.On(in.Route)
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
		return i.letIn(ctx, in, access.RoleOr(core.Member))
	case in.Sender.Bot:
		return i.turnAway(ctx, in, "is a bot")
	case access.Mode == service.AccessOpen:
		return i.letIn(ctx, in, access.RoleOr(core.Guest))
	}
	return i.askIn(ctx, in)
}

func (i *Intake) remember(ctx context.Context, in Inbound, p core.Person) error {
	if len(in.Sender.IDs) < 2 {
		return nil
	}
	known, err := i.deps.Store.Identities(ctx, p.ID)
	if err != nil {
		return err
	}
	isNew := func(id string) bool {
		return !slices.ContainsFunc(known, func(i core.Identity) bool { return i.Channel == in.Route.Channel && i.ExternalID == id })
	}
	if !slices.ContainsFunc(in.Sender.IDs, isNew) {
		return nil
	}
	return i.deps.Store.RememberIdentities(ctx, core.Identity{Channel: in.Route.Channel, Account: in.Route.Account,
		Name: in.Sender.Name, Person: p.ID}, in.Sender.IDs...)
}

func (i *Intake) letIn(ctx context.Context, in Inbound, role core.Role) (core.Person, Outcome, error) {
	as := core.Person{Name: in.Sender.Name, Role: role, Language: in.Sender.Language}
	if as.Name == "" {
		as.Name = in.Sender.IDs[0]
	}
	p, created, err := i.deps.Store.AdmitSender(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs, as)
	if created {
		i.deps.Logger.Info("somebody new", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "person", p.ID)
	}
	return p, Outcome{}, err
}

// askIn sends a code to a stranger: once, and again for each /pair. In a group it needs /pair.
func (i *Intake) askIn(ctx context.Context, in Inbound) (core.Person, Outcome, error) {
	asked := commands.Is("/pair", in.Text) && !in.Forwarded
	if in.Group && !asked && !in.Private {
		return i.turnAway(ctx, in, "is unknown, and wrote in a group")
	}
	notice := i.deps.Texts.For(in.Sender.Language, i.deps.Language).Localize("pairing.code", "code", store.PairingCode)
	ask := store.AskPairing{Pairing: core.Pairing{
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
	p, added, err := i.deps.Store.AskPairing(ctx, ask)
	switch {
	case err != nil:
		return core.Person{}, Outcome{}, err
	case p.State == core.PairingDenied:
		return i.turnAway(ctx, in, "was denied")
	}
	i.deps.Logger.Info("somebody requests access", "channel", in.Route.Channel, "sender", p.ExternalID)
	if added {
		i.deps.Internal.WakeOutbox(ctx, in.Route)
	}
	out := Outcome{Refused: "is unknown", Code: p.Code}
	if in.Private {
		out.Answer = strings.ReplaceAll(notice, store.PairingCode, strings.ToUpper(p.Code))
	}
	return core.Person{}, out, nil
}

// pairingMessage keeps texts from private chats only. It drops commands, which must not run later.
func (i *Intake) pairingMessage(in Inbound) *store.PairingMessage {
	text, err := service.CleanText(in.Text, i.deps.MessageBytes)
	if in.Group || in.Private || err == nil && commands.In(text) && !in.Forwarded {
		return nil
	}
	w := &store.PairingMessage{MessageID: in.MessageID, Revision: in.Revision, More: len(in.Attachments) > 0,
		Forwarded: in.Forwarded, From: in.ForwardedFrom}
	switch {
	case err == nil:
		w.Text = commands.Unescape(text)
	case !service.IsEmpty(err): // too long or invalid
		w.More = true
	}
	return w
}

// turnAway records a refused sender for the operator. The sender gets no answer.
func (i *Intake) turnAway(ctx context.Context, in Inbound, reason string) (core.Person, Outcome, error) {
	i.deps.Logger.Info("sender refused", "channel", in.Route.Channel, "sender", in.Sender.IDs[0], "reason", reason)
	err := i.deps.Store.Refuse(ctx, core.Refusal{Channel: in.Route.Channel, Account: in.Route.Account,
		ExternalID: in.Sender.IDs[0], Name: in.Sender.Name, Reason: reason})
	return core.Person{}, Outcome{Refused: reason}, err
}
