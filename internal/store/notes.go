package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
)

// A PersonNote is a note as people see it: an agent's, about a person.
type PersonNote struct {
	Person  errand.PersonID  `json:"person"`
	Agent   errand.AgentName `json:"agent"`
	Key     string           `json:"key"`
	Value   string           `json:"value"`
	Expires time.Time        `json:"expires,omitzero"` // zero: never
	Updated time.Time        `json:"updated"`
}

// A NoteFilter narrows a list of notes; zero fields do not.
type NoteFilter struct {
	Person errand.PersonID
	Agent  errand.AgentName
	Prefix string   // of the key
	After  Position // in the list
	Limit  int      // default 1000
}

// Notes returns the notes that f lets pass and that have not expired, by agent
// and key.
func (s *Store) Notes(ctx context.Context, f NoteFilter) ([]PersonNote, error) {
	where, args := []string{`(expires = 0 OR expires > ?)`}, []any{micros(s.clock())}
	add := func(condition string, values ...any) { where, args = append(where, condition), append(args, values...) }
	if f.Person != "" {
		add(`person = ?`, harmless(string(f.Person)))
	}
	if f.Agent != "" {
		add(`agent = ?`, harmless(string(f.Agent)))
	}
	if f.Prefix != "" {
		prefix := harmless(f.Prefix)
		add(`substr(key, 1, ?) = ?`, utf8.RuneCountInString(prefix), prefix)
	}
	behind, values, err := noteOrder.behind(f.After)
	if err != nil {
		return nil, err
	}
	add(behind, values...)
	var rows []struct {
		Person, Agent, Key, Value string
		Expires, Updated          int64
	}
	err = s.read(ctx).All(&rows, `SELECT person, agent, key, value, expires, updated FROM memory
		WHERE `+strings.Join(where, " AND ")+noteOrder.by()+" LIMIT ?", append(args, orDefault(f.Limit, 1000))...)
	list := make([]PersonNote, len(rows))
	for i, r := range rows {
		list[i] = PersonNote{errand.PersonID(r.Person), errand.AgentName(r.Agent), r.Key, r.Value, at(r.Expires), at(r.Updated)}
	}
	return list, err
}

// ForgetNote deletes a note, or says with ErrNotFound that there is none.
func (s *Store) ForgetNote(ctx context.Context, person errand.PersonID, agent errand.AgentName, key string) error {
	return s.write(ctx, "", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM memory WHERE person = ? AND agent = ? AND key = ?`, harmless(string(person)), harmless(string(agent)), harmless(key))
		if err == nil && n == 0 {
			err = fmt.Errorf("note %q of %s: %w", errand.Cut(key, 60), errand.Cut(string(agent), 40), ErrNotFound)
		}
		if err != nil {
			return err
		}
		// Not by its key, which are words of a conversation.
		return t.audit(DeedNoteForget, did{"note", string(person), person, string(agent)})
	})
}
