package service

import (
	"context"
	"errors"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// AskLogin asks for a browser at an address to be let in. secret is what it will
// be known by once somebody approves the code, and worth nothing before.
func (s *Service) AskLogin(ctx context.Context, name, language, address string) (p Pairing, secret string, err error) {
	access := s.Access.On(errand.WebRoute(""))
	if access.Mode == AccessAllowlist {
		return p, "", Forbidden("refusal.ask")
	}
	secret = store.NewSecret()
	ask := store.AskPairing{Secret: secret, Pairing: Pairing{
		Channel: errand.ChannelWeb, Account: errand.LocalAccount, ExternalID: "browser-" + errand.ShortID(8),
		Name: ShortName(name), Language: KnownLanguage(language), Address: address,
	}}
	p, _, err = s.Store.AskPairing(ctx, ask)
	if err == nil && access.Mode == AccessOpen {
		var in store.Approved
		in, _, err = s.Store.Approve(ctx, store.ApprovePairing{Code: p.Code, Role: access.RoleOr(errand.Guest)})
		p = in.Pairing
	}
	if err != nil {
		return p, "", err
	}
	s.Logger.Info("somebody asks to be let in", "channel", p.Channel, "sender", p.ExternalID)
	return p, secret, nil
}

// LoginState tells a browser what became of its request: pending, approved, denied
// or expired.
func (s *Service) LoginState(ctx context.Context, secret string) (string, Actor, error) {
	by, err := s.Login(ctx, secret)
	if err == nil {
		return string(store.PairingApproved), by, nil
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		return "", Actor{}, err
	}
	p, err := s.Store.PairingBySecret(ctx, secret)
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

// Pairings lists who asks to be let in, and who did lately, the newest first; with
// waiting, only those about whom somebody can decide.
func (s *Service) Pairings(ctx context.Context, by Actor, waiting bool) ([]Pairing, error) {
	if err := s.may(by, rights.PairingsDecide); err != nil {
		return nil, err
	}
	list, err := s.Store.Pairings(ctx, waiting)
	if err != nil {
		return nil, err
	}
	for i, p := range list {
		if p.State != store.PairingPending {
			continue
		}
		// Their ids may have become somebody's since they asked.
		known, err := s.Store.Identify(ctx, p.Channel, p.Account, append([]string{p.ExternalID}, p.OtherIDs...)...)
		switch {
		case err == nil:
			list[i].Person = known.ID
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	}
	return list, nil
}

// Approve lets in whoever asked with a code: as a new person with a role (empty:
// member), or as a person who is there, whose role stays. They are told so in
// their chat, and what they wrote before is answered. Approving twice changes
// nothing.
func (s *Service) Approve(ctx context.Context, by Actor, code string, role errand.Role, as errand.PersonID) (Pairing, Person, error) {
	if err := s.may(by, rights.PairingsDecide); err != nil {
		return Pairing{}, Person{}, err
	}
	ctx = doing(ctx, by)
	if role == "" {
		role = errand.Lesser(errand.Member, by.Role)
	}
	if err := s.canGive(by, role); err != nil {
		return Pairing{}, Person{}, err
	}
	if err := s.mayMakeDecider(by, role); err != nil {
		return Pairing{}, Person{}, err
	}
	asked, err := s.Store.Pairing(ctx, code)
	if err != nil {
		return Pairing{}, Person{}, Known(err)
	}
	if as != "" {
		if err := s.mayRaise(ctx, by, as); err != nil {
			return Pairing{}, Person{}, err
		}
		for _, id := range append([]string{asked.ExternalID}, asked.OtherIDs...) {
			if err := s.notAboveOwners(ctx, by, asked.Channel, id); err != nil {
				return Pairing{}, Person{}, err
			}
		}
	}
	in, also, err := s.approveAndWelcome(ctx, approving(by, asked.Code, as, role))
	if err != nil {
		return in.Pairing, Person{}, undecided(in.Pairing, err)
	}
	for _, a := range append([]store.Approved{in}, also...) {
		s.Logger.Info("somebody was let in", "channel", a.Pairing.Channel, "sender", a.Pairing.ExternalID, "person", a.Person.ID, "by", by.Person)
		s.begin(ctx, a)
	}
	return in.Pairing, in.Person, nil
}

// approving lets somebody in by whoever does it.
func approving(by Actor, code string, as errand.PersonID, role errand.Role) store.ApprovePairing {
	return store.ApprovePairing{Code: code, By: by.Person, As: as, Role: role, Parent: by.token, Program: by.program, Scope: string(by.scope)}
}

// approveAndWelcome lets somebody in, with words for each who turns out to be let in.
func (s *Service) approveAndWelcome(ctx context.Context, in store.ApprovePairing) (store.Approved, []store.Approved, error) {
	in.Welcomes = map[store.Newcomer]string{}
	for {
		a, also, err := s.Store.Approve(ctx, in)
		var unwelcomed *store.UnwelcomedError
		if !errors.As(err, &unwelcomed) {
			return a, also, err
		}
		for _, who := range unwelcomed.Newcomers {
			in.Welcomes[who] = s.welcome(who)
		}
	}
}

// welcome is what somebody is told who is let in: by the name that they gave, for
// who they are to errand may have another.
func (s *Service) welcome(who store.Newcomer) string {
	key := "pairing.approved"
	switch {
	case who.Wrote && who.More:
		key = "pairing.approved_some"
	case who.Wrote:
		key = "pairing.approved_wrote"
	case who.More:
		key = "pairing.approved_again"
	}
	return s.Texts.For(who.Language, who.Asked, s.Language).Localize(key, "name", who.Name)
}

func (s *Service) begin(ctx context.Context, a store.Approved) {
	if a.Welcomed {
		s.WakeOutbox(ctx, a.Pairing.Route)
	}
	if a.Wrote > 0 {
		if err := s.AcceptPairingMessages(ctx, a.Pairing.Code); err != nil {
			s.Logger.Warn("what somebody wrote before they were let in waits; the watchdog sees to it", "channel", a.Pairing.Channel, "error", err)
		}
	}
}

// AcceptPairingMessages accepts what somebody wrote before they were let in with a code, and
// wakes their session.
func (s *Service) AcceptPairingMessages(ctx context.Context, code string) error {
	row, ok, err := s.Store.AcceptPairingMessages(ctx, code)
	if err != nil || !ok {
		return err
	}
	return s.Dispatch.WakeSession(ctx, row.Session, row.ID)
}

// Deny refuses whoever asked with a code.
func (s *Service) Deny(ctx context.Context, by Actor, code string) error {
	if err := s.may(by, rights.PairingsDecide); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	p, err := s.Store.Deny(ctx, code, by.Person)
	if err != nil {
		return undecided(p, err)
	}
	s.Logger.Info("somebody was not let in", "channel", p.Channel, "sender", p.ExternalID, "by", by.Person)
	return nil
}

func undecided(p Pairing, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return Known(err)
	}
	text := map[store.PairingState]texts.Key{
		store.PairingExpired:  "refusal.code_expired",
		store.PairingDenied:   "refusal.code_denied",
		store.PairingApproved: "refusal.code_approved",
	}
	return conflict(string(p.State), text[p.State], "code", p.Code)
}

// Refusals lists the senders that were turned away, the last one first.
func (s *Service) Refusals(ctx context.Context, by Actor) ([]Refusal, error) {
	if err := s.may(by, rights.RefusalsRead); err != nil {
		return nil, err
	}
	return s.Store.Refusals(ctx)
}
