package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"errand"
)

// LoginValid is how long a browser that was let in stays so.
const LoginValid = 180 * 24 * time.Hour

// An ApprovePairing lets somebody in.
type ApprovePairing struct {
	Code string
	By   errand.PersonID
	As   errand.PersonID // who they are; empty: a new person, unless the identity is somebody's
	Role errand.Role     // of a new person
	// Parent, Program and Scope are of the token that whoever approves asks by, as in
	// [Token]: the login of a browser is no more than that, and ends with it.
	Parent  string
	Program bool
	Scope   string
	// Welcomes are what they are told in their chat, for each who may turn out to be
	// let in; nil: nobody is told anything. Approve says which of them it lacks.
	Welcomes map[Newcomer]string
}

// A Newcomer is what the words depend on that somebody who is let in is told.
type Newcomer struct {
	Code     string // of the pairing
	Name     string // by which they asked, or else are known
	Language string // of the person; empty: not known
	Asked    string // the language in which they asked; likewise
	Wrote    bool   // messages of theirs are kept
	More     bool   // they sent something that is not
}

// An UnwelcomedError refuses to let anybody in before there are words for these
// newcomers: their caller words them and approves again.
type UnwelcomedError struct{ Newcomers []Newcomer }

func (e *UnwelcomedError) Error() string {
	return fmt.Sprintf("%d of those who are let in have no words to be welcomed with", len(e.Newcomers))
}

// An Approved is somebody who was let in.
type Approved struct {
	Pairing Pairing
	Person  Person
	// Wrote is how many messages of theirs are kept, for [Store.AcceptPairingMessages]; More
	// says that they sent something that is not.
	Wrote    int
	More     bool
	Welcomed bool // their welcome is in the outbox
}

// Approve lets in whoever asked with a code: the person, their identities, the
// token of their browser and what they are told are one transaction. Where they
// wait on other accounts too, that is decided with it: also are these. Approving
// twice changes nothing and returns who it is. It fails with ErrNotFound if there
// is no such code or person, and with ErrClosed if the request was denied or has
// expired; the request tells which. With an *[UnwelcomedError] nobody has been let in.
func (s *Store) Approve(ctx context.Context, in ApprovePairing) (a Approved, also []Approved, err error) {
	err = s.write(ctx, whoMayWhat, func(tx *tx) error {
		t := &approval{tx: tx, in: in}
		also = nil
		p, err := onePairing(t, t.now, in.Code)
		if a = (Approved{Pairing: p}); err != nil {
			return err
		}
		switch p.State {
		case PairingPending:
		case PairingApproved:
			a.Person, err = personWhere(t, `WHERE p.id = ?`, p.Person)
			return about(err, "person", p.Person)
		default:
			return fmt.Errorf("pairing code %s is %s: %w", p.Code, p.State, ErrClosed)
		}
		if a.Person, err = t.personFor(p); err != nil {
			return err
		}
		if err := t.approve(&a); err != nil {
			return err
		}
		if also, err = t.approveElsewhere(a); err == nil && len(t.unwelcomed) > 0 {
			err = &UnwelcomedError{t.unwelcomed}
		}
		return err
	})
	return a, also, err
}

// An approval is one attempt to let somebody in.
type approval struct {
	*tx
	in         ApprovePairing
	unwelcomed []Newcomer // for whom there are no words
}

// approveElsewhere decides what else the same sender has asked for, where their
// ids are the same on all accounts.
func (t *approval) approveElsewhere(a Approved) (also []Approved, err error) {
	if !errand.SharesIDs(a.Pairing.Channel) {
		return nil, nil
	}
	waiting, err := pairingsWhere(t, t.now, `channel = ? AND state = 'pending' AND expires > ? ORDER BY created, code`, a.Pairing.Channel, t.now)
	if err != nil {
		return nil, err
	}
	t.in.As = "" // they are known by now
	for _, p := range waiting {
		if !p.knownBy(a.Pairing.ids()) {
			continue
		}
		other := Approved{Pairing: p, Person: a.Person}
		if err := t.approve(&other); err != nil {
			return nil, err
		}
		also = append(also, other)
	}
	return also, nil
}

// personFor returns who asked: the one the approver says, the one whose identity
// it has become meanwhile, or somebody new.
func (t *approval) personFor(p Pairing) (Person, error) {
	if t.in.As != "" {
		person, err := personWhere(t, `WHERE p.id = ?`, t.in.As)
		return person, about(err, "person", t.in.As)
	}
	person, err := identify(t, p.Channel, p.Account, p.ids()...)
	if err == nil || !errors.Is(err, ErrNotFound) {
		return person, err
	}
	name := p.Name
	if name == "" {
		name = p.ExternalID
	}
	return t.newPerson(Person{Name: name, Role: t.in.Role, Language: p.Language})
}

func (t *approval) approve(a *Approved) error {
	p := &a.Pairing
	known := Identity{Channel: p.Channel, Account: p.Account, Name: p.Name, Person: a.Person.ID}
	if t.in.As != "" {
		// Who it is was said: these are nobody else's ids any more.
		for _, id := range p.ids() {
			known.ExternalID = id
			if err := t.takeIdentity(known); err != nil {
				return err
			}
			if err := t.addIdentity(known); err != nil {
				return err
			}
		}
	} else if err := t.remember(known, p.ids()); err != nil {
		return err
	}
	var kept struct {
		TokenHash string
		More      bool
		Wrote     int
	}
	if _, err := t.Row(&kept, `SELECT token_hash, more, (SELECT COUNT(*) FROM pairing_messages m WHERE m.code = p.code) AS wrote
		FROM pairings p WHERE p.code = ?`, p.Code); err != nil {
		return err
	}
	a.Wrote, a.More = kept.Wrote, kept.More
	if kept.TokenHash != "" {
		if _, err := t.insertToken(Token{Person: a.Person.ID, Kind: TokenLogin, Name: p.Name, Parent: t.in.Parent, Program: t.in.Program, Scope: t.in.Scope}, kept.TokenHash, LoginValid); err != nil {
			return err
		}
	}
	p.State, p.Decided, p.DecidedBy, p.Person = PairingApproved, at(t.now), t.in.By, a.Person.ID
	if err := t.decidePairing(*p); err != nil {
		return err
	}
	err := t.audit(DeedPairingApprove, did{"pairing", p.Code, p.Person, string(p.Person)})
	if err != nil || t.in.Welcomes == nil {
		return err
	}
	who := Newcomer{Code: p.Code, Name: cmp.Or(p.Name, a.Person.Name), Language: a.Person.Language, Asked: p.Language, Wrote: a.Wrote > 0, More: a.More}
	text, ok := t.in.Welcomes[who]
	if !ok {
		t.unwelcomed = append(t.unwelcomed, who)
		return nil
	}
	a.Welcomed, err = t.notice("approved:"+p.Code, p.Route, text)
	return err
}

func (t *tx) decidePairing(p Pairing) error {
	_, err := t.Exec(`UPDATE pairings SET state = ?, decided = ?, decided_by = ?, person = ? WHERE code = ?`,
		p.State, micros(p.Decided), p.DecidedBy, p.Person, p.Code)
	return err
}

// Deny refuses whoever asked with a code, and forgets what they wrote. It fails with ErrClosed if they have
// been let in already.
func (s *Store) Deny(ctx context.Context, code string, by errand.PersonID) (p Pairing, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if p, err = onePairing(t, t.now, code); err != nil {
			return err
		}
		switch p.State {
		case PairingDenied:
			return nil
		case PairingApproved:
			return fmt.Errorf("pairing code %s is %s: %w", p.Code, p.State, ErrClosed)
		}
		p.State, p.Decided, p.DecidedBy = PairingDenied, at(t.now), by
		if err := t.decidePairing(p); err != nil {
			return err
		}
		if err := t.forgetPairingMessages(p.Code); err != nil {
			return err
		}
		return t.audit(DeedPairingDeny, did{"pairing", p.Code, "", ""})
	})
	return p, err
}
