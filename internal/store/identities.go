package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// An Identity is what a channel knows a person by. A person may have many: the
// number and the hidden id of one messenger, ids on others.
type Identity struct {
	Channel    string          `json:"channel"`
	Account    string          `json:"account,omitempty"` // of ours, on which they were first seen; empty: all of the channel
	ExternalID string          `json:"external_id"`
	Name       string          `json:"name,omitempty"` // what they call themselves there
	Person     errand.PersonID `json:"person"`
	Created    time.Time       `json:"created,omitzero"`
}

// HoldsOn reports whether it says who somebody is on an account of ours.
func (i Identity) HoldsOn(at errand.Account) bool {
	return i.Channel == at.Channel && (i.Account == at.Name || i.Account == "" || errand.SharesIDs(at.Channel))
}

// AddIdentity says whose identity it is. An identity belongs to one person: the
// last one it was given to. One without an account, of a platform whose ids are
// the same on all accounts, is taken from whoever else has it on any of them. It
// fails with ErrNotFound if there is no such person.
func (s *Store) AddIdentity(ctx context.Context, i Identity) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, i.Person); err != nil {
			return about(err, "person", i.Person)
		}
		if i.Account == "" {
			if err := t.takeIdentity(i); err != nil {
				return err
			}
		}
		if err := t.addIdentity(i); err != nil {
			return err
		}
		return t.audit(DeedLink, did{"identity", i.address(), i.Person, ""})
	})
}

// address is what an identity is known by: channel, account and id.
func (i Identity) address() string { return i.Channel + "/" + i.Account + "/" + i.ExternalID }

func (t *tx) takeIdentity(i Identity) error {
	if !errand.SharesIDs(i.Channel) {
		return nil
	}
	_, err := t.Exec(`DELETE FROM identities WHERE channel = ? AND external_id = ? AND person <> ?`, i.Channel, i.ExternalID, i.Person)
	return err
}

func (t *tx) addIdentity(i Identity) error {
	_, err := t.Exec(`INSERT INTO identities (channel, account, external_id, person, name, created) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (channel, account, external_id) DO UPDATE SET person = excluded.person, name = excluded.name`,
		i.Channel, i.Account, i.ExternalID, i.Person, i.Name, t.now)
	return err
}

// RememberIdentities notes further ids that somebody who is known came with. An
// id that is somebody's already stays theirs.
func (s *Store) RememberIdentities(ctx context.Context, known Identity, ids ...string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, known.Person); err != nil {
			return about(err, "person", known.Person)
		}
		return t.remember(known, ids)
	})
}

func (t *tx) remember(known Identity, ids []string) error {
	for _, id := range ids {
		if _, err := identify(t, known.Channel, known.Account, id); err == nil {
			continue
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
		known.ExternalID = id
		if err := t.addIdentity(known); err != nil {
			return err
		}
	}
	return nil
}

// RemoveIdentity takes an identity from whoever has it, or fails with
// ErrNotFound.
func (s *Store) RemoveIdentity(ctx context.Context, channel, account, externalID string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		gone := Identity{Channel: channel, Account: account, ExternalID: externalID}
		found, err := t.Value(&gone.Person, `DELETE FROM identities WHERE channel = ? AND account = ? AND external_id = ? RETURNING person`, channel, account, externalID)
		if err == nil && !found {
			err = identityNotFound(channel, account, externalID)
		}
		if err != nil {
			return err
		}
		return t.audit(DeedUnlink, did{"identity", gone.address(), gone.Person, ""})
	})
}

func identityNotFound(channel, account, externalID string) error {
	return fmt.Errorf("identity %s/%s/%s: %w", channel, account, externalID, ErrNotFound)
}

// Identities returns the identities of a person, or everybody's.
func (s *Store) Identities(ctx context.Context, person errand.PersonID) ([]Identity, error) {
	return identitiesOf(s.read(ctx), person)
}

func identitiesOf(q sqldb.Querier, person errand.PersonID) ([]Identity, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `person = ?`, append(args, person)
	}
	var rows []struct {
		Channel, Account, ExternalID, Name, Person string
		Created                                    int64
	}
	err := q.All(&rows, `SELECT channel, account, external_id, name, person, created FROM identities
		WHERE `+where+` ORDER BY channel, account, external_id`, args...)
	list := make([]Identity, len(rows))
	for i, r := range rows {
		list[i] = Identity{r.Channel, r.Account, r.ExternalID, r.Name, errand.PersonID(r.Person), at(r.Created)}
	}
	return list, err
}

// Identify returns who comes with one of these ids, or ErrNotFound. An identity
// of the account counts before one that holds on every account of the channel;
// otherwise the first id that is known. Where the platform's ids are the same on
// all accounts, one of another account counts last. If two people have that one, each
// on an account of their own, it is the one with the lesser role: a sender gains no
// rights on an account where an admin has not said who they are.
func (s *Store) Identify(ctx context.Context, channel, account string, externalIDs ...string) (Person, error) {
	return identify(s.read(ctx), channel, account, externalIDs...)
}

func identify(q sqldb.Querier, channel, account string, externalIDs ...string) (Person, error) {
	for _, a := range slices.Compact([]string{account, ""}) {
		for _, id := range externalIDs {
			p, err := personWhere(q, `JOIN identities i ON i.person = p.id
				WHERE i.channel = ? AND i.account = ? AND i.external_id = ?`, channel, a, id)
			if err == nil || !errors.Is(err, ErrNotFound) {
				return p, err
			}
		}
	}
	if errand.SharesIDs(channel) {
		for _, id := range externalIDs {
			if people, err := ownersOf(q, channel, id); err != nil || len(people) > 0 {
				return leastOf(people), err
			}
		}
	}
	return Person{}, identityNotFound(channel, account, fmt.Sprint(externalIDs))
}

// Owners returns who has an id on a channel, on any account, the oldest person first.
// Several have it where an admin has given it to each of them on one account.
func (s *Store) Owners(ctx context.Context, channel, externalID string) ([]Person, error) {
	return ownersOf(s.read(ctx), channel, externalID)
}

func ownersOf(q sqldb.Querier, channel, externalID string) ([]Person, error) {
	var rows []personRow
	err := q.All(&rows, `SELECT `+personColumns+` FROM people p
		WHERE p.id IN (SELECT person FROM identities WHERE channel = ? AND external_id = ?) ORDER BY p.created, p.id`, channel, externalID)
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, err
}

func leastOf(people []Person) (least Person) {
	for i, p := range people {
		if i == 0 || !p.Role.Includes(least.Role) {
			least = p
		}
	}
	return least
}

// AdmitSender returns who comes with one of these ids; somebody whom nobody
// knows becomes a new person with this name, language and role. What it does it
// does once, however often it is asked.
func (s *Store) AdmitSender(ctx context.Context, channel, account string, externalIDs []string, as Person) (p Person, created bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if p, err = identify(t, channel, account, externalIDs...); err == nil || !errors.Is(err, ErrNotFound) {
			return err
		}
		if p, err = t.newPerson(as); err != nil {
			return err
		}
		created = true
		return t.remember(Identity{Channel: channel, Account: account, Name: as.Name, Person: p.ID}, externalIDs)
	})
	return p, created, err
}
