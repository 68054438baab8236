package store

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
)

// A NoteFilter selects notes. A zero field does not filter.
type NoteFilter struct {
	Person core.PersonID
	Agent  core.AgentName
	Prefix string   // of the key
	After  Position // in the list
	Limit  int      // default 1000
}

// Notes returns the matching notes that have not expired, ordered by agent and key.
func (s *Store) Notes(ctx context.Context, f NoteFilter) ([]core.PersonNote, error) {
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
	list := make([]core.PersonNote, len(rows))
	for i, r := range rows {
		list[i] = core.PersonNote{Person: core.PersonID(r.Person), Agent: core.AgentName(r.Agent), Key: r.Key, Value: r.Value,
			Expires: at(r.Expires), Updated: at(r.Updated)}
	}
	return list, err
}

// ForgetNote deletes a note. It fails with ErrNotFound.
func (s *Store) ForgetNote(ctx context.Context, person core.PersonID, agent core.AgentName, key string) error {
	return s.write(ctx, "", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM memory WHERE person = ? AND agent = ? AND key = ?`, harmless(string(person)), harmless(string(agent)), harmless(key))
		if err == nil && n == 0 {
			err = fmt.Errorf("note %q of %s: %w", core.Cut(key, 60), core.Cut(string(agent), 40), ErrNotFound)
		}
		if err != nil {
			return err
		}
		// The entry does not name the key, because a key quotes a conversation.
		return t.audit(core.DeedNoteForget, did{"note", string(person), person, string(agent)})
	})
}
