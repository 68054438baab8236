package store

import (
	"context"
	"slices"

	"errand"
)

// A Said is how many messages somebody wrote.
type Said struct {
	Agent    errand.AgentName // empty: the person
	Messages int
}

// spoken are the messages that people read: no tool results, no bare calls.
const spoken = `speaker IN ('user', 'assistant') AND text <> ''`

// SaidBy counts the messages of a transcript by who wrote them, the person
// first.
func (s *Store) SaidBy(ctx context.Context, owner errand.Owner) ([]Said, error) {
	var list []Said
	err := s.read(ctx).all(&list, `SELECT agent, COUNT(*) AS messages FROM messages WHERE owner = ? AND `+spoken+`
		GROUP BY agent ORDER BY agent`, owner)
	return list, err
}

// LastSaid returns the last n messages of a transcript that people read, oldest
// first; only those of agent if it is not empty.
func (s *Store) LastSaid(ctx context.Context, owner errand.Owner, agent errand.AgentName, n int) ([]errand.Message, error) {
	messages, err := shownWhere(s.read(ctx), `owner = ? AND `+spoken+` AND (agent = ? OR ? = '')
		ORDER BY turn DESC, step DESC, idx DESC LIMIT ?`, owner, agent, agent, n)
	slices.Reverse(messages)
	return messages, err
}

// SpentToday returns what a person has used since midnight UTC.
func (s *Store) SpentToday(ctx context.Context, person errand.PersonID) (Amount, error) {
	return s.Spent(ctx, dayKey(person, s.clock()))
}

// Limits returns the limits that the store was opened with.
func (s *Store) Limits() Limits { return s.limits }
