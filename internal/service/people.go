package service

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/when"
)

const maxPersonName = 80 // characters

func (e *Env) actorOf(ctx context.Context, id core.PersonID) (actor.Actor, error) {
	p, err := e.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return actor.Actor{}, Forbidden("refusal.unknown_person", "person", strconv.Quote(core.Cut(string(id), 40)))
	}
	return ActorFor(p), err
}

// ActorFor returns an actor for a person row that was just read.
func ActorFor(p core.Person) actor.Actor {
	return actor.Actor{Person: p.ID, Role: p.Role, Name: p.Name, Language: p.Language, TimeZone: p.TimeZone}
}

// ActorAs returns a person as an actor, with the lower of their current role and most. An empty
// most changes nothing.
func (e *Env) ActorAs(ctx context.Context, id core.PersonID, most core.Role) (actor.Actor, error) {
	by, err := e.actorOf(ctx, id)
	if most != "" {
		by.Role = core.Lesser(by.Role, most)
	}
	return by, err
}

// People has the operations on people.
type People struct {
	*Env
	pairings  *Pairings
	tasks     *Tasks
	agents    *Agents
	questions *Questions
	owner     core.PersonID
}

func (p *People) bind(r *ops.Runner) {
	ops.Bind(r, api.ListPeople, p.list)
	ops.Bind(r, api.ChangePerson, p.change)
	ops.Bind(r, api.DeletePerson, p.remove)
	ops.Bind(r, api.AddIdentity, p.link)
	ops.Bind(r, api.RemoveIdentity, p.unlink)
	ops.Bind(r, api.ListOwnIdentities, p.listOwnIdentities)
	ops.Bind(r, api.GetMe, p.me)
	ops.Bind(r, api.ChangeMe, p.changeMe)
}

func (p *People) list(ctx context.Context, _ actor.Actor, in api.ListPeopleInput) (out api.List[api.PersonView], err error) {
	after, err := ParseCursor(api.ListPeople.Name, in.After.After)
	if err != nil {
		return out, err
	}
	people, err := paged(p.Store.People(ctx, Page{After: after, Limit: in.Limit}))
	if err != nil {
		return out, err
	}
	identities, err := p.Store.Identities(ctx, "")
	if err != nil {
		return out, err
	}
	tokens, err := p.Store.Tokens(ctx, "")
	if err != nil {
		return out, err
	}
	var views []api.PersonView
	for _, person := range people {
		views = append(views, viewPerson(person, identities, tokens))
	}
	position := func(v api.PersonView) Position { return PositionOfPerson(v.Person) }
	return page(api.ListPeople.Name, in.Limit, views, position), nil
}

func (p *People) listOwnIdentities(ctx context.Context, by actor.Actor, _ api.None) ([]core.Identity, error) {
	return p.Store.Identities(ctx, by.Person)
}

func viewPerson(p core.Person, identities []core.Identity, tokens []core.Token) api.PersonView {
	v := api.PersonView{Person: p, Identities: []core.Identity{}, Tokens: []core.Token{}}
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

// findPerson finds a person by an id, a unique prefix of one, or a name. An actor who may not read
// people finds only themselves.
func (e *Env) findPerson(ctx context.Context, by actor.Actor, nameOrID string) (core.Person, error) {
	nameOrID, err := Words(nameOrID, "id", 100)
	if err != nil {
		return core.Person{}, err
	}
	if nameOrID == "" {
		return core.Person{}, badRequest("id", "say who")
	}
	if err := e.may(by, rights.SelfRead); err != nil {
		return core.Person{}, err
	}
	p, err := e.Store.FindPerson(ctx, nameOrID)
	if err == nil && p.ID == by.Person {
		return p, nil
	}
	if may := e.may(by, rights.PeopleRead); may != nil {
		return core.Person{}, may
	}
	if errors.Is(err, store.ErrAmbiguous) {
		return core.Person{}, conflict("ambiguous", "refusal.several_people", "name", core.Cut(nameOrID, 60))
	}
	return p, Known(err)
}

func (e *Env) findPersonBelow(ctx context.Context, by actor.Actor, in api.PersonID) (core.Person, error) {
	p, err := e.findPerson(ctx, by, in.ID)
	if err == nil && p.ID != by.Person {
		err = e.notAbove(by, p)
	}
	return p, err
}

// change changes the role first, because the store may refuse that.
func (p *People) change(ctx context.Context, by actor.Actor, in api.ChangePersonInput) (person core.Person, err error) {
	if in.Body.Role == nil && in.Body.PersonChange == (api.PersonChange{}) {
		return person, badRequest("empty", "name what to change: role, language, name or time_zone")
	}
	if person, err = p.findPersonBelow(ctx, by, in.PersonID); err != nil {
		return person, err
	}
	to, err := checkedChange(in.Body.PersonChange)
	if err == nil && to != (store.PersonChange{}) && person.ID == by.Person {
		err = p.may(by, rights.SelfChange)
	}
	if err != nil {
		return person, err
	}
	if in.Body.Role != nil {
		if person, err = p.setRole(ctx, by, person, *in.Body.Role); err != nil {
			return person, err
		}
	}
	if to != (store.PersonChange{}) {
		person, err = p.Store.ChangePerson(ctx, person.ID, to)
	}
	return person, Known(err)
}

// setRole gives a person another role. It refuses a role above the actor's, a person above the
// actor, and taking the role from the last master_admin.
func (p *People) setRole(ctx context.Context, by actor.Actor, person core.Person, name string) (core.Person, error) {
	role, err := p.roleToGive(by, name)
	if err != nil {
		return core.Person{}, err
	}
	if err := p.mayRaise(by, person); err != nil {
		return core.Person{}, err
	}
	person, err = p.Store.SetRole(ctx, person.ID, role)
	if err != nil {
		return core.Person{}, p.explain(err)
	}
	p.Logger.Info("role changed", "person", person.ID, "role", role, "by", by.Person)
	return person, nil
}

func (e *Env) roleToGive(by actor.Actor, name string) (core.Role, error) {
	role, ok := e.Rights.Parse(name)
	switch {
	case !ok:
		return "", Invalid("role", "refusal.unknown_role",
			"role", strconv.Quote(core.Cut(name, 40)), "roles", strings.Join(e.Rights.Names(), ", "))
	case !by.Role.Includes(role):
		return "", Forbidden("refusal.gives", "role", e.roleWord(by.Role))
	}
	return role, e.mayMakeDecider(by, role)
}

func (e *Env) notAbove(by actor.Actor, p core.Person) error {
	if !by.Role.Includes(p.Role) {
		return Forbidden("refusal.above", "name", p.Name, "role", e.roleWord(p.Role), "yours", e.roleWord(by.Role))
	}
	return nil
}

// mayMakeDecider refuses tokens, which could otherwise approve through people whose roles they set.
func (e *Env) mayMakeDecider(by actor.Actor, role core.Role) error {
	if e.roleDecides(role) && !by.IsPerson() {
		return Forbidden("refusal.decides_token")
	}
	return nil
}

// mayRaise returns an error for people above the actor. It also refuses a token that would give
// rights to a person who decides approvals.
func (e *Env) mayRaise(by actor.Actor, p core.Person) error {
	if err := e.notAbove(by, p); err != nil {
		return err
	}
	return e.mayMakeDecider(by, p.Role)
}

func (e *Env) explain(err error) error {
	if errors.Is(err, store.ErrLastAdmin) {
		return conflict("last_admin", "refusal.last_admin", "role", e.roleWord(core.MasterAdmin))
	}
	return Known(err)
}

// checkedChange validates a change of a person for the store.
func checkedChange(to api.PersonChange) (checked store.PersonChange, err error) {
	if to.Language != nil && *to.Language != "" && texts.CheckLanguage(*to.Language) != nil {
		return checked, Invalid("language", "refusal.language", "language", strconv.Quote(core.Cut(*to.Language, 40)))
	}
	checked.Language = to.Language
	if to.Name != nil {
		name := ShortName(*to.Name)
		if name == "" {
			return checked, Invalid("name", "refusal.no_name")
		}
		checked.Name = &name
	}
	if to.TimeZone != nil {
		zone := strings.TrimSpace(*to.TimeZone)
		if zone != "" {
			found, err := when.Zone(zone)
			if err != nil {
				return checked, Invalid("time_zone", "refusal.time_zone", "zone", strconv.Quote(core.Cut(zone, 40)))
			}
			zone = found.String()
		}
		checked.TimeZone = &zone
	}
	return checked, nil
}

// ShortName cleans and shortens a name for the store. It returns "" if nothing of it is visible.
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
	return core.Cut(strings.Join(strings.Fields(name), " "), maxPersonName)
}

// remove deletes a person with their identities and tokens, and cancels their tasks. Their messages
// stay until they are deleted.
func (p *People) remove(ctx context.Context, by actor.Actor, in api.PersonID) (core.Person, error) {
	person, err := p.findPersonBelow(ctx, by, in)
	if err != nil {
		return person, err
	}
	if person.ID == p.owner {
		return person, conflict("owner", "refusal.owner")
	}
	if err := p.Store.RemovePerson(ctx, person.ID); err != nil {
		return person, p.explain(err)
	}
	p.Logger.Info("person removed", "person", person.ID, "by", by.Person)
	p.cancelTasksOf(ctx, person.ID)
	return person, nil
}

// cancelTasksOf cancels the tasks of a removed person, to save their cost. If that fails, the tasks
// end soon, because the person has no rights any more.
func (p *People) cancelTasksOf(ctx context.Context, id core.PersonID) {
	_, err := p.tasks.cancelAll(context.WithoutCancel(ctx), store.TaskFilter{Person: id}, "the person who asked for it was removed")
	if err != nil {
		p.Logger.Warn("removed person: tasks not canceled", "person", id, "error", err)
	}
}
