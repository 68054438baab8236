package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
)

func usesOfPeople() map[string]use {
	return map[string]use{
		"listOwnTokens": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListOwnTokens, by, api.None{})
		}},
		"createOwnToken": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CreateOwnToken, by, api.CreateOwnTokenInput{})
		}},
		"revokeOwnToken": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			_, id := h.token(by.Person)
			return h.RevokeOwnToken(ctx, by, id)
		}},
		"listTokens": onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
			return do(ctx, h, api.ListTokens, by, of)
		}),
		"createToken": onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
			return do(ctx, h, api.CreateToken, by, api.CreateTokenInput{PersonID: of})
		}),
		"revokeToken": onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
			_, id := h.token(core.PersonID(of.ID))
			return h.RevokeToken(ctx, by, id)
		}),
		"createLoginLink": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CreateLoginLink, by, api.CreateLoginLinkInput{})
		}},
		"listPeople":   {own: func(ctx context.Context, h *house, by actor.Actor) error { _, err := h.People(ctx, by); return err }},
		"changePerson": changesPeople(),
		"deletePerson": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { return h.RemovePerson(ctx, by, by.Person) },
			others: func(ctx context.Context, h *house, by actor.Actor) error { return h.RemovePerson(ctx, by, other(by)) },
			audits: []func(context.Context, *house, actor.Actor) error{
				func(ctx context.Context, h *house, by actor.Actor) error { return h.RemovePerson(ctx, by, other(by)) },
			},
		},
		"addIdentity": linksPeople(),
		"removeIdentity": onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
			i := core.Identity{Channel: "discord", Account: "main", ExternalID: of.ID, Person: core.PersonID(of.ID)}
			if err := h.store.AddIdentity(h.t.Context(), i); err != nil {
				return err
			}
			return h.Unlink(ctx, by, i.Person, i.Channel, i.Account, i.ExternalID)
		}),
		"listOwnIdentities": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListOwnIdentities, by, api.None{})
		}},
		"getMe": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetMe, by, api.GetMeInput{})
		}},
		"changeMe": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return h.SetLanguage(ctx, by, by.Person, "es")
		}},
		"listPairings": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			_, err := h.Pairings(ctx, by, true)
			return err
		}},
		"approvePairing": onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
			_, _, err := h.Approve(ctx, by, h.asks(), "", core.PersonID(of.ID))
			return err
		}),
		"denyPairing":  {own: func(ctx context.Context, h *house, by actor.Actor) error { return h.Deny(ctx, by, h.asks()) }},
		"listRefusals": {own: func(ctx context.Context, h *house, by actor.Actor) error { _, err := h.Refusals(ctx, by); return err }},
		"listAudit":    {own: func(ctx context.Context, h *house, by actor.Actor) error { _, err := h.Audit(ctx, by, ""); return err }},
		"getPush": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetPush, by, api.None{})
		}},
		"setPushSubscription": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return h.subscribe(ctx, by, "https://push.example.org/")
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return h.subscribe(ctx, by, "http://127.0.0.1:9/")
			},
		},
		"deletePushSubscription": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.DeletePushSubscription, by, api.PushSubscriptionID{ID: "none"})
		}},
	}
}

func changesPeople() use {
	u := onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
		in := api.ChangePersonInput{PersonID: of}
		in.Body.Language = new("es")
		return do(ctx, h, api.ChangePerson, by, in)
	})
	u.audits = []func(context.Context, *house, actor.Actor) error{u.own, func(ctx context.Context, h *house, by actor.Actor) error {
		_, err := h.SetRole(ctx, by, other(by), core.Member)
		return err
	}}
	return u
}

// linksPeople gives people identities; in the audited uses, also that of a browser that waits for
// access.
func linksPeople() use {
	u := onPeople(func(ctx context.Context, h *house, by actor.Actor, of api.PersonID) error {
		return h.Link(ctx, by, core.PersonID(of.ID), "telegram", "", of.ID)
	})
	u.audits = []func(context.Context, *house, actor.Actor) error{u.own, func(ctx context.Context, h *house, by actor.Actor) error {
		asked, err := h.store.Pairing(ctx, h.asks())
		if err != nil {
			return err
		}
		return h.Link(ctx, by, by.Person, asked.Channel, asked.Account, asked.ExternalID)
	}}
	return u
}

// subscribe subscribes a browser of the actor, at a push service.
func (h *house) subscribe(ctx context.Context, by actor.Actor, service string) error {
	var in api.SetPushSubscriptionInput
	in.Body.Endpoint, in.Body.Auth = service+string(by.Person), "BTBZMqHH6r4Tts7J_aSIgg"
	in.Body.P256DH = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	return do(ctx, h, api.SetPushSubscription, by, in)
}

// onPeople uses an operation on the actor and on another person.
func onPeople(do func(context.Context, *house, actor.Actor, api.PersonID) error) use {
	return use{
		own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, by, api.PersonID{ID: string(by.Person)})
		},
		others: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, by, api.PersonID{ID: string(other(by))})
		},
	}
}
