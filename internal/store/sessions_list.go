package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A SessionFilter selects sessions. A zero field does not filter.
type SessionFilter struct {
	Key     core.SessionKey
	Person  core.PersonID
	Channel string
	Agent   core.AgentName
	State   string
	Before  time.Time // last active before this time
	After   Position
	Limit   int // default 100
}

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

// narrowest moves the condition that the fewest sessions meet to the front, because SQLite,
// which keeps no statistics, uses that condition's index. A plus before the other columns
// disables their indexes.
func narrowest(q sqldb.Querier, list []condition) error {
	if len(list) < 2 {
		return nil
	}
	least := 0
	for i, c := range list {
		if c.column == "key" { // always first, and few sessions have the same key
			break
		}
		n := 0
		// column is one of a few names, and its index answers without the rows.
		_, err := q.Value(&n, `SELECT COUNT(*) FROM (SELECT 1 FROM sessions WHERE `+c.column+` = ? LIMIT ?)`, c.value, manySessions)
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

// harmless replaces what PostgreSQL rejects: NUL and invalid UTF-8. No stored value has them.
func harmless(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// Sessions returns the matching sessions, the most recently active first.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]core.Session, error) {
	list := f.conditions()
	if !s.db.Postgres() {
		if err := narrowest(s.read(ctx), list); err != nil {
			return nil, err
		}
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
	return sessionsWhere(s.read(ctx), strings.Join(where, " AND ")+sessionOrder.by()+" LIMIT ?", append(args, orDefault(f.Limit, 100))...)
}

func sessionsWhere(q sqldb.Querier, where string, args ...any) ([]core.Session, error) {
	var rows []sessionRow
	if err := q.All(&rows, `SELECT `+sessionColumns+` FROM sessions WHERE `+where, args...); err != nil {
		return nil, err
	}
	sessions := make([]core.Session, len(rows))
	for i, r := range rows {
		var err error
		if sessions[i], err = r.session(); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

var sessionPrefix = regexp.MustCompile(`^[0-9a-f][0-9a-f-]*$`)

// FindSession returns the one session whose id begins with prefix. If person is set, it must be
// that person's. It fails with ErrNotFound or with ErrAmbiguous, which names some of them.
func (s *Store) FindSession(ctx context.Context, prefix string, person core.PersonID) (core.Session, error) {
	p := strings.ToLower(strings.TrimSpace(prefix))
	if !sessionPrefix.MatchString(p) {
		return core.Session{}, about(ErrNotFound, "session", core.Cut(prefix, 40))
	}
	found, err := sessionsWhere(s.read(ctx), `id >= ? AND id < ? AND ? IN ('', person) ORDER BY id LIMIT 4`, p, p+"~", harmless(string(person)))
	switch {
	case err != nil:
		return core.Session{}, err
	case len(found) == 0:
		return core.Session{}, about(ErrNotFound, "session", core.Cut(prefix, 40))
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
	return core.Session{}, &LookupError{"session", core.Cut(prefix, 40), names, ErrAmbiguous}
}

// OtherSessions reports whether a conversation has another session than this one.
func (s *Store) OtherSessions(ctx context.Context, key core.SessionKey, id core.SessionID) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM sessions WHERE key = ? AND id <> ? LIMIT 1`, key, id)
}
