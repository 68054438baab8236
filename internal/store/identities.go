package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// AddIdentity gives an identity to a person and takes it from its previous owner. If the
// identity has no account, because the platform's ids are the same on all accounts, every other
// person loses that id on all accounts. It fails with ErrNotFound if the person does not exist.
func (s *Store) AddIdentity(ctx context.Context, i core.Identity) error {
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
		return t.audit(core.DeedLink, did{"identity", addressOf(i), i.Person, ""})
	})
}

func addressOf(i core.Identity) string { return i.Channel + "/" + i.Account + "/" + i.ExternalID }

func (t *tx) takeIdentity(i core.Identity) error {
	if !core.SharesIDs(i.Channel) {
		return nil
	}
	_, err := t.Exec(`DELETE FROM identities WHERE channel = ? AND external_id = ? AND person <> ?`, i.Channel, i.ExternalID, i.Person)
	return err
}

func (t *tx) addIdentity(i core.Identity) error {
	_, err := t.Exec(`INSERT INTO identities (channel, account, external_id, person, name, created) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (channel, account, external_id) DO UPDATE SET person = excluded.person, name = excluded.name`,
		i.Channel, i.Account, i.ExternalID, i.Person, i.Name, t.now)
	return err
}

// RememberIdentities adds further ids of a known sender. An id that another person has already
// stays with that person.
func (s *Store) RememberIdentities(ctx context.Context, known core.Identity, ids ...string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, known.Person); err != nil {
			return about(err, "person", known.Person)
		}
		return t.remember(known, ids)
	})
}

func (t *tx) remember(known core.Identity, ids []string) error {
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

// RemoveIdentity removes an identity from its person. It fails with ErrNotFound.
func (s *Store) RemoveIdentity(ctx context.Context, channel, account, externalID string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		gone := core.Identity{Channel: channel, Account: account, ExternalID: externalID}
		found, err := t.Value(&gone.Person, `DELETE FROM identities WHERE channel = ? AND account = ? AND external_id = ? RETURNING person`, channel, account, externalID)
		if err == nil && !found {
			err = identityNotFound(channel, account, externalID)
		}
		if err != nil {
			return err
		}
		return t.audit(core.DeedUnlink, did{"identity", addressOf(gone), gone.Person, ""})
	})
}

func identityNotFound(channel, account, externalID string) error {
	return fmt.Errorf("identity %s/%s/%s: %w", channel, account, externalID, ErrNotFound)
}

// Identities returns the identities of a person, or of all people if person is empty.
func (s *Store) Identities(ctx context.Context, person core.PersonID) ([]core.Identity, error) {
	return identitiesOf(s.read(ctx), person)
}

func identitiesOf(q sqldb.Querier, person core.PersonID) ([]core.Identity, error) {
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
	list := make([]core.Identity, len(rows))
	for i, r := range rows {
		list[i] = core.Identity{Channel: r.Channel, Account: r.Account, ExternalID: r.ExternalID, Name: r.Name, Person: core.PersonID(r.Person), Created: at(r.Created)}
	}
	return list, err
}

// Identify returns the person with one of these ids, or ErrNotFound. It tries identities of the
// account first, then identities for all accounts of the channel, each in the order of the ids.
// If the platform's ids are the same on all accounts, it tries other accounts last. If several
// people have the id there, it returns the one with the lowest role: a sender must not gain
// rights on an account where no admin has identified them.
func (s *Store) Identify(ctx context.Context, channel, account string, externalIDs ...string) (core.Person, error) {
	return identify(s.read(ctx), channel, account, externalIDs...)
}

func identify(q sqldb.Querier, channel, account string, externalIDs ...string) (core.Person, error) {
	for _, a := range slices.Compact([]string{account, ""}) {
		for _, id := range externalIDs {
			p, err := personWhere(q, `JOIN identities i ON i.person = p.id
				WHERE i.channel = ? AND i.account = ? AND i.external_id = ?`, channel, a, id)
			if err == nil || !errors.Is(err, ErrNotFound) {
				return p, err
			}
		}
	}
	if core.SharesIDs(channel) {
		for _, id := range externalIDs {
			if people, err := ownersOf(q, channel, id); err != nil || len(people) > 0 {
				return leastOf(people), err
			}
		}
	}
	return core.Person{}, identityNotFound(channel, account, fmt.Sprint(externalIDs))
}

// Owners returns the people who have an id on any account of a channel, the oldest first. There
// are several if an admin gave the id to different people on different accounts.
func (s *Store) Owners(ctx context.Context, channel, externalID string) ([]core.Person, error) {
	return ownersOf(s.read(ctx), channel, externalID)
}

func ownersOf(q sqldb.Querier, channel, externalID string) ([]core.Person, error) {
	var rows []personRow
	err := q.All(&rows, `SELECT `+personColumns+` FROM people p
		WHERE p.id IN (SELECT person FROM identities WHERE channel = ? AND external_id = ?) ORDER BY p.created, p.id`, channel, externalID)
	people := make([]core.Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, err
}

func leastOf(people []core.Person) (least core.Person) {
	for i, p := range people {
		if i == 0 || !p.Role.Includes(least.Role) {
			least = p
		}
	}
	return least
}

// AdmitSender returns the person with one of these ids, or creates one with the name, language
// and role of as. A second call changes nothing.
func (s *Store) AdmitSender(ctx context.Context, channel, account string, externalIDs []string, as core.Person) (p core.Person, created bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if p, err = identify(t, channel, account, externalIDs...); err == nil || !errors.Is(err, ErrNotFound) {
			return err
		}
		if p, err = t.newPerson(as); err != nil {
			return err
		}
		created = true
		return t.remember(core.Identity{Channel: channel, Account: account, Name: as.Name, Person: p.ID}, externalIDs)
	})
	return p, created, err
}
