package store

import (
	"context"
	"fmt"
	"time"

	"errand"
)

// A Person is somebody who may talk to errand.
type Person struct {
	ID      errand.PersonID `json:"id"`
	Name    string          `json:"name"`
	Role    errand.Role     `json:"role"`
	Created time.Time       `json:"created"`
}

// EnsurePerson makes a person unless there is one with this id, whose name and
// role stay as they are.
func (s *Store) EnsurePerson(ctx context.Context, id errand.PersonID, name string, role errand.Role) (created bool, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		n, err := t.exec(`INSERT INTO people (id, name, role, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			id, name, role, t.now)
		created = n == 1
		return err
	})
	return created, err
}

// Person returns a person, or ErrNotFound.
func (s *Store) Person(ctx context.Context, id errand.PersonID) (Person, error) {
	var row struct {
		ID, Name, Role string
		Created        int64
	}
	found, err := s.read(ctx).row(&row, `SELECT id, name, role, created FROM people WHERE id = ?`, id)
	if err != nil {
		return Person{}, err
	}
	if !found {
		return Person{}, fmt.Errorf("person %q: %w", id, ErrNotFound)
	}
	return Person{errand.PersonID(row.ID), row.Name, errand.Role(row.Role), at(row.Created)}, nil
}

// AddIdentity says that whoever has externalID on channel, as our account sees
// it, is person. An identity belongs to one person: the last one it was given
// to. It fails with ErrNotFound if there is no such person.
func (s *Store) AddIdentity(ctx context.Context, channel, account, externalID string, person errand.PersonID) error {
	return s.write(ctx, "", func(t *tx) error {
		var one int
		found, err := t.value(&one, `SELECT 1 FROM people WHERE id = ?`, person)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("person %q: %w", person, ErrNotFound)
		}
		_, err = t.exec(`INSERT INTO identities (channel, account, external_id, person) VALUES (?, ?, ?, ?)
			ON CONFLICT (channel, account, external_id) DO UPDATE SET person = excluded.person`,
			channel, account, externalID, person)
		return err
	})
}

// Identify returns whose identity it is, or ErrNotFound.
func (s *Store) Identify(ctx context.Context, channel, account, externalID string) (errand.PersonID, errand.Role, error) {
	var row struct{ ID, Role string }
	found, err := s.read(ctx).row(&row, `SELECT p.id, p.role FROM identities i JOIN people p ON p.id = i.person
		WHERE i.channel = ? AND i.account = ? AND i.external_id = ?`, channel, account, externalID)
	if err != nil {
		return "", "", err
	}
	if !found {
		return "", "", fmt.Errorf("identity %s/%s/%s: %w", channel, account, externalID, ErrNotFound)
	}
	return errand.PersonID(row.ID), errand.Role(row.Role), nil
}
