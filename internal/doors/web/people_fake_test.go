package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
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
	case core.PersonID:
		return string(v)
	case core.SessionKey:
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

func (m *memory) ActorOf(_ context.Context, id core.PersonID) (actor.Actor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.people[id]
	if !ok {
		return actor.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return actor.Actor{Person: p.ID, Role: p.Role, Name: p.Name, Language: p.Language}, nil
}

func (m *memory) Login(ctx context.Context, token string) (actor.Actor, error) {
	m.mu.Lock()
	id, ok := m.logins[token]
	m.mu.Unlock()
	if !ok {
		m.nobody.Add(1)
		return actor.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return m.ActorOf(ctx, id)
}

func (m *memory) NewLogin(_ context.Context, by actor.Actor, _ string, _ time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	login := "login-" + string(by.Person)
	m.logins[login] = by.Person
	return login, nil
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

func (m *memory) AskLogin(_ context.Context, name, language, address string) (core.Pairing, string, error) {
	if name == "" {
		return core.Pairing{}, "", refused(service.KindInvalid, "name")
	}
	m.note("AskLogin", name+" "+language+" "+address)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asking["secret-"+name] = "pending"
	return core.Pairing{Code: "ABCD2345", Expires: time.Now().Add(time.Hour)}, "secret-" + name, nil
}

func (m *memory) LoginState(ctx context.Context, secret string) (string, actor.Actor, error) {
	m.mu.Lock()
	state, ok := m.asking[secret]
	m.mu.Unlock()
	if !ok {
		return "", actor.Actor{}, refused(service.KindUnauthenticated, "token")
	}
	return state, actor.Actor{}, nil
}

func (m *memory) MayUse(by actor.Actor, k rights.Kind, name string) error {
	if !api.Rights().May(by.Role, k, name) {
		return refused(service.KindForbidden, "forbidden")
	}
	return nil
}

// whose and others refuse as the service does.
func whose(by actor.Actor, asked core.PersonID) (core.PersonID, error) {
	switch {
	case asked == "" || asked == by.Person:
		return by.Person, nil
	case asked == "*":
		return "", others(by, rights.OthersRead)
	}
	return asked, others(by, rights.OthersRead)
}

func others(by actor.Actor, capability string) error {
	if api.Rights().May(by.Role, rights.Capability, capability) {
		return nil
	}
	return service.Forbidden("%s is not for the role %s", capability, by.Role)
}

func (m *memory) bindPeople(r *ops.Runner) {
	ops.Bind(r, api.GetMe, func(_ context.Context, by actor.Actor, in api.GetMeInput) (api.Me, error) {
		return api.Me{Agents: []core.AgentName{}, ID: by.Person, Language: by.Language, Login: in.Login, Name: by.Name, Role: by.Role}, nil
	})
	ops.Bind(r, api.ChangeMe, func(_ context.Context, by actor.Actor, in api.ChangeMeInput) (api.ChangedMe, error) {
		if in.Body.Language != nil {
			m.change(by.Person, func(p *core.Person) { p.Language = *in.Body.Language })
		}
		return api.ChangedMe{ID: by.Person}, nil
	})
	ops.Bind(r, api.CreateLoginLink, func(_ context.Context, by actor.Actor, in api.CreateLoginLinkInput) (api.LoginLink, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.links["link-"+string(by.Person)] = by.Person
		return api.LoginLink{Addresses: in.Addresses, Path: "/open#link-" + string(by.Person), PublicURL: in.PublicURL}, nil
	})
	ops.Bind(r, api.ChangePerson, func(_ context.Context, _ actor.Actor, in api.ChangePersonInput) (core.Person, error) {
		p := core.Person{ID: core.PersonID(in.ID)}
		if in.Body.Role != nil {
			p.Role = core.Role(*in.Body.Role)
		}
		return p, nil
	})
	ops.Bind(r, api.DeletePerson, func(_ context.Context, _ actor.Actor, in api.PersonID) (core.Person, error) {
		return core.Person{ID: core.PersonID(in.ID)}, nil
	})
	ops.Bind(r, api.RemoveIdentity, func(_ context.Context, _ actor.Actor, in api.RemoveIdentityInput) (core.Person, error) {
		m.note("RemoveIdentity", in.ID+" "+in.Channel+" "+in.Account+" "+in.ExternalID)
		return core.Person{}, nil
	})
	ops.Bind(r, api.ListPairings, func(_ context.Context, _ actor.Actor, in api.ListPairingsInput) ([]core.Pairing, error) {
		m.note("Pairings", strconv.FormatBool(in.Waiting))
		return nil, nil
	})
	ops.Bind(r, api.DenyPairing, func(_ context.Context, _ actor.Actor, in api.PairingCode) (api.DeniedPairing, error) {
		return api.DeniedPairing{Code: in.Code}, nil
	})
	ops.Bind(r, api.SetPushSubscription, func(_ context.Context, _ actor.Actor, in api.SetPushSubscriptionInput) (core.PushSubscription, error) {
		return core.PushSubscription{Label: in.Label}, nil
	})
	ops.Bind(r, api.ListAudit, func(_ context.Context, by actor.Actor, in api.ListAuditInput) (list api.List[core.AuditEntry], _ error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asks = by
		m.asked = append(m.asked, fmt.Sprintf("Audit %s|%s|%s|%d|%d|%d", in.Person, in.Deed, in.Of, in.Since.Unix(), in.Before, in.Limit))
		list.Items = append(list.Items, core.AuditEntry{ID: 7})
		return list, nil
	})
	answerNothing(r, api.ListPeople)
	answerNothing(r, api.AddIdentity)
	answerNothing(r, api.ApprovePairing)
	answerNothing(r, api.ListRefusals)
	answerNothing(r, api.GetPush)
	answerNothing(r, api.DeletePushSubscription)
}

func (m *memory) change(id core.PersonID, do func(*core.Person)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.people[id]
	do(&p)
	m.people[id] = p
}
