package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
)

func addUsage(g *core.UsageGroup, o core.UsageGroup) {
	g.Calls += o.Calls
	g.InputTokens += o.InputTokens
	g.OutputTokens += o.OutputTokens
	g.CachedTokens += o.CachedTokens
	g.WrittenTokens += o.WrittenTokens
	g.Cost += o.Cost
}

const usageSums = `CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, CAST(SUM(output_tokens) AS BIGINT) AS output_tokens,
	CAST(SUM(cached_tokens) AS BIGINT) AS cached_tokens, CAST(SUM(written_tokens) AS BIGINT) AS written_tokens, SUM(cost) AS cost`

const dayMicros = int64(24 * time.Hour / time.Microsecond)

// UsageGroups returns the usage of a person, or of all people if person is empty, since the
// beginning of a UTC day. Days are in their order, other groups by cost, the most expensive
// first. limit 0 means all.
func (s *Store) UsageGroups(ctx context.Context, person core.PersonID, since time.Time, by core.UsageBy, limit int) ([]core.UsageGroup, error) {
	begin := since.UTC().Truncate(24 * time.Hour)
	who, whose := "", []any{}
	if person != "" {
		who, whose = ` AND person = ?`, []any{harmless(string(person))}
	}
	q := s.read(ctx)
	sums := map[string]*core.UsageGroup{}
	sum := func(query string, from any) error {
		var rows []core.UsageGroup
		if err := q.All(&rows, query, append([]any{from}, whose...)...); err != nil {
			return err
		}
		for _, r := range rows {
			if n, err := strconv.ParseInt(r.Key, 10, 64); by == core.UsageByDay && err == nil { // days since 1970
				r.Key = at(n * dayMicros).Format(time.DateOnly)
			}
			if sums[r.Key] == nil {
				sums[r.Key] = &core.UsageGroup{Key: r.Key}
			}
			addUsage(sums[r.Key], r)
		}
		return nil
	}
	detail, days := usageQueries(by, who)
	if detail == "" {
		return nil, fmt.Errorf("usage by %q: there is no such sum", by)
	}
	if err := sum(detail, micros(begin)); err != nil {
		return nil, err
	}
	if days != "" {
		if err := sum(days, begin.Format(time.DateOnly)); err != nil {
			return nil, err
		}
	}
	list := make([]core.UsageGroup, 0, len(sums))
	for _, g := range sums {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b core.UsageGroup) int {
		if by == core.UsageByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.InputTokens+b.OutputTokens, a.InputTokens+a.OutputTokens), cmp.Compare(a.Key, b.Key))
	})
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, nil
}

// usageQueries returns queries that sum up usage and usage_days. days is empty if usage_days
// lacks the key.
func usageQueries(by core.UsageBy, who string) (detail, days string) {
	const from, fromDays = ` FROM usage WHERE created >= ?`, ` FROM usage_days WHERE day >= ?`
	switch by {
	case core.UsageByDay:
		day := fmt.Sprintf(`created / %d`, dayMicros)
		return `SELECT CAST(` + day + ` AS TEXT) AS key, COUNT(*) AS calls, ` + usageSums + from + who + ` GROUP BY ` + day,
			`SELECT day AS key, CAST(SUM(calls) AS BIGINT) AS calls, ` + usageSums + fromDays + who + ` GROUP BY day`
	case core.UsageByAgent, core.UsageByPerson, core.UsageByModel:
		column := string(by) // a constant, safe in SQL
		return `SELECT ` + column + ` AS key, COUNT(*) AS calls, ` + usageSums + from + who + ` GROUP BY ` + column,
			`SELECT ` + column + ` AS key, CAST(SUM(calls) AS BIGINT) AS calls, ` + usageSums + fromDays + who + ` GROUP BY ` + column
	case core.UsageByTree:
		return `SELECT root AS key, COUNT(*) AS calls, ` + usageSums + ` FROM (SELECT COALESCE(t.root, '` + core.TitleTree + `' || u.owner) AS root, u.person, u.created,
			u.input_tokens, u.output_tokens, u.cached_tokens, u.written_tokens, u.cost FROM usage u LEFT JOIN turns t ON t.owner = u.owner AND t.turn = u.turn
			WHERE t.root IS NOT NULL OR u.turn = 0 AND u.step = ` + strconv.Itoa(titleStep) + `) AS used
			WHERE created >= ?` + who + ` GROUP BY root`, ""
	}
	return "", ""
}

// FirstTasks returns the first task of each tree of tasks, by the tree's key. Trees without
// tasks are missing.
func (s *Store) FirstTasks(ctx context.Context, roots []string) (map[string]core.Task, error) {
	var ids []core.TaskID
	var turns []string
	for _, root := range roots {
		if id, ok := strings.CutPrefix(root, "task:"); ok {
			ids = append(ids, core.TaskID(id))
		} else {
			turns = append(turns, root)
		}
	}
	q := s.read(ctx)
	found, err := tasksByKeys(q, `id IN`, ids)
	if err != nil {
		return nil, err
	}
	// A turn's key has its owner: the session that calls the first tasks.
	var conditions []string
	var args []any
	for _, root := range turns {
		if owner, turn, ok := ofTurnKey(root); ok {
			conditions, args = append(conditions, `(caller_owner = ? AND caller_owner <> '' AND caller_turn = ?)`), append(args, owner, turn)
		}
	}
	if len(conditions) > 0 {
		more, err := tasksWhere(q, strings.Join(conditions, " OR ")+` ORDER BY created, id`, args...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	first := map[string]core.Task{}
	for _, t := range found {
		if _, there := first[t.Origin.Root]; !there {
			first[t.Origin.Root] = t
		}
	}
	return first, nil
}

func ofTurnKey(key string) (owner core.Owner, turn int, ok bool) {
	rest, ok := strings.CutPrefix(key, "turn:")
	at := strings.LastIndexByte(rest, ':')
	if !ok || at < 0 {
		return "", 0, false
	}
	turn, err := strconv.Atoi(rest[at+1:])
	return core.Owner(rest[:at]), turn, err == nil
}
