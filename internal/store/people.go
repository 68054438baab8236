package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// ErrLastAdmin refuses to remove or demote the last person with the role master_admin.
var ErrLastAdmin = errors.New("the last master_admin")

const personColumns = `p.id, p.name, p.role, p.language, p.last_agent, p.created, p.time_zone`

type personRow struct {
	ID, Name, Role, Language, LastAgent string
	Created                             int64
	TimeZone                            string
}

func (r personRow) person() core.Person {
	return core.Person{
		ID: core.PersonID(r.ID), Name: r.Name, Role: core.Role(r.Role), Language: r.Language,
		LastAgent: core.AgentName(r.LastAgent), Created: at(r.Created), TimeZone: r.TimeZone,
	}
}

// whoMayWhat is the lock of people's rights: if two admins demote each other at the same
// moment, only one succeeds.
const whoMayWhat = "people"

func personWhere(q sqldb.Querier, where string, args ...any) (core.Person, error) {
	var row personRow
	found, err := q.Row(&row, `SELECT `+personColumns+` FROM people p `+where, args...)
	if err == nil && !found {
		err = ErrNotFound
	}
	return row.person(), err
}

// EnsurePerson creates a person. If id exists, it changes nothing.
func (s *Store) EnsurePerson(ctx context.Context, id core.PersonID, name string, role core.Role) (created bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		created, err = t.insertPerson(core.Person{ID: id, Name: name, Role: role})
		return err
	})
	return created, err
}

func (t *tx) insertPerson(p core.Person) (bool, error) {
	if !p.Role.Valid() {
		return false, fmt.Errorf("person %q: there is no role %q", p.ID, p.Role)
	}
	n, err := t.Exec(`INSERT INTO people (id, name, skeleton, role, language, created) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		p.ID, p.Name, content.Skeleton(p.Name), p.Role, p.Language, t.now)
	return n == 1, err
}

func (t *tx) newPerson(p core.Person) (core.Person, error) {
	name := p.Name
	for {
		p.ID = core.NewPersonID()
		var err error
		if p.Name, err = t.ownName(core.Person{ID: p.ID, Name: name}); err != nil {
			return p, err
		}
		if created, err := t.insertPerson(p); err != nil || created {
			p.Created = at(t.now)
			return p, err
		}
	}
}

// Person returns a person, or ErrNotFound.
func (s *Store) Person(ctx context.Context, id core.PersonID) (core.Person, error) {
	p, err := personWhere(s.read(ctx), `WHERE p.id = ?`, id)
	return p, about(err, "person", id)
}

func about[T ~string](err error, what string, id T) error {
	if err == nil {
		return nil
	}
	if err == ErrNotFound || err == ErrAmbiguous {
		return &LookupError{Thing: what, Name: string(id), Err: err}
	}
	return fmt.Errorf("%s %q: %w", what, id, err)
}

// People returns a page of the people, oldest first; all of them by default.
func (s *Store) People(ctx context.Context, p Page) ([]core.Person, error) {
	where, args, err := peopleOrder.behind(p.After)
	if err != nil {
		return nil, err
	}
	most := ""
	if p.Limit > 0 {
		most = " LIMIT ?"
		args = append(args, p.Limit)
	}
	var rows []personRow
	err = s.read(ctx).All(&rows, `SELECT `+personColumns+` FROM people p WHERE `+where+peopleOrder.by()+most, args...)
	people := make([]core.Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, err
}

// NamesOf returns the names of the people whose role includes least. Without a name it returns
// the id.
func (s *Store) NamesOf(ctx context.Context, least core.Role) ([]string, error) {
	people, err := s.People(ctx, Page{})
	var names []string
	for _, p := range people {
		if p.Role.Includes(least) {
			names = append(names, cmp.Or(p.Name, string(p.ID)))
		}
	}
	return names, err
}

// FindPerson finds a person by id, a unique prefix of it (with or without "p-") or name in any
// case. It fails with ErrNotFound or ErrAmbiguous.
func (s *Store) FindPerson(ctx context.Context, nameOrID string) (core.Person, error) {
	people, err := s.People(ctx, Page{})
	if err != nil {
		return core.Person{}, err
	}
	want := strings.ToLower(strings.TrimSpace(nameOrID))
	var found []core.Person
	for _, p := range people {
		id := strings.ToLower(string(p.ID))
		if id == want {
			return p, nil
		}
		if strings.EqualFold(p.Name, want) || want != "" && (strings.HasPrefix(id, want) || strings.HasPrefix(id, "p-"+want)) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return core.Person{}, about(ErrNotFound, "person", core.Cut(nameOrID, 60))
	case 1:
		return found[0], nil
	}
	return core.Person{}, about(ErrAmbiguous, "person", core.Cut(nameOrID, 60))
}

// SetRole changes the role of a person. It fails with ErrLastAdmin if no admin would be left.
func (s *Store) SetRole(ctx context.Context, id core.PersonID, role core.Role) (core.Person, error) {
	if !role.Valid() {
		return core.Person{}, fmt.Errorf("there is no role %q", role)
	}
	return s.updatePerson(ctx, id, func(t *tx, p *core.Person) error {
		if role != core.MasterAdmin {
			if err := t.anotherAdmin(*p); err != nil {
				return err
			}
		}
		p.Role = role
		if _, err := t.Exec(`UPDATE people SET role = ? WHERE id = ?`, role, id); err != nil {
			return err
		}
		return t.audit(core.DeedRole, did{"person", string(id), id, string(role)})
	})
}

func (t *tx) anotherAdmin(p core.Person) error {
	if p.Role != core.MasterAdmin {
		return nil
	}
	var others int
	if _, err := t.Value(&others, `SELECT COUNT(*) FROM people WHERE role = ? AND id <> ?`, core.MasterAdmin, p.ID); err != nil {
		return err
	}
	if others == 0 {
		return about(ErrLastAdmin, "person", p.ID)
	}
	return nil
}

// A PersonChange has the new values of a person's fields; nil: unchanged.
type PersonChange struct {
	Name     *string
	Language *string // the language of answers; empty: the installation's
	TimeZone *string // empty: the installation's
}

// ChangePerson changes a person. It fails with ErrNotFound.
func (s *Store) ChangePerson(ctx context.Context, id core.PersonID, to PersonChange) (core.Person, error) {
	return s.updatePerson(ctx, id, func(t *tx, p *core.Person) error {
		for _, c := range []struct {
			detail string
			field  *string
			value  *string
		}{{"name", &p.Name, to.Name}, {"language", &p.Language, to.Language}, {"time_zone", &p.TimeZone, to.TimeZone}} {
			if c.value == nil {
				continue
			}
			*c.field = *c.value
			if err := t.audit(core.DeedPersonChange, did{"person", string(id), id, c.detail}); err != nil {
				return err
			}
		}
		_, err := t.Exec(`UPDATE people SET name = ?, skeleton = ?, language = ?, time_zone = ? WHERE id = ?`,
			p.Name, content.Skeleton(p.Name), p.Language, p.TimeZone, id)
		return err
	})
}

// RemovePerson removes a person with their identities and tokens, cancels their reminders and
// withdraws their open questions. Their messages stay. It fails with ErrLastAdmin if no admin
// would be left.
func (s *Store) RemovePerson(ctx context.Context, id core.PersonID) error {
	_, err := s.updatePerson(ctx, id, func(t *tx, p *core.Person) error {
		if err := t.anotherAdmin(*p); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE reminders SET state = 'canceled', next = 0 WHERE person = ? AND state = 'active'`, id); err != nil {
			return err
		}
		if err := t.withdrawFrom(id); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM people WHERE id = ?`, id); err != nil { // and its identities and tokens
			return err
		}
		return t.audit(core.DeedPersonRemove, did{"person", string(id), id, ""})
	})
	return err
}

func (s *Store) updatePerson(ctx context.Context, id core.PersonID, change func(*tx, *core.Person) error) (core.Person, error) {
	var p core.Person
	err := s.write(ctx, whoMayWhat, func(t *tx) error {
		var err error
		if p, err = personWhere(t, `WHERE p.id = ?`, id); err != nil {
			return about(err, "person", id)
		}
		return change(t, &p)
	})
	return p, err
}
