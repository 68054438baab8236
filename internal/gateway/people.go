package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// What the store keeps of people, under the names that pages and programs use.
type (
	Person   = store.Person
	Identity = store.Identity
	Token    = store.Token
	Pairing  = store.Pairing
	Refusal  = store.Refusal
)

// A PersonView is a person with all that they are known by.
type PersonView struct {
	Person
	Identities []Identity `json:"identities"`
	Tokens     []Token    `json:"tokens"`
}

// The entries of the table of rights that what is done to people goes by, on
// whatever way it is asked for.
const (
	toSeePeople     = "GET /api/people"
	toChangePeople  = "POST /api/people/{id}"
	toRemovePeople  = "DELETE /api/people/{id}"
	toLink          = "POST /api/people/{id}/identities"
	toSeeTokens     = "GET /api/people/{id}/tokens"
	toMakeTokens    = "POST /api/people/{id}/tokens"
	toRevokeTokens  = "DELETE /api/tokens/{id}"
	toSeeRefusals   = "GET /api/refusals"
	toDecidePairing = "/approve"
)

// longestName is of what people call themselves, in characters.
const longestName = 80

// ActorOf returns a person as who does something, with the role they have now.
func (g *Gateway) ActorOf(ctx context.Context, id errand.PersonID) (Actor, error) {
	p, err := g.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Actor{}, forbidden("nobody is known here as %q any more", errand.Cut(string(id), 40))
	}
	return actorFor(p), err
}

func actorFor(p Person) Actor { return Actor{p.ID, p.Role, p.Name, p.Language} }

// actor returns who sent a message. Their role is the stored one: what a channel
// says can only narrow it.
func (g *Gateway) actor(ctx context.Context, in Inbound) (Actor, error) {
	by, err := g.ActorOf(ctx, in.Person)
	if in.Role != "" {
		by.Role = errand.Lesser(by.Role, in.Role)
	}
	return by, err
}

// People lists everybody, or, to those who may not see the others, themselves.
func (g *Gateway) People(ctx context.Context, by Actor) ([]PersonView, error) {
	everybody := g.May(by, rights.Route, toSeePeople) == nil
	only := by.Person
	if everybody {
		only = ""
	}
	people, err := g.Store.People(ctx)
	if err != nil {
		return nil, err
	}
	identities, err := g.Store.Identities(ctx, only)
	if err != nil {
		return nil, err
	}
	tokens, err := g.Store.Tokens(ctx, only)
	if err != nil {
		return nil, err
	}
	views := []PersonView{}
	for _, p := range people {
		if everybody || p.ID == by.Person {
			views = append(views, viewPerson(p, identities, tokens))
		}
	}
	return views, nil
}

func viewPerson(p Person, identities []Identity, tokens []Token) PersonView {
	v := PersonView{Person: p, Identities: []Identity{}, Tokens: []Token{}}
	for _, i := range identities {
		if i.Person == p.ID {
			v.Identities = append(v.Identities, i)
		}
	}
	for _, t := range tokens {
		if t.Person == p.ID {
			v.Tokens = append(v.Tokens, t)
		}
	}
	return v
}

// FindPerson returns who is meant by an id, a prefix of one, or a name. Whoever
// may not see the others finds themselves only.
func (g *Gateway) FindPerson(ctx context.Context, by Actor, nameOrID string) (Person, error) {
	p, err := g.Store.FindPerson(ctx, nameOrID)
	if err == nil && p.ID == by.Person {
		return p, nil
	}
	if may := g.May(by, rights.Route, toSeePeople); may != nil {
		return Person{}, may
	}
	if errors.Is(err, store.ErrAmbiguous) {
		return Person{}, &Error{http.StatusConflict, "ambiguous", "several people fit " + errand.Cut(nameOrID, 60) + ": write their id, or more of it"}
	}
	return p, known(err)
}

// SetRole gives a person another role. Nobody gives more than they have, nor
// changes what somebody above them is; the last master_admin stays one.
func (g *Gateway) SetRole(ctx context.Context, by Actor, id errand.PersonID, role errand.Role) (Person, error) {
	if err := g.May(by, rights.Route, toChangePeople); err != nil {
		return Person{}, err
	}
	if err := g.canGive(by, role); err != nil {
		return Person{}, err
	}
	if err := g.notAbove(ctx, by, id); err != nil {
		return Person{}, err
	}
	p, err := g.Store.SetRole(ctx, id, role)
	if err != nil {
		return Person{}, g.explain(err)
	}
	g.Logger.Info("role changed", "person", id, "role", role, "by", by.Person)
	return p, nil
}

func (g *Gateway) canGive(by Actor, role errand.Role) error {
	if !role.Valid() {
		return badRequest("role", "there is no role %q; there are %s", errand.Cut(string(role), 40), strings.Join(g.Rights.Names(), ", "))
	}
	if !by.Role.Includes(role) {
		return forbidden("nobody gives more than they have: yours is the role %s", g.Rights.Name(by.Role))
	}
	return nil
}

// notAbove fails if a person has more rights than whoever is to change them.
func (g *Gateway) notAbove(ctx context.Context, by Actor, id errand.PersonID) error {
	p, err := g.Store.Person(ctx, id)
	if err != nil {
		return known(err)
	}
	if !by.Role.Includes(p.Role) {
		return forbidden("%s has the role %s, and you have %s", p.Name, g.Rights.Name(p.Role), g.Rights.Name(by.Role))
	}
	return nil
}

// explain says what the store refused about people, and what can be done.
func (g *Gateway) explain(err error) error {
	if errors.Is(err, store.ErrLastAdmin) {
		return &Error{http.StatusConflict, "last_admin", "that is the last " + g.Rights.Name(errand.MasterAdmin) +
			": give somebody else that role first, or nobody could decide about people any more"}
	}
	return known(err)
}

// ownOr lets people do something to themselves, and others by the table.
func (g *Gateway) ownOr(ctx context.Context, by Actor, id errand.PersonID, right string) error {
	if by.Person == id {
		return nil
	}
	if err := g.May(by, rights.Route, right); err != nil {
		return err
	}
	return g.notAbove(ctx, by, id)
}

// SetLanguage sets the language in which errand itself speaks to a person; empty:
// the installation's.
func (g *Gateway) SetLanguage(ctx context.Context, by Actor, id errand.PersonID, language string) error {
	if err := g.ownOr(ctx, by, id, toChangePeople); err != nil {
		return err
	}
	if language != "" {
		if err := texts.CheckLanguage(language); err != nil {
			return badRequest("language", "%v", err)
		}
	}
	_, err := g.Store.SetLanguage(ctx, id, language)
	return known(err)
}

// SetName sets what a person is called.
func (g *Gateway) SetName(ctx context.Context, by Actor, id errand.PersonID, name string) error {
	if err := g.ownOr(ctx, by, id, toChangePeople); err != nil {
		return err
	}
	if name = shortName(name); name == "" {
		return badRequest("name", "the name is empty")
	}
	_, err := g.Store.SetName(ctx, id, name)
	return known(err)
}

// shortName is what is kept of a name that somebody gives: empty, if it shows
// nothing.
func shortName(name string) string {
	name = strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if name = shown(name); isBlank(name) {
		return ""
	}
	return errand.Cut(strings.Join(strings.Fields(name), " "), longestName)
}

// RemovePerson takes a person out: none of their identities and tokens is known
// any more, and what is at work for them is canceled. What they said stays until
// it is deleted.
func (g *Gateway) RemovePerson(ctx context.Context, by Actor, id errand.PersonID) error {
	if err := g.May(by, rights.Route, toRemovePeople); err != nil {
		return err
	}
	if err := g.notAbove(ctx, by, id); err != nil {
		return err
	}
	if id == g.Owner && id != "" {
		return &Error{http.StatusConflict, "owner", "the owner is whoever sits at the machine, and cannot be removed; another role can be given to them"}
	}
	if err := g.Store.RemovePerson(ctx, id); err != nil {
		return g.explain(err)
	}
	g.Logger.Info("person removed", "person", id, "by", by.Person)
	g.cancelTasksOf(ctx, id)
	return nil
}

// cancelTasksOf cancels what is at work for somebody who was removed: nobody is
// left to tell, and it would go on costing. They have no rights any more, whether
// or not it succeeds.
func (g *Gateway) cancelTasksOf(ctx context.Context, id errand.PersonID) {
	_, err := g.cancelAll(context.WithoutCancel(ctx), store.TaskFilter{Person: id}, "whoever asked for it was removed")
	if err != nil {
		g.Logger.Warn("tasks of a removed person not canceled", "person", id, "error", err)
	}
}

// Link says that whoever has an id on a channel is a person. An empty account
// stands for all of ours on that channel: the id is nobody else's then, where it is
// the same on all. Whoever waits to be let in with it is let in.
func (g *Gateway) Link(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	if err := g.May(by, rights.Route, toLink); err != nil {
		return err
	}
	if err := g.notAbove(ctx, by, id); err != nil {
		return err
	}
	channel, account, externalID = strings.TrimSpace(channel), strings.TrimSpace(account), strings.TrimSpace(externalID)
	if channel == "" || !isExternalID(externalID) || len(channel)+len(account) > longestID {
		return badRequest("identity", "an identity is a channel and the id that somebody has there, such as telegram and 12345678")
	}
	if err := g.notAboveOwners(ctx, by, channel, externalID); err != nil {
		return err
	}
	err := g.Store.AddIdentity(ctx, Identity{Channel: channel, Account: account, ExternalID: externalID, Person: id})
	if err != nil {
		return known(err)
	}
	return g.approveLinked(ctx, by, id, channel, account, externalID)
}

// notAboveOwners fails if somebody to whom an id belongs has more rights than
// whoever is to take it from them.
func (g *Gateway) notAboveOwners(ctx context.Context, by Actor, channel, externalID string) error {
	owners, err := g.Store.Owners(ctx, channel, externalID)
	if err != nil {
		return err
	}
	for _, p := range owners {
		if err := g.notAbove(ctx, by, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// approveLinked decides what was asked by somebody who has just become known.
func (g *Gateway) approveLinked(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	waiting, err := g.Store.Pairings(ctx, true)
	if err != nil {
		return err
	}
	for _, p := range waiting {
		if !holdsOn(Identity{Channel: channel, Account: account}, errand.Account{Channel: p.Channel, Name: p.Account}) ||
			p.ExternalID != externalID && !slices.Contains(p.OtherIDs, externalID) {
			continue
		}
		in, also, err := g.Store.Approve(ctx, store.ApprovePairing{Code: p.Code, By: by.Person, As: id, Tell: g.welcome})
		if errors.Is(err, store.ErrClosed) {
			continue // decided meanwhile
		}
		if err != nil {
			return err
		}
		for _, a := range append([]store.Approved{in}, also...) {
			g.begin(ctx, a)
		}
	}
	return nil
}

// Unlink takes an identity from a person; where ids are the same on all accounts,
// without an account from all.
func (g *Gateway) Unlink(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	if err := g.May(by, rights.Route, toLink); err != nil {
		return err
	}
	if err := g.notAbove(ctx, by, id); err != nil {
		return err
	}
	list, err := g.Store.Identities(ctx, id)
	if err != nil {
		return err
	}
	found := false
	for _, i := range list {
		if i.Channel != channel || i.ExternalID != externalID || i.Account != account && (account != "" || !errand.SharesIDs(channel)) {
			continue
		}
		if err := g.Store.RemoveIdentity(ctx, channel, i.Account, externalID); err != nil {
			return known(err)
		}
		found = true
	}
	if found {
		return nil
	}
	return &Error{http.StatusNotFound, "not_found", "that is no identity of " + string(id) + "; the list of people shows theirs"}
}
