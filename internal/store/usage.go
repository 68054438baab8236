package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
)

// UsageOf returns the usage of a person, or of all people if person is empty, since the
// beginning of a UTC day, the most expensive first.
func (s *Store) UsageOf(ctx context.Context, person core.PersonID, since time.Time) ([]core.UsageSum, error) {
	begin := since.UTC().Truncate(24 * time.Hour)
	who, args := "", []any{micros(begin), begin.Format(time.DateOnly)}
	if person != "" {
		who, args = ` AND person = ?`, []any{args[0], harmless(string(person)), args[1], harmless(string(person))}
	}
	var sums []core.UsageSum
	err := s.read(ctx).All(&sums, `SELECT person, agent, model, CAST(SUM(calls) AS BIGINT) AS calls,
			CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, CAST(SUM(output_tokens) AS BIGINT) AS output_tokens, SUM(cost) AS cost,
			CAST(SUM(cached_tokens) AS BIGINT) AS cached_tokens, CAST(SUM(written_tokens) AS BIGINT) AS written_tokens FROM (
			SELECT person, agent, model, 1 AS calls, input_tokens, cached_tokens, written_tokens, output_tokens, cost FROM usage WHERE created >= ?`+who+`
			UNION ALL
			SELECT person, agent, model, calls, input_tokens, cached_tokens, written_tokens, output_tokens, cost FROM usage_days WHERE day >= ?`+who+`
		) AS used GROUP BY person, agent, model ORDER BY 7 DESC, 1, 2, 3`, args...)
	return sums, err
}

// TurnUsage returns the usage of a turn's model calls, without its sub-agents and without calls
// that exist only in daily sums.
func (s *Store) TurnUsage(ctx context.Context, person core.PersonID, session core.SessionID, turn int) (core.Usage, error) {
	var sum core.Usage
	_, err := s.read(ctx).Row(&sum, `SELECT '' AS model, '' AS provider, CAST(COALESCE(SUM(input_tokens), 0) AS BIGINT) AS input_tokens,
			CAST(COALESCE(SUM(output_tokens), 0) AS BIGINT) AS output_tokens, COALESCE(SUM(cost), 0.0) AS cost,
			CAST(COALESCE(SUM(cached_tokens), 0) AS BIGINT) AS cached_tokens, CAST(COALESCE(SUM(written_tokens), 0) AS BIGINT) AS written_tokens
		FROM usage WHERE session = ? AND owner = ? AND turn = ? AND person = ?`, session, core.SessionOwner(session), turn, harmless(string(person)))
	return sum, err
}

// LastCounted returns the last call with a token estimate for each model of a provider. Only
// its counts are set.
func (s *Store) LastCounted(ctx context.Context) ([]core.Usage, error) {
	var list []core.Usage
	err := s.read(ctx).All(&list, `SELECT model, provider, input_tokens, estimated_tokens FROM usage
		WHERE id IN (SELECT MAX(id) FROM usage WHERE estimated_tokens > 0 AND created >= ? GROUP BY model, provider) ORDER BY id`,
		micros(s.clock().Add(-countedFor)))
	return list, err
}

// countedFor is how long a count is useful, because models change under the same name.
const countedFor = 7 * 24 * time.Hour

type usageDay struct {
	day, person, agent, model, provider string
	calls, input, output                int
	cached, written                     int
	cost                                float64
}

func (r *removal) usage(n int, where string, args ...any) error {
	if r.left <= 0 {
		return nil
	}
	var rows []struct {
		Person, Agent, Model, Provider string
		InputTokens, OutputTokens      int
		CachedTokens, WrittenTokens    int
		Cost                           float64
		Created                        int64
	}
	err := r.All(&rows, r.some("usage", where)+` RETURNING person, agent, model, provider, input_tokens, cached_tokens, written_tokens, output_tokens, cost, created`, append(args, n)...)
	if err != nil || len(rows) == 0 {
		return err
	}
	days := map[usageDay]*usageDay{}
	for _, u := range rows {
		key := usageDay{day: at(u.Created).Format(time.DateOnly), person: u.Person, agent: u.Agent, model: u.Model, provider: u.Provider}
		if days[key] == nil {
			sum := key
			days[key] = &sum
		}
		d := days[key]
		d.calls, d.input, d.output, d.cost = d.calls+1, d.input+u.InputTokens, d.output+u.OutputTokens, d.cost+u.Cost
		d.cached, d.written = d.cached+u.CachedTokens, d.written+u.WrittenTokens
	}
	r.rows["usage"] += len(rows)
	r.left -= len(rows)
	return r.addDays(days)
}

func (r *removal) addDays(days map[usageDay]*usageDay) error {
	sums := make([]*usageDay, 0, len(days))
	for _, d := range days {
		sums = append(sums, d)
	}
	// Sorted, so that two transactions cannot deadlock.
	slices.SortFunc(sums, func(a, b *usageDay) int {
		for _, c := range []int{strings.Compare(a.day, b.day), strings.Compare(a.person, b.person), strings.Compare(a.agent, b.agent), strings.Compare(a.model, b.model)} {
			if c != 0 {
				return c
			}
		}
		return strings.Compare(a.provider, b.provider)
	})
	for _, d := range sums {
		_, err := r.Exec(`INSERT INTO usage_days (day, person, agent, model, provider, calls, input_tokens, cached_tokens, written_tokens, output_tokens, cost)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, person, agent, model, provider) DO UPDATE SET
				calls = usage_days.calls + excluded.calls, input_tokens = usage_days.input_tokens + excluded.input_tokens,
				cached_tokens = usage_days.cached_tokens + excluded.cached_tokens, written_tokens = usage_days.written_tokens + excluded.written_tokens,
				output_tokens = usage_days.output_tokens + excluded.output_tokens, cost = usage_days.cost + excluded.cost`,
			d.day, d.person, d.agent, d.model, d.provider, d.calls, d.input, d.cached, d.written, d.output, d.cost)
		if err != nil {
			return err
		}
	}
	return nil
}
