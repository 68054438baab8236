package gateway

import (
	"context"
	"errors"
	"net/http"

	"errand"
	"errand/rights"
	"errand/store"
)

// AskLogin asks for a browser to be let in. secret is what it will be known by
// once somebody approves the code, and worth nothing before.
func (g *Gateway) AskLogin(ctx context.Context, name, language string) (p Pairing, secret string, err error) {
	access := g.access(errand.WebRoute(""))
	if access.Mode == AccessAllowlist {
		return p, "", forbidden("nobody is let in here by asking: whoever runs this errand can give you a token")
	}
	secret = store.NewSecret()
	ask := store.AskPairing{Secret: secret, Pairing: Pairing{
		Channel: errand.ChannelWeb, Account: errand.LocalAccount, ExternalID: "browser-" + errand.ShortID(8),
		Name: shortName(name), Language: knownLanguage(language),
	}}
	p, _, err = g.Store.AskPairing(ctx, ask)
	if errors.Is(err, store.ErrTooMany) {
		return p, "", &Error{http.StatusTooManyRequests, "too_many", "others are waiting to be let in already: try again once they have been answered, or in an hour"}
	}
	if err == nil && access.Mode == AccessOpen {
		p, _, _, err = g.Store.Approve(ctx, store.ApprovePairing{Code: p.Code, Role: access.role(errand.Guest)})
	}
	if err != nil {
		return p, "", err
	}
	g.Logger.Info("somebody asks to be let in", "channel", p.Channel, "sender", p.ExternalID)
	return p, secret, nil
}

// LoginState tells a browser what became of its request: pending, approved, denied
// or expired.
func (g *Gateway) LoginState(ctx context.Context, secret string) (string, Actor, error) {
	by, err := g.Login(ctx, secret)
	if err == nil {
		return string(store.PairingApproved), by, nil
	}
	var told *Error
	if !errors.As(err, &told) {
		return "", Actor{}, err
	}
	p, err := g.Store.PairingBySecret(ctx, secret)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", Actor{}, badToken()
	case err != nil:
		return "", Actor{}, err
	case p.State == store.PairingApproved: // and its token is gone since
		return string(store.PairingExpired), Actor{}, nil
	}
	return string(p.State), Actor{}, nil
}

// Pairings lists who asks to be let in, and who did lately, the newest first.
func (g *Gateway) Pairings(ctx context.Context, by Actor) ([]Pairing, error) {
	if err := g.May(by, rights.Command, toDecidePairing); err != nil {
		return nil, err
	}
	return g.Store.Pairings(ctx)
}

// Approve lets in whoever asked with a code: as a new person with a role (empty:
// member), or as a person who is there, whose role stays. They are told so in
// their chat. Approving twice changes nothing.
func (g *Gateway) Approve(ctx context.Context, by Actor, code string, role errand.Role, as errand.PersonID) (Pairing, Person, error) {
	if err := g.May(by, rights.Command, toDecidePairing); err != nil {
		return Pairing{}, Person{}, err
	}
	if role == "" {
		role = errand.Lesser(errand.Member, by.Role)
	}
	if err := g.canGive(by, role); err != nil {
		return Pairing{}, Person{}, err
	}
	if as != "" {
		if err := g.notAbove(ctx, by, as); err != nil {
			return Pairing{}, Person{}, err
		}
	}
	asked, err := g.Store.Pairing(ctx, code)
	if err != nil {
		return Pairing{}, Person{}, known(err)
	}
	p, person, told, err := g.Store.Approve(ctx, store.ApprovePairing{Code: asked.Code, By: by.Person, As: as, Role: role,
		Tell: func(p Person) string {
			return g.Texts.For(p.Language, asked.Language, g.Language).Say("pairing.approved", "name", p.Name)
		}})
	if err != nil {
		return p, Person{}, undecided(p, err)
	}
	g.Logger.Info("somebody was let in", "channel", p.Channel, "sender", p.ExternalID, "person", person.ID, "by", by.Person)
	if told {
		g.wake(ctx, p.Route)
	}
	return p, person, nil
}

// Deny refuses whoever asked with a code.
func (g *Gateway) Deny(ctx context.Context, by Actor, code string) error {
	if err := g.May(by, rights.Command, toDecidePairing); err != nil {
		return err
	}
	p, err := g.Store.Deny(ctx, code, by.Person)
	if err != nil {
		return undecided(p, err)
	}
	g.Logger.Info("somebody was not let in", "channel", p.Channel, "sender", p.ExternalID, "by", by.Person)
	return nil
}

// undecided says why a request cannot be decided any more.
func undecided(p Pairing, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return known(err)
	}
	text := map[store.PairingState]string{
		store.PairingExpired:  "has expired: they can ask again, and get another",
		store.PairingDenied:   "was denied: they can ask again an hour after they did",
		store.PairingApproved: "was approved already: take their rights away with another role, or remove them",
	}
	return &Error{http.StatusConflict, string(p.State), "the code " + p.Code + " " + text[p.State]}
}

// Refusals lists the senders that were turned away, the last one first.
func (g *Gateway) Refusals(ctx context.Context, by Actor) ([]Refusal, error) {
	if err := g.May(by, rights.Route, toSeeRefusals); err != nil {
		return nil, err
	}
	return g.Store.Refusals(ctx)
}
