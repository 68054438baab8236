package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/when"
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

const longestName = 80 // characters

// ActorOf returns a person as who does something, with the role they have now.
func (s *Service) ActorOf(ctx context.Context, id errand.PersonID) (Actor, error) {
	p, err := s.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return Actor{}, Forbidden("refusal.unknown_person", "person", strconv.Quote(errand.Cut(string(id), 40)))
	}
	return ActorFor(p), err
}

// ActorFor is a person whose row has just been read, as who does something.
func ActorFor(p Person) Actor {
	return Actor{Person: p.ID, Role: p.Role, Name: p.Name, Language: p.Language, TimeZone: p.TimeZone}
}

// ActorAs is ActorOf with no higher role than most, if it is not empty: what a
// channel says of somebody can only narrow what they are.
func (s *Service) ActorAs(ctx context.Context, id errand.PersonID, most errand.Role) (Actor, error) {
	by, err := s.ActorOf(ctx, id)
	if most != "" {
		by.Role = errand.Lesser(by.Role, most)
	}
	return by, err
}

// People lists everybody, or, to those who may not see the others, themselves; all of them
// where p has no limit.
func (s *Service) People(ctx context.Context, by Actor, p Page) ([]PersonView, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return nil, err
	}
	everybody := s.may(by, rights.PeopleRead) == nil
	only := by.Person
	if everybody {
		only = ""
	}
	if !everybody {
		p.Limit = 0 // that of the others, among whom they are
	}
	people, err := paged(s.Store.PeoplePage(ctx, p))
	if err != nil {
		return nil, err
	}
	identities, err := s.Store.Identities(ctx, only)
	if err != nil {
		return nil, err
	}
	tokens, err := s.Store.Tokens(ctx, only)
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

// Identities lists what platforms know the actor by.
func (s *Service) Identities(ctx context.Context, by Actor) ([]Identity, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return nil, err
	}
	return s.Store.Identities(ctx, by.Person)
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
func (s *Service) FindPerson(ctx context.Context, by Actor, nameOrID string) (Person, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return Person{}, err
	}
	p, err := s.Store.FindPerson(ctx, nameOrID)
	if err == nil && p.ID == by.Person {
		return p, nil
	}
	if may := s.may(by, rights.PeopleRead); may != nil {
		return Person{}, may
	}
	if errors.Is(err, store.ErrAmbiguous) {
		return Person{}, conflict("ambiguous", "refusal.several_people", "name", errand.Cut(nameOrID, 60))
	}
	return p, Known(err)
}

// SetRole gives a person another role. Nobody gives more than they have, nor
// changes what somebody above them is; the last master_admin stays one.
func (s *Service) SetRole(ctx context.Context, by Actor, id errand.PersonID, role errand.Role) (Person, error) {
	if err := s.may(by, rights.PeopleChange); err != nil {
		return Person{}, err
	}
	ctx = doing(ctx, by)
	if err := s.canGive(by, role); err != nil {
		return Person{}, err
	}
	if err := s.mayMakeDecider(by, role); err != nil {
		return Person{}, err
	}
	if err := s.mayRaise(ctx, by, id); err != nil {
		return Person{}, err
	}
	p, err := s.Store.SetRole(ctx, id, role)
	if err != nil {
		return Person{}, s.explain(err)
	}
	s.Logger.Info("role changed", "person", id, "role", role, "by", by.Person)
	return p, nil
}

func (s *Service) canGive(by Actor, role errand.Role) error {
	if !role.Valid() {
		return Invalid("role", "refusal.unknown_role", "role", strconv.Quote(errand.Cut(string(role), 40)), "roles", strings.Join(s.Rights.Names(), ", "))
	}
	if !by.Role.Includes(role) {
		return Forbidden("refusal.gives", "role", s.roleWord(by.Role))
	}
	return nil
}

// notAbove fails if a person has more rights than whoever is to change them.
func (s *Service) notAbove(ctx context.Context, by Actor, id errand.PersonID) error {
	p, err := s.Store.Person(ctx, id)
	if err != nil {
		return Known(err)
	}
	if !by.Role.Includes(p.Role) {
		return Forbidden("refusal.above", "name", p.Name, "role", s.roleWord(p.Role), "yours", s.roleWord(by.Role))
	}
	return nil
}

// mayMakeDecider fails for a token, where a role is one of those who decide about approvals.
// It approves nothing, and would by whom it made, or by who it said that they are.
func (s *Service) mayMakeDecider(by Actor, role errand.Role) error {
	if s.roleDecides(role) && !by.IsPerson() {
		return Forbidden("refusal.decides_token")
	}
	return nil
}

// mayRaise fails where whoever asks is not to say who a person is, or what they may: of those
// above them, and, by a token, of those who decide about approvals.
func (s *Service) mayRaise(ctx context.Context, by Actor, id errand.PersonID) error {
	p, err := s.Store.Person(ctx, id)
	if err != nil {
		return Known(err)
	}
	if err := s.notAbove(ctx, by, id); err != nil {
		return err
	}
	return s.mayMakeDecider(by, p.Role)
}

func (s *Service) explain(err error) error {
	if errors.Is(err, store.ErrLastAdmin) {
		return conflict("last_admin", "refusal.last_admin", "role", s.roleWord(errand.MasterAdmin))
	}
	return Known(err)
}

// mayTo lets people do something to themselves by one capability, and to others, who
// are not above them, by another.
func (s *Service) mayTo(ctx context.Context, by Actor, id errand.PersonID, own, others string) error {
	if by.Person == id {
		return s.may(by, own)
	}
	if err := s.may(by, others); err != nil {
		return err
	}
	return s.notAbove(ctx, by, id)
}

// SetLanguage sets the language in which errand itself speaks to a person; empty:
// the installation's.
func (s *Service) SetLanguage(ctx context.Context, by Actor, id errand.PersonID, language string) error {
	if err := s.mayTo(ctx, by, id, rights.SelfChange, rights.PeopleChange); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if language != "" {
		if err := texts.CheckLanguage(language); err != nil {
			return Invalid("language", "refusal.language", "language", strconv.Quote(errand.Cut(language, 40)))
		}
	}
	_, err := s.Store.SetLanguage(ctx, id, language)
	return Known(err)
}

// SetTimeZone sets the zone whose clocks a person goes by, an IANA name; empty: the
// installation's.
func (s *Service) SetTimeZone(ctx context.Context, by Actor, id errand.PersonID, zone string) (Person, error) {
	if err := s.mayTo(ctx, by, id, rights.SelfChange, rights.PeopleChange); err != nil {
		return Person{}, err
	}
	ctx = doing(ctx, by)
	if zone = strings.TrimSpace(zone); zone != "" {
		found, err := when.Zone(zone)
		if err != nil {
			return Person{}, Invalid("time_zone", "refusal.time_zone", "zone", strconv.Quote(errand.Cut(zone, 40)))
		}
		zone = found.String()
	}
	p, err := s.Store.SetTimeZone(ctx, id, zone)
	return p, Known(err)
}

// SetName sets what a person is called.
func (s *Service) SetName(ctx context.Context, by Actor, id errand.PersonID, name string) error {
	if err := s.mayTo(ctx, by, id, rights.SelfChange, rights.PeopleChange); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if name = ShortName(name); name == "" {
		return Invalid("name", "refusal.no_name")
	}
	_, err := s.Store.SetName(ctx, id, name)
	return Known(err)
}

// ShortName is what is kept of a name that somebody gives: empty, if it shows
// nothing.
func ShortName(name string) string {
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
func (s *Service) RemovePerson(ctx context.Context, by Actor, id errand.PersonID) error {
	if err := s.may(by, rights.PeopleRemove); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if err := s.notAbove(ctx, by, id); err != nil {
		return err
	}
	if id == s.Owner && id != "" {
		return conflict("owner", "refusal.owner")
	}
	if err := s.Store.RemovePerson(ctx, id); err != nil {
		return s.explain(err)
	}
	s.Logger.Info("person removed", "person", id, "by", by.Person)
	s.cancelTasksOf(ctx, id)
	return nil
}

// cancelTasksOf cancels what is at work for somebody who was removed: nobody is
// left to tell, and it would go on costing. They have no rights any more, whether
// or not it succeeds.
func (s *Service) cancelTasksOf(ctx context.Context, id errand.PersonID) {
	_, err := s.cancelAll(context.WithoutCancel(ctx), store.TaskFilter{Person: id}, "whoever asked for it was removed")
	if err != nil {
		s.Logger.Warn("tasks of a removed person not canceled", "person", id, "error", err)
	}
}

// Link says that whoever has an id on a channel is a person. An empty account
// stands for all of ours on that channel: the id is nobody else's then, where it is
// the same on all. Whoever waits to be let in with it is let in.
func (s *Service) Link(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	if err := s.may(by, rights.PeopleLink); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if err := s.mayRaise(ctx, by, id); err != nil {
		return err
	}
	channel, account, externalID = strings.TrimSpace(channel), strings.TrimSpace(account), strings.TrimSpace(externalID)
	if !IsExternalID(channel) || !IsExternalID(externalID) || account != "" && !IsExternalID(account) || len(channel)+len(account) > longestID {
		return Invalid("identity", "refusal.identity")
	}
	if err := s.notAboveOwners(ctx, by, channel, externalID); err != nil {
		return err
	}
	err := s.Store.AddIdentity(ctx, Identity{Channel: channel, Account: account, ExternalID: externalID, Person: id})
	if err != nil {
		return Known(err)
	}
	return s.approveLinked(ctx, by, id, channel, account, externalID)
}

// notAboveOwners fails if somebody to whom an id belongs has more rights than
// whoever is to take it from them.
func (s *Service) notAboveOwners(ctx context.Context, by Actor, channel, externalID string) error {
	owners, err := s.Store.Owners(ctx, channel, externalID)
	if err != nil {
		return err
	}
	for _, p := range owners {
		if err := s.notAbove(ctx, by, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// approveLinked decides what was asked by somebody who has just become known.
func (s *Service) approveLinked(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	waiting, err := s.Store.Pairings(ctx, true)
	if err != nil {
		return err
	}
	for _, p := range waiting {
		if !(Identity{Channel: channel, Account: account}).HoldsOn(errand.Account{Channel: p.Channel, Name: p.Account}) ||
			p.ExternalID != externalID && !slices.Contains(p.OtherIDs, externalID) {
			continue
		}
		in, also, err := s.approveAndWelcome(ctx, approving(by, p.Code, id, ""))
		if errors.Is(err, store.ErrClosed) {
			continue // decided meanwhile
		}
		if err != nil {
			return err
		}
		for _, a := range append([]store.Approved{in}, also...) {
			s.begin(ctx, a)
		}
	}
	return nil
}

// Unlink takes an identity from a person; where ids are the same on all accounts,
// without an account from all.
func (s *Service) Unlink(ctx context.Context, by Actor, id errand.PersonID, channel, account, externalID string) error {
	if err := s.may(by, rights.PeopleLink); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if err := s.notAbove(ctx, by, id); err != nil {
		return err
	}
	list, err := s.Store.Identities(ctx, id)
	if err != nil {
		return err
	}
	found := false
	for _, i := range list {
		if i.Channel != channel || i.ExternalID != externalID || i.Account != account && (account != "" || !errand.SharesIDs(channel)) {
			continue
		}
		if err := s.Store.RemoveIdentity(ctx, channel, i.Account, externalID); err != nil {
			return Known(err)
		}
		found = true
	}
	if found {
		return nil
	}
	return Refuse(KindNotFound, "not_found", "refusal.no_identity", "person", id)
}
