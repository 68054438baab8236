package service

import (
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/texts"
)

// Pairings has the operations on strangers' requests for access.
type Pairings struct {
	*Env
	internal *Internal
}

func (p *Pairings) bind(r *ops.Runner) {
	ops.Bind(r, api.ListPairings, p.list)
	ops.Bind(r, api.ApprovePairing, p.approve)
	ops.Bind(r, api.DenyPairing, p.deny)
	ops.Bind(r, api.ListRefusals, p.listRefusals)
}

// list returns the newest first. A pending sender has a person if one of their ids has been given
// to that person since the request.
func (p *Pairings) list(ctx context.Context, _ actor.Actor, in api.ListPairingsInput) ([]core.Pairing, error) {
	list, err := p.Store.Pairings(ctx, in.Waiting)
	if err != nil {
		return nil, err
	}
	for i, pairing := range list {
		if pairing.State != core.PairingPending {
			continue
		}
		known, err := p.Store.Identify(ctx, pairing.Channel, pairing.Account, pairing.IDs()...)
		switch {
		case err == nil:
			list[i].Person = known.ID
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return list, nil
}

// approve lets in the sender with a code: as a new person with a role (default: member), or as a
// known person, who keeps their role. errand welcomes them in their chat, and answers their earlier
// messages. Approving twice changes nothing.
func (p *Pairings) approve(ctx context.Context, by actor.Actor, in api.ApprovePairingInput) (out api.ApprovedPairing, err error) {
	if in.Body.Role == "" {
		in.Body.Role = p.Rights.Name(core.Lesser(core.Member, by.Role))
	}
	role, err := p.roleToGive(by, in.Body.Role)
	if err != nil {
		return out, err
	}
	asked, err := p.Store.Pairing(ctx, in.Code)
	if err != nil {
		return out, Known(err)
	}
	var as core.Person
	if in.Body.Person != "" {
		if as, err = p.findPerson(ctx, by, in.Body.Person); err != nil {
			return out, err
		}
		if err := p.mayRaise(by, as); err != nil {
			return out, err
		}
		for _, id := range asked.IDs() {
			if err := p.notAboveOwners(ctx, by, asked.Channel, id); err != nil {
				return out, err
			}
		}
	}
	a, err := p.letIn(ctx, by, asked.Code, as.ID, role)
	out.Pairing, out.Person = a.Pairing, a.Person
	return out, undecided(a.Pairing, err)
}

// letIn approves a pairing, and others of the same sender. The caller has checked that the actor
// may give the role, or act for the person.
func (p *Pairings) letIn(ctx context.Context, by actor.Actor, code string, as core.PersonID, role core.Role) (store.Approved, error) {
	first, also, err := p.approveAndWelcome(ctx, store.ApprovePairing{
		Code: code, By: by.Person, As: as, Role: role, Parent: by.Token(), Program: by.IsProgram(), Scope: string(by.Scope()),
	})
	if err != nil {
		return first, err
	}
	for _, a := range append([]store.Approved{first}, also...) {
		p.Logger.Info("sender approved", "channel", a.Pairing.Channel, "sender", a.Pairing.ExternalID, "person", a.Person.ID, "by", by.Person)
		p.begin(ctx, a)
	}
	return first, nil
}

// approveAndWelcome repeats the approval with a welcome for each sender that it lets in.
func (p *Pairings) approveAndWelcome(ctx context.Context, in store.ApprovePairing) (store.Approved, []store.Approved, error) {
	in.Welcomes = map[store.Newcomer]string{}
	for {
		a, also, err := p.Store.Approve(ctx, in)
		var unwelcomed *store.UnwelcomedError
		if !errors.As(err, &unwelcomed) {
			return a, also, err
		}
		for _, who := range unwelcomed.Newcomers {
			in.Welcomes[who] = p.welcome(who)
		}
	}
}

// welcome uses the name that the sender gave, because errand may know the person by another.
func (p *Pairings) welcome(who store.Newcomer) string {
	key := "pairing.approved"
	switch {
	case who.Wrote && who.More:
		key = "pairing.approved_some"
	case who.Wrote:
		key = "pairing.approved_wrote"
	case who.More:
		key = "pairing.approved_again"
	}
	return p.Texts.For(who.Language, who.Asked, p.Language).Localize(key, "name", who.Name)
}

func (p *Pairings) begin(ctx context.Context, a store.Approved) {
	if a.Welcomed {
		p.internal.WakeOutbox(ctx, a.Pairing.Route)
	}
	if a.Wrote > 0 {
		if err := p.internal.AcceptPairingMessages(ctx, a.Pairing.Code); err != nil {
			p.Logger.Warn("messages from before an approval not accepted yet; the watchdog will accept them", "channel", a.Pairing.Channel, "error", err)
		}
	}
}

// AcceptPairingMessages accepts the messages from before an approval, and wakes their session.
func (i *Internal) AcceptPairingMessages(ctx context.Context, code string) error {
	row, ok, err := i.Store.AcceptPairingMessages(ctx, code)
	if err != nil || !ok {
		return err
	}
	return i.Dispatch.WakeSession(ctx, row.Session, row.ID)
}

func (p *Pairings) deny(ctx context.Context, by actor.Actor, in api.PairingCode) (api.DeniedPairing, error) {
	out := api.DeniedPairing{Code: in.Code, State: string(core.PairingDenied)}
	denied, err := p.Store.Deny(ctx, in.Code, by.Person)
	if err != nil {
		return out, undecided(denied, err)
	}
	p.Logger.Info("sender denied", "channel", denied.Channel, "sender", denied.ExternalID, "by", by.Person)
	return out, nil
}

func undecided(p core.Pairing, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return Known(err)
	}
	text := map[core.PairingState]texts.Key{
		core.PairingExpired:  "refusal.code_expired",
		core.PairingDenied:   "refusal.code_denied",
		core.PairingApproved: "refusal.code_approved",
	}
	return conflict(string(p.State), text[p.State], "code", p.Code)
}

func (p *Pairings) listRefusals(ctx context.Context, _ actor.Actor, _ api.None) ([]core.Refusal, error) {
	return p.Store.Refusals(ctx)
}
