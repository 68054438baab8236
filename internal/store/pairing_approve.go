package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"errand/internal/core"
)

// LoginValid is how long the login of an approved browser lasts.
const LoginValid = 180 * 24 * time.Hour

// An ApprovePairing approves a pairing request.
type ApprovePairing struct {
	Code string
	By   core.PersonID
	As   core.PersonID // who the sender is; empty: the owner of the identity, or a new person
	Role core.Role     // of a new person
	// Parent, Program and Scope come from the approver's token, as in [core.Token]. The login
	// of a browser has no more rights than that token, and ends with it.
	Parent  string
	Program bool
	Scope   string
	// Welcomes are the messages for each possible newcomer; nil: send none. If one is missing,
	// Approve returns an *[UnwelcomedError].
	Welcomes map[Newcomer]string
}

// A Newcomer has the facts on which the text of a welcome depends.
type Newcomer struct {
	Code     string // of the pairing
	Name     string // from the request, or else the person's
	Language string // of the person; empty: unknown
	Asked    string // the language of the request; empty: unknown
	Wrote    bool   // messages of theirs are stored
	More     bool   // they sent messages that are not stored
}

// An UnwelcomedError means that Approve lacks the welcomes for these newcomers. The caller
// renders them and calls Approve again.
type UnwelcomedError struct{ Newcomers []Newcomer }

func (e *UnwelcomedError) Error() string {
	return fmt.Sprintf("%d of those who are let in have no words to be welcomed with", len(e.Newcomers))
}

// An Approved is a sender who was approved.
type Approved struct {
	Pairing core.Pairing
	Person  core.Person
	// Wrote is how many of their messages are stored for [Store.AcceptPairingMessages]. More
	// means that they sent messages that are not stored.
	Wrote    int
	More     bool
	Welcomed bool // their welcome is in the outbox
}

// Approve approves the pairing request with a code. The person, the identities, the browser's token
// and the welcome are one transaction. It also approves the sender's requests on other accounts and
// returns these in also. A second call changes nothing and returns the person. It fails with
// ErrNotFound if there is no such code or person, and with ErrClosed if the request was denied or
// has expired; a.Pairing has its state. With an *[UnwelcomedError] nothing was approved.
func (s *Store) Approve(ctx context.Context, in ApprovePairing) (a Approved, also []Approved, err error) {
	err = s.write(ctx, whoMayWhat, func(tx *tx) error {
		t := &approval{tx: tx, in: in}
		also = nil
		p, err := onePairing(t, t.now, in.Code)
		if a = (Approved{Pairing: p}); err != nil {
			return err
		}
		switch p.State {
		case core.PairingPending:
		case core.PairingApproved:
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

type approval struct {
	*tx
	in         ApprovePairing
	unwelcomed []Newcomer
}

func (t *approval) approveElsewhere(a Approved) (also []Approved, err error) {
	if !core.SharesIDs(a.Pairing.Channel) {
		return nil, nil
	}
	waiting, err := pairingsWhere(t, t.now, `channel = ? AND state = 'pending' AND expires > ? ORDER BY created, code`, a.Pairing.Channel, t.now)
	if err != nil {
		return nil, err
	}
	t.in.As = "" // the identity has a person now
	for _, p := range waiting {
		if !p.KnownBy(a.Pairing.IDs()) {
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

func (t *approval) personFor(p core.Pairing) (core.Person, error) {
	if t.in.As != "" {
		person, err := personWhere(t, `WHERE p.id = ?`, t.in.As)
		return person, about(err, "person", t.in.As)
	}
	person, err := identify(t, p.Channel, p.Account, p.IDs()...)
	if err == nil || !errors.Is(err, ErrNotFound) {
		return person, err
	}
	name := p.Name
	if name == "" {
		name = p.ExternalID
	}
	return t.newPerson(core.Person{Name: name, Role: t.in.Role, Language: p.Language})
}

func (t *approval) approve(a *Approved) error {
	p := &a.Pairing
	known := core.Identity{Channel: p.Channel, Account: p.Account, Name: p.Name, Person: a.Person.ID}
	if t.in.As != "" {
		// The approver named the person: other people lose these ids.
		for _, id := range p.IDs() {
			known.ExternalID = id
			if err := t.takeIdentity(known); err != nil {
				return err
			}
			if err := t.addIdentity(known); err != nil {
				return err
			}
		}
	} else if err := t.remember(known, p.IDs()); err != nil {
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
		if _, err := t.insertToken(core.Token{Person: a.Person.ID, Kind: core.TokenLogin, Name: p.Name, Parent: t.in.Parent, Program: t.in.Program, Scope: t.in.Scope}, kept.TokenHash, LoginValid); err != nil {
			return err
		}
	}
	p.State, p.Decided, p.DecidedBy, p.Person = core.PairingApproved, at(t.now), t.in.By, a.Person.ID
	if err := t.decidePairing(*p); err != nil {
		return err
	}
	err := t.audit(core.DeedPairingApprove, did{"pairing", p.Code, p.Person, string(p.Person)})
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

func (t *tx) decidePairing(p core.Pairing) error {
	_, err := t.Exec(`UPDATE pairings SET state = ?, decided = ?, decided_by = ?, person = ? WHERE code = ?`,
		p.State, micros(p.Decided), p.DecidedBy, p.Person, p.Code)
	return err
}

// Deny denies a request and deletes its messages. A second call changes nothing. It fails with
// ErrClosed if the request was approved.
func (s *Store) Deny(ctx context.Context, code string, by core.PersonID) (p core.Pairing, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if p, err = onePairing(t, t.now, code); err != nil {
			return err
		}
		switch p.State {
		case core.PairingDenied:
			return nil
		case core.PairingApproved:
			return fmt.Errorf("pairing code %s is %s: %w", p.Code, p.State, ErrClosed)
		}
		p.State, p.Decided, p.DecidedBy = core.PairingDenied, at(t.now), by
		if err := t.decidePairing(p); err != nil {
			return err
		}
		if err := t.forgetPairingMessages(p.Code); err != nil {
			return err
		}
		return t.audit(core.DeedPairingDeny, did{"pairing", p.Code, "", ""})
	})
	return p, err
}
