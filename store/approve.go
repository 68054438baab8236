package store

import (
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
	// Tell, if set, says in words what they are told in their chat.
	Tell func(Person) string
}

// Approve lets in whoever asked with a code: the person, their identities, the
// token of their browser and what they are told are one transaction. Approving
// twice changes nothing and returns who it is. It fails with ErrNotFound if there
// is no such code or person, and with ErrClosed if the request was denied or has
// expired; the request tells which.
func (s *Store) Approve(ctx context.Context, in ApprovePairing) (p Pairing, person Person, told bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if p, err = onePairing(t, t.now, in.Code); err != nil {
			return err
		}
		switch p.State {
		case PairingPending:
		case PairingApproved:
			person, err = personWhere(t, `WHERE p.id = ?`, p.Person)
			return about(err, "person", p.Person)
		default:
			return fmt.Errorf("pairing code %s is %s: %w", p.Code, p.State, ErrClosed)
		}
		if person, err = t.personFor(p, in); err != nil {
			return err
		}
		told, err = t.approve(&p, person, in)
		return err
	})
	return p, person, told, err
}

// personFor returns who asked: the one the approver says, the one whose identity
// it has become meanwhile, or somebody new.
func (t *tx) personFor(p Pairing, in ApprovePairing) (Person, error) {
	if in.As != "" {
		person, err := personWhere(t, `WHERE p.id = ?`, in.As)
		return person, about(err, "person", in.As)
	}
	person, err := identify(t, p.Channel, p.Account, p.ids()...)
	if err == nil || !errors.Is(err, ErrNotFound) {
		return person, err
	}
	name := p.Name
	if name == "" {
		name = p.ExternalID
	}
	return t.newPerson(Person{Name: name, Role: in.Role, Language: p.Language})
}

func (t *tx) approve(p *Pairing, person Person, in ApprovePairing) (told bool, err error) {
	known := Identity{Channel: p.Channel, Account: p.Account, Name: p.Name, Person: person.ID}
	for _, id := range p.ids() {
		known.ExternalID = id
		if err := t.addIdentity(known); err != nil {
			return false, err
		}
	}
	var hash string
	if _, err := t.value(&hash, `SELECT token_hash FROM pairings WHERE code = ?`, p.Code); err != nil {
		return false, err
	}
	if hash != "" {
		if _, err := t.insertToken(Token{Person: person.ID, Kind: TokenLogin, Name: p.Name}, hash, LoginValid); err != nil {
			return false, err
		}
	}
	p.State, p.Decided, p.DecidedBy, p.Person = PairingApproved, at(t.now), in.By, person.ID
	if err := t.decidePairing(*p); err != nil || in.Tell == nil {
		return false, err
	}
	return t.notice("approved:"+p.Code, p.Route, in.Tell(person))
}

func (t *tx) decidePairing(p Pairing) error {
	_, err := t.exec(`UPDATE pairings SET state = ?, decided = ?, decided_by = ?, person = ? WHERE code = ?`,
		p.State, micros(p.Decided), p.DecidedBy, p.Person, p.Code)
	return err
}

// Deny refuses whoever asked with a code. It fails with ErrClosed if they have
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
		return t.decidePairing(p)
	})
	return p, err
}
