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
	Person  errand.PersonID
	Channel string
	Agent   errand.AgentName
	State   string
	Before  time.Time // last active before: the Active of the last one of the page before
	Limit   int       // default 100
}

// where returns the condition and its arguments. The first column is the one
// that an index is worth most for; SQLite, which keeps no statistics, is told
// with a plus to look at the others row by row.
func (f SessionFilter) where(postgres bool) (string, []any) {
	where, args := []string{"TRUE"}, []any{}
	for _, c := range []struct{ column, value string }{
		{"person", string(f.Person)}, {"agent", string(f.Agent)}, {"channel", f.Channel}, {"state", f.State},
	} {
		if c.value == "" {
			continue
		}
		if len(args) > 0 && !postgres {
			c.column = "+" + c.column
		}
		where, args = append(where, c.column+" = ?"), append(args, harmless(c.value))
	}
	if !f.Before.IsZero() {
		where, args = append(where, "active < ?"), append(args, micros(f.Before))
	}
	return strings.Join(where, " AND "), args
}

// harmless returns what somebody may have typed as a value to compare with:
// PostgreSQL does not take NUL, or what is not UTF-8, and no value has them.
func harmless(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", "\uFFFD"), "\uFFFD")
}

// Sessions returns the sessions that f lets pass, the latest active first.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	where, args := f.where(s.postgres)
	return s.sessionsWhere(ctx, where+` ORDER BY active DESC`+limited(orDefault(f.Limit, 100)), args...)
}

func (s *Store) sessionsWhere(ctx context.Context, where string, args ...any) ([]Session, error) {
	var rows []sessionRow
	if err := s.read(ctx).all(&rows, `SELECT `+sessionColumns+` FROM sessions WHERE `+where, args...); err != nil {
		return nil, err
	}
	sessions := make([]Session, len(rows))
	for i, r := range rows {
		sessions[i] = r.session()
	}
	return sessions, nil
}

var sessionPrefix = regexp.MustCompile(`^[0-9a-f][0-9a-f-]*$`)

// FindSession returns the one session that f lets pass whose id begins with
// prefix. ErrNotFound if there is none, ErrAmbiguous with some of them if there
// are several.
func (s *Store) FindSession(ctx context.Context, prefix string, f SessionFilter) (Session, error) {
	p := strings.ToLower(strings.TrimSpace(prefix))
	if !sessionPrefix.MatchString(p) {
		return Session{}, fmt.Errorf("session %q: %w", errand.Cut(prefix, 40), ErrNotFound)
	}
	where, args := f.where(s.postgres)
	found, err := s.sessionsWhere(ctx, where+` AND id >= ? AND id < ? ORDER BY id LIMIT 4`, append(args, p, p+"~")...)
	switch {
	case err != nil:
		return Session{}, err
	case len(found) == 0:
		return Session{}, fmt.Errorf("session %q: %w", errand.Cut(prefix, 40), ErrNotFound)
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
	return Session{}, fmt.Errorf("session %q %w: %s", errand.Cut(prefix, 40), ErrAmbiguous, strings.Join(names, ", "))
}

// OtherSessions reports whether the conversation has a session besides this one.
func (s *Store) OtherSessions(ctx context.Context, key errand.SessionKey, id errand.SessionID) (bool, error) {
	var one int
	return s.read(ctx).value(&one, `SELECT 1 FROM sessions WHERE key = ? AND id <> ? LIMIT 1`, key, id)
}
