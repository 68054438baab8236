package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/store/sqldb"
)

// ErrLastAdmin refuses to leave the installation without anybody who may decide
// about people.
var ErrLastAdmin = errors.New("the last master_admin")

// A Person is somebody who may talk to errand.
type Person struct {
	ID        errand.PersonID  `json:"id"`
	Name      string           `json:"name"`
	Role      errand.Role      `json:"role"`
	Language  string           `json:"language,omitempty"`   // BCP 47; empty: the installation's
	LastAgent errand.AgentName `json:"last_agent,omitempty"` // the specialist they last talked with
	Created   time.Time        `json:"created"`

	TimeZone string `json:"time_zone,omitempty" description:"IANA time zone of the person's times, such as Europe/Oslo; empty: the installation's"`
}

const personColumns = `p.id, p.name, p.role, p.language, p.last_agent, p.created, p.time_zone`

type personRow struct {
	ID, Name, Role, Language, LastAgent string
	Created                             int64
	TimeZone                            string
}

func (r personRow) person() Person {
	return Person{errand.PersonID(r.ID), r.Name, errand.Role(r.Role), r.Language, errand.AgentName(r.LastAgent), at(r.Created), r.TimeZone}
}

// whoMayWhat is the lock of everything that decides who may do what: two
// admins who demote one another at the same moment do not both succeed.
const whoMayWhat = "people"

func personWhere(q sqldb.Querier, where string, args ...any) (Person, error) {
	var row personRow
	found, err := q.Row(&row, `SELECT `+personColumns+` FROM people p `+where, args...)
	if err == nil && !found {
		err = ErrNotFound
	}
	return row.person(), err
}

// EnsurePerson makes a person unless there is one with this id, whose name and
// role stay as they are.
func (s *Store) EnsurePerson(ctx context.Context, id errand.PersonID, name string, role errand.Role) (created bool, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		created, err = t.insertPerson(Person{ID: id, Name: name, Role: role})
		return err
	})
	return created, err
}

func (t *tx) insertPerson(p Person) (bool, error) {
	if !p.Role.Valid() {
		return false, fmt.Errorf("person %q: there is no role %q", p.ID, p.Role)
	}
	n, err := t.Exec(`INSERT INTO people (id, name, skeleton, role, language, created) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		p.ID, p.Name, content.Skeleton(p.Name), p.Role, p.Language, t.now)
	return n == 1, err
}

func (t *tx) newPerson(p Person) (Person, error) {
	name := p.Name
	for {
		p.ID = errand.NewPersonID()
		var err error
		if p.Name, err = t.ownName(Person{ID: p.ID, Name: name}); err != nil {
			return p, err
		}
		if created, err := t.insertPerson(p); err != nil || created {
			p.Created = at(t.now)
			return p, err
		}
	}
}

// Person returns a person, or ErrNotFound.
func (s *Store) Person(ctx context.Context, id errand.PersonID) (Person, error) {
	p, err := personWhere(s.read(ctx), `WHERE p.id = ?`, id)
	return p, about(err, "person", id)
}

// about says what an error is about, where it does not say so itself.
func about[T ~string](err error, what string, id T) error {
	if err == nil {
		return nil
	}
	if err == ErrNotFound || err == ErrAmbiguous {
		return &LookupError{Thing: what, Name: string(id), Err: err}
	}
	return fmt.Errorf("%s %q: %w", what, id, err)
}

// People returns everybody, the oldest first.
func (s *Store) People(ctx context.Context) ([]Person, error) {
	return s.PeoplePage(ctx, Page{})
}

// PeoplePage returns a page of what [Store.People] does; all of it by default.
func (s *Store) PeoplePage(ctx context.Context, p Page) ([]Person, error) {
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
	people := make([]Person, len(rows))
	for i, r := range rows {
		people[i] = r.person()
	}
	return people, err
}

// NamesOf returns what the people are called whose role includes least: their names,
// or else their ids.
func (s *Store) NamesOf(ctx context.Context, least errand.Role) ([]string, error) {
	people, err := s.People(ctx)
	var names []string
	for _, p := range people {
		if p.Role.Includes(least) {
			names = append(names, cmp.Or(p.Name, string(p.ID)))
		}
	}
	return names, err
}

// FindPerson returns who is meant by an id, a prefix of an id (with or without
// its "p-") that only one has, or a name in any case. It fails with ErrNotFound
// or ErrAmbiguous.
func (s *Store) FindPerson(ctx context.Context, nameOrID string) (Person, error) {
	people, err := s.People(ctx)
	if err != nil {
		return Person{}, err
	}
	want := strings.ToLower(strings.TrimSpace(nameOrID))
	var found []Person
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
		return Person{}, about(ErrNotFound, "person", errand.Cut(nameOrID, 60))
	case 1:
		return found[0], nil
	}
	return Person{}, about(ErrAmbiguous, "person", errand.Cut(nameOrID, 60))
}

// SetRole gives a person another role. It fails with ErrLastAdmin if nobody
// would be left who may decide about people.
func (s *Store) SetRole(ctx context.Context, id errand.PersonID, role errand.Role) (Person, error) {
	if !role.Valid() {
		return Person{}, fmt.Errorf("there is no role %q", role)
	}
	return s.changePerson(ctx, id, func(t *tx, p *Person) error {
		if role != errand.MasterAdmin {
			if err := t.anotherAdmin(*p); err != nil {
				return err
			}
		}
		p.Role = role
		if _, err := t.Exec(`UPDATE people SET role = ? WHERE id = ?`, role, id); err != nil {
			return err
		}
		return t.audit(DeedRole, did{"person", string(id), id, string(role)})
	})
}

// anotherAdmin fails if p is the last master_admin.
func (t *tx) anotherAdmin(p Person) error {
	if p.Role != errand.MasterAdmin {
		return nil
	}
	var others int
	if _, err := t.Value(&others, `SELECT COUNT(*) FROM people WHERE role = ? AND id <> ?`, errand.MasterAdmin, p.ID); err != nil {
		return err
	}
	if others == 0 {
		return about(ErrLastAdmin, "person", p.ID)
	}
	return nil
}

// SetLanguage sets the language in which a person is answered; empty: the
// installation's.
func (s *Store) SetLanguage(ctx context.Context, id errand.PersonID, language string) (Person, error) {
	return s.changePerson(ctx, id, func(t *tx, p *Person) error {
		p.Language = language
		if _, err := t.Exec(`UPDATE people SET language = ? WHERE id = ?`, language, id); err != nil {
			return err
		}
		return t.audit(DeedPersonChange, did{"person", string(id), id, "language"})
	})
}

// SetTimeZone sets the zone whose clocks a person goes by; empty: the installation's.
func (s *Store) SetTimeZone(ctx context.Context, id errand.PersonID, zone string) (Person, error) {
	return s.changePerson(ctx, id, func(t *tx, p *Person) error {
		p.TimeZone = zone
		if _, err := t.Exec(`UPDATE people SET time_zone = ? WHERE id = ?`, zone, id); err != nil {
			return err
		}
		return t.audit(DeedPersonChange, did{"person", string(id), id, "time_zone"})
	})
}

// SetName sets what a person is called.
func (s *Store) SetName(ctx context.Context, id errand.PersonID, name string) (Person, error) {
	return s.changePerson(ctx, id, func(t *tx, p *Person) error {
		p.Name = name
		if _, err := t.Exec(`UPDATE people SET name = ?, skeleton = ? WHERE id = ?`, name, content.Skeleton(name), id); err != nil {
			return err
		}
		return t.audit(DeedPersonChange, did{"person", string(id), id, "name"})
	})
}

// RemovePerson removes a person with their identities and tokens: from then on
// nobody knows them. Their reminders are canceled, what they were asked is withdrawn, what
// was said stays. It fails
// with ErrLastAdmin if nobody would be left who may decide about people.
func (s *Store) RemovePerson(ctx context.Context, id errand.PersonID) error {
	_, err := s.changePerson(ctx, id, func(t *tx, p *Person) error {
		if err := t.anotherAdmin(*p); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE reminders SET state = 'canceled', next = 0 WHERE person = ? AND state = 'active'`, id); err != nil {
			return err
		}
		if err := t.withdrawFrom(id); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM people WHERE id = ?`, id); err != nil { // identities and tokens go with it
			return err
		}
		return t.audit(DeedPersonRemove, did{"person", string(id), id, ""})
	})
	return err
}

func (s *Store) changePerson(ctx context.Context, id errand.PersonID, change func(*tx, *Person) error) (Person, error) {
	var p Person
	err := s.write(ctx, whoMayWhat, func(t *tx) error {
		var err error
		if p, err = personWhere(t, `WHERE p.id = ?`, id); err != nil {
			return about(err, "person", id)
		}
		return change(t, &p)
	})
	return p, err
}
