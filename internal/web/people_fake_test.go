package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// The part of the fake that knows people. Every token it hands out is
// "token-<person>", every login "login-<person>".

func (m *memory) note(function string, about any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, strings.TrimSpace(function+" "+text(about)))
}

func text(v any) string {
	switch v := v.(type) {
	case errand.PersonID:
		return string(v)
	case errand.SessionKey:
		return string(v)
	case string:
		return v
	}
	return ""
}

func (m *memory) was(asked string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.asked {
		if a == asked {
			return true
		}
	}
	return false
}

func refused(kind service.Kind, code string) error {
	return &service.Error{Kind: kind, Code: code, Message: code}
}

func (m *memory) ActorOf(_ context.Context, id errand.PersonID) (service.Actor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.people[id]
	if !ok {
		return service.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return service.Actor{Person: p.ID, Role: p.Role, Name: p.Name, Language: p.Language}, nil
}

func (m *memory) Login(ctx context.Context, token string) (service.Actor, error) {
	m.mu.Lock()
	id, ok := m.logins[token]
	m.mu.Unlock()
	if !ok {
		m.nobody.Add(1)
		return service.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return m.ActorOf(ctx, id)
}

func (m *memory) NewLogin(_ context.Context, by service.Actor, _ string, _ time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	login := "login-" + string(by.Person)
	m.logins[login] = by.Person
	return login, nil
}

func (m *memory) NewLink(_ context.Context, by service.Actor) (string, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	link := "link-" + string(by.Person)
	m.links[link] = by.Person
	return link, time.Now(), nil
}

func (m *memory) RedeemLink(_ context.Context, link, _ string, _ time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	person, ok := m.links[link]
	if !ok {
		return "", refused(service.KindUnauthenticated, "link")
	}
	delete(m.links, link)
	m.logins["login-"+string(person)] = person
	return "login-" + string(person), nil
}

func (m *memory) Logout(_ context.Context, token string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.logins, token)
	return nil
}

func (m *memory) AskLogin(_ context.Context, name, language, address string) (service.Pairing, string, error) {
	if name == "" {
		return service.Pairing{}, "", refused(service.KindInvalid, "name")
	}
	m.note("AskLogin", name+" "+language+" "+address)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking["secret-"+name] = "pending"
	return service.Pairing{Code: "ABCD2345", Expires: time.Now().Add(time.Hour)}, "secret-" + name, nil
}

func (m *memory) LoginState(ctx context.Context, secret string) (string, service.Actor, error) {
	m.mu.Lock()
	state, ok := m.asking[secret]
	m.mu.Unlock()
	if !ok {
		return "", service.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return state, service.Actor{}, nil
}

func (m *memory) TextsFor(languages ...string) texts.Texts {
	c, _ := texts.New(nil)
	return c.For(languages...)
}

func (m *memory) MayUse(by service.Actor, k rights.Kind, name string) error {
	if !rights.Default().May(by.Role, k, name) {
		return refused(service.KindForbidden, "forbidden")
	}
	return nil
}

// whose and others refuse as the service does.
func whose(by service.Actor, asked errand.PersonID) (errand.PersonID, error) {
	switch {
	case asked == "" || asked == by.Person:
		return by.Person, nil
	case asked == "*":
		return "", others(by, rights.OthersRead)
	}
	return asked, others(by, rights.OthersRead)
}

func others(by service.Actor, capability string) error {
	if rights.Default().May(by.Role, rights.Capability, capability) {
		return nil
	}
	return service.Forbidden("%s is not for the role %s", capability, by.Role)
}

func (m *memory) People(context.Context, service.Actor, service.Page) ([]service.PersonView, error) {
	return nil, nil
}

func (m *memory) FindPerson(_ context.Context, _ service.Actor, name string) (service.Person, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.people[errand.PersonID(name)]
	if !ok {
		return p, refused(service.KindNotFound, "not_found")
	}
	return p, nil
}

func (m *memory) change(id errand.PersonID, do func(*service.Person)) service.Person {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.people[id]
	do(&p)
	m.people[id] = p
	return p
}

func (m *memory) SetRole(_ context.Context, _ service.Actor, id errand.PersonID, role errand.Role) (service.Person, error) {
	return m.change(id, func(p *service.Person) { p.Role = role }), nil
}

func (m *memory) SetTimeZone(_ context.Context, _ service.Actor, id errand.PersonID, zone string) (service.Person, error) {
	return m.change(id, func(p *service.Person) { p.TimeZone = zone }), nil
}

func (m *memory) SetLanguage(_ context.Context, _ service.Actor, id errand.PersonID, language string) error {
	m.change(id, func(p *service.Person) { p.Language = language })
	return nil
}

func (m *memory) SetName(_ context.Context, _ service.Actor, id errand.PersonID, name string) error {
	m.change(id, func(p *service.Person) { p.Name = name })
	return nil
}

func (m *memory) RemovePerson(_ context.Context, _ service.Actor, id errand.PersonID) error {
	m.note("RemovePerson", id)
	return nil
}

func (m *memory) Link(_ context.Context, _ service.Actor, id errand.PersonID, channel, _, external string) error {
	m.note("Link", string(id)+" "+channel+" "+external)
	return nil
}

func (m *memory) Unlink(_ context.Context, _ service.Actor, id errand.PersonID, channel, _, external string) error {
	m.note("Unlink", string(id)+" "+channel+" "+external)
	return nil
}

func (m *memory) Tokens(context.Context, service.Actor, errand.PersonID) ([]service.Token, error) {
	return nil, nil
}

func (m *memory) CreateToken(_ context.Context, _ service.Actor, id errand.PersonID, in service.NewToken) (string, service.Token, error) {
	return "token-" + string(id), service.Token{ID: "k-2", Person: id, Kind: "api", Name: in.Name, Scope: in.Scope, Expires: time.Unix(0, 0).Add(in.ValidFor)}, nil
}

func (m *memory) RevokeOwnToken(_ context.Context, _ service.Actor, id string) error {
	m.note("RevokeOwnToken", id)
	return nil
}

func (m *memory) RevokeToken(_ context.Context, _ service.Actor, id string) error {
	m.note("RevokeToken", id)
	return nil
}

func (m *memory) Pairings(_ context.Context, _ service.Actor, waiting bool) ([]service.Pairing, error) {
	m.note("Pairings", strconv.FormatBool(waiting))
	return nil, nil
}

func (m *memory) Approve(_ context.Context, _ service.Actor, code string, role errand.Role, as errand.PersonID) (service.Pairing, service.Person, error) {
	m.note("Approve", strings.TrimSpace(code+" "+string(role)+" "+string(as)))
	return service.Pairing{Code: code}, service.Person{ID: "p-new", Role: role}, nil
}

func (m *memory) Deny(_ context.Context, _ service.Actor, code string) error {
	m.note("Deny", code)
	return nil
}

func (m *memory) Refusals(context.Context, service.Actor) ([]service.Refusal, error) {
	return nil, nil
}
