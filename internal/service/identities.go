package service

import (
	"context"
	"errors"
	"slices"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

// link gives a person an identity on an account or, without an account, on all accounts of the
// channel. In the latter case, if ids are the same on all accounts, it takes the identity from
// every other person. If the sender waits for access, link approves the request.
func (p *People) link(ctx context.Context, by actor.Actor, in api.AddIdentityInput) (core.Person, error) {
	i := core.Identity{Channel: strings.TrimSpace(in.Body.Channel), Account: strings.TrimSpace(in.Body.Account),
		ExternalID: strings.TrimSpace(in.Body.ExternalID)}
	person, err := p.findPerson(ctx, by, in.ID)
	if err == nil {
		err = p.mayRaise(by, person)
	}
	if err != nil {
		return person, err
	}
	i.Person = person.ID
	if !IsExternalID(i.Channel) || !IsExternalID(i.ExternalID) || i.Account != "" && !IsExternalID(i.Account) ||
		len(i.Channel)+len(i.Account) > longestID {
		return person, Invalid("identity", "refusal.identity")
	}
	if err := p.notAboveOwners(ctx, by, i.Channel, i.ExternalID); err != nil {
		return person, err
	}
	if err := p.Store.AddIdentity(ctx, i); err != nil {
		return person, Known(err)
	}
	return person, p.approveLinked(ctx, by, i)
}

// notAboveOwners returns an error if a person with that identity has more rights than the actor.
func (e *Env) notAboveOwners(ctx context.Context, by actor.Actor, channel, externalID string) error {
	owners, err := e.Store.Owners(ctx, channel, externalID)
	if err != nil {
		return err
	}
	for _, p := range owners {
		if err := e.notAbove(by, p); err != nil {
			return err
		}
	}
	return nil
}

func (p *People) approveLinked(ctx context.Context, by actor.Actor, i core.Identity) error {
	waiting, err := p.Store.Pairings(ctx, true)
	if err != nil {
		return err
	}
	for _, pairing := range waiting {
		if !i.HoldsOn(core.Account{Channel: pairing.Channel, Name: pairing.Account}) || !slices.Contains(pairing.IDs(), i.ExternalID) {
			continue
		}
		if _, err := p.pairings.letIn(ctx, by, pairing.Code, i.Person, ""); err != nil && !errors.Is(err, store.ErrClosed) { // another call decided it
			return err
		}
	}
	return nil
}

// unlink takes an identity from a person. An empty account means all accounts, on channels whose
// ids are the same on all accounts.
func (p *People) unlink(ctx context.Context, by actor.Actor, in api.RemoveIdentityInput) (core.Person, error) {
	if in.Channel == "" || in.ExternalID == "" {
		return core.Person{}, Invalid("identity", "refusal.identity")
	}
	person, err := p.findPersonBelow(ctx, by, in.PersonID)
	if err != nil {
		return person, err
	}
	list, err := p.Store.Identities(ctx, person.ID)
	if err != nil {
		return person, err
	}
	found := false
	for _, i := range list {
		if i.Channel != in.Channel || i.ExternalID != in.ExternalID ||
			i.Account != in.Account && (in.Account != "" || !core.SharesIDs(in.Channel)) {
			continue
		}
		if err := p.Store.RemoveIdentity(ctx, in.Channel, i.Account, in.ExternalID); err != nil {
			return person, Known(err)
		}
		found = true
	}
	if !found {
		return person, Refuse(KindNotFound, "not_found", "refusal.no_identity", "person", person.ID)
	}
	return person, nil
}
