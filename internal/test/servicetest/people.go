package servicetest

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// PeopleCalls calls the operations on people and on requests for access, for tests.
type PeopleCalls struct{ Operations *ops.Runner }

func (c PeopleCalls) change(ctx context.Context, by actor.Actor, id core.PersonID, role *string, to api.PersonChange) (core.Person, error) {
	in := api.ChangePersonInput{PersonID: api.PersonID{ID: string(id)}}
	in.Body.Role, in.Body.PersonChange = role, to
	return ops.Do(ctx, c.Operations, api.ChangePerson, by, in)
}

// changeAny changes a person, who may be the actor.
func (c PeopleCalls) changeAny(ctx context.Context, by actor.Actor, id core.PersonID, to api.PersonChange) error {
	if id != by.Person {
		_, err := c.change(ctx, by, id, nil, to)
		return err
	}
	var in api.ChangeMeInput
	in.Body.PersonChange = to
	_, err := ops.Do(ctx, c.Operations, api.ChangeMe, by, in)
	return err
}

// SetRole gives a person another role.
func (c PeopleCalls) SetRole(ctx context.Context, by actor.Actor, id core.PersonID, role core.Role) (core.Person, error) {
	return c.change(ctx, by, id, new(string(role)), api.PersonChange{})
}

// SetLanguage changes the language of a person, who may be the actor.
func (c PeopleCalls) SetLanguage(ctx context.Context, by actor.Actor, id core.PersonID, language string) error {
	return c.changeAny(ctx, by, id, api.PersonChange{Language: &language})
}

// SetName changes the name of a person, who may be the actor.
func (c PeopleCalls) SetName(ctx context.Context, by actor.Actor, id core.PersonID, name string) error {
	return c.changeAny(ctx, by, id, api.PersonChange{Name: &name})
}

// SetTimeZone changes the time zone of a person, who may be the actor.
func (c PeopleCalls) SetTimeZone(ctx context.Context, by actor.Actor, id core.PersonID, zone string) error {
	return c.changeAny(ctx, by, id, api.PersonChange{TimeZone: &zone})
}

// RemovePerson removes a person.
func (c PeopleCalls) RemovePerson(ctx context.Context, by actor.Actor, id core.PersonID) error {
	_, err := ops.Do(ctx, c.Operations, api.DeletePerson, by, api.PersonID{ID: string(id)})
	return err
}

// Link gives a person an identity.
func (c PeopleCalls) Link(ctx context.Context, by actor.Actor, id core.PersonID, channel, account, externalID string) error {
	in := api.AddIdentityInput{PersonID: api.PersonID{ID: string(id)}, Body: api.IdentityIn{Channel: channel, Account: account, ExternalID: externalID}}
	_, err := ops.Do(ctx, c.Operations, api.AddIdentity, by, in)
	return err
}

// Unlink takes an identity from a person.
func (c PeopleCalls) Unlink(ctx context.Context, by actor.Actor, id core.PersonID, channel, account, externalID string) error {
	in := api.RemoveIdentityInput{PersonID: api.PersonID{ID: string(id)}, Channel: channel, Account: account, ExternalID: externalID}
	_, err := ops.Do(ctx, c.Operations, api.RemoveIdentity, by, in)
	return err
}

// People lists all people.
func (c PeopleCalls) People(ctx context.Context, by actor.Actor) ([]api.PersonView, error) {
	list, err := ops.Do(ctx, c.Operations, api.ListPeople, by, api.ListPeopleInput{})
	return list.Items, err
}

// Pairings lists the requests for access.
func (c PeopleCalls) Pairings(ctx context.Context, by actor.Actor, waiting bool) ([]core.Pairing, error) {
	return ops.Do(ctx, c.Operations, api.ListPairings, by, api.ListPairingsInput{Waiting: waiting})
}

// Approve approves a request for access: for a new person with a role, or for a known one.
func (c PeopleCalls) Approve(ctx context.Context, by actor.Actor, code string, role core.Role, as core.PersonID) (core.Pairing, core.Person, error) {
	in := api.ApprovePairingInput{PairingCode: api.PairingCode{Code: code}}
	in.Body.Role, in.Body.Person = string(role), string(as)
	out, err := ops.Do(ctx, c.Operations, api.ApprovePairing, by, in)
	return out.Pairing, out.Person, err
}

// Deny denies a request for access.
func (c PeopleCalls) Deny(ctx context.Context, by actor.Actor, code string) error {
	_, err := ops.Do(ctx, c.Operations, api.DenyPairing, by, api.PairingCode{Code: code})
	return err
}

// Refusals lists the senders that were turned away.
func (c PeopleCalls) Refusals(ctx context.Context, by actor.Actor) ([]core.Refusal, error) {
	return ops.Do(ctx, c.Operations, api.ListRefusals, by, api.None{})
}

// Audit lists the audit log of some deeds, or of all.
func (c PeopleCalls) Audit(ctx context.Context, by actor.Actor, person core.PersonID, deeds ...string) ([]core.AuditEntry, error) {
	list, err := ops.Do(ctx, c.Operations, api.ListAudit, by, api.ListAuditInput{Person: person, Deed: strings.Join(deeds, ",")})
	return list.Items, err
}
