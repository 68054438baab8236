package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"errand"
)

// A SessionFilter narrows a list of sessions; zero fields do not.
type SessionFilter struct {
	Key     errand.SessionKey // of one chat
	Person  errand.PersonID
	Channel string
	Agent   errand.AgentName
	State   string
	Before  time.Time // last active before
	After   Position  // in the list
	Limit   int       // default 100
}

// A condition is a column that has to have a value.
type condition struct{ column, value string }

func (f SessionFilter) conditions() []condition {
	var list []condition
	for _, c := range []condition{{"key", string(f.Key)}, {"person", string(f.Person)}, {"agent", string(f.Agent)}, {"state", f.State}, {"channel", f.Channel}} {
		if c.value != "" {
			list = append(list, condition{c.column, harmless(c.value)})
		}
	}
	return list
}

// narrowest puts the condition that the fewest sessions fulfil first. SQLite,
// which keeps no statistics, reads by its index, and is told with a plus to look
// at the others row by row.
func (s *Store) narrowest(ctx context.Context, list []condition) error {
	if s.db.Postgres() || len(list) < 2 {
		return nil
	}
	least := 0
	for i, c := range list {
		if c.column == "key" { // it is the first, and few have one
			break
		}
		n := 0
		// The condition is one of few, and its index answers without the rows.
		_, err := s.read(ctx).Value(&n, `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE `+c.column+` = ? LIMIT ?)`, c.value, manySessions)
		if err != nil {
			return err
		}
		if i == 0 || n < least {
			least, list[0], list[i] = n, list[i], list[0]
		}
	}
	for i := range list[1:] {
		list[i+1].column = "+" + list[i+1].column
	}
	return nil
}

const manySessions = 5000

// harmless returns what somebody may have typed as a value to compare with:
// PostgreSQL does not take NUL, or what is not UTF-8, and no value has them.
func harmless(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// Sessions returns the sessions that f lets pass, the latest active first.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	list := f.conditions()
	if err := s.narrowest(ctx, list); err != nil {
		return nil, err
	}
	where, args := []string{"TRUE"}, []any{}
	for _, c := range list {
		where, args = append(where, c.column+" = ?"), append(args, c.value)
	}
	if !f.Before.IsZero() {
		where, args = append(where, "active < ?"), append(args, micros(f.Before))
	}
	behind, values, err := sessionOrder.behind(f.After)
	if err != nil {
		return nil, err
	}
	where, args = append(where, behind), append(args, values...)
	return s.sessionsWhere(ctx, strings.Join(where, " AND ")+sessionOrder.by()+" LIMIT ?", append(args, orDefault(f.Limit, 100))...)
}

func (s *Store) sessionsWhere(ctx context.Context, where string, args ...any) ([]Session, error) {
	var rows []sessionRow
	if err := s.read(ctx).All(&rows, `SELECT `+sessionColumns+` FROM sessions WHERE `+where, args...); err != nil {
		return nil, err
	}
	sessions := make([]Session, len(rows))
	for i, r := range rows {
		var err error
		if sessions[i], err = r.session(); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

var sessionPrefix = regexp.MustCompile(`^[0-9a-f][0-9a-f-]*$`)

// FindSession returns the one session of person, or of anybody, whose id begins
// with prefix. ErrNotFound if there is none, ErrAmbiguous with some of them if there
// are several.
func (s *Store) FindSession(ctx context.Context, prefix string, person errand.PersonID) (Session, error) {
	p := strings.ToLower(strings.TrimSpace(prefix))
	if !sessionPrefix.MatchString(p) {
		return Session{}, about(ErrNotFound, "session", errand.Cut(prefix, 40))
	}
	found, err := s.sessionsWhere(ctx, `id >= ? AND id < ? AND ? IN ('', person) ORDER BY id LIMIT 4`, p, p+"~", harmless(string(person)))
	switch {
	case err != nil:
		return Session{}, err
	case len(found) == 0:
		return Session{}, about(ErrNotFound, "session", errand.Cut(prefix, 40))
	case len(found) == 1 || string(found[0].ID) == p:
		return found[0], nil
	}
	names := make([]string, 0, 4)
	for i, f := range found {
		if i == 3 {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprintf("%s (chat %s)", f.ID, f.Route.Chat))
	}
	return Session{}, &LookupError{"session", errand.Cut(prefix, 40), names, ErrAmbiguous}
}

// OtherSessions reports whether the conversation has a session besides this one.
func (s *Store) OtherSessions(ctx context.Context, key errand.SessionKey, id errand.SessionID) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM sessions WHERE key = ? AND id <> ? LIMIT 1`, key, id)
}
