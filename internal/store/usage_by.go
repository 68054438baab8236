package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand"
)

// UsageBy says what usage is summed up by.
type UsageBy string

// What usage is summed up by.
const (
	UsageByDay    UsageBy = "day" // UTC, as 2026-11-26
	UsageByAgent  UsageBy = "agent"
	UsageByPerson UsageBy = "person"
	UsageByModel  UsageBy = "model"
	// UsageByTree has the key of the tree of work: "task:" and the id of a task that nobody's
	// chat has asked for, or "turn:", the id of a session and a turn of it; or [TitleTree] and
	// the id of a session whose chat a model has named. What is summed up by days already has
	// none, and is not in it.
	UsageByTree UsageBy = "tree"
)

// TitleTree begins the key of what the title of a chat has cost: no turn has called for it.
const TitleTree = "title:"

// A UsageGroup is what was used for one day, agent, person, model or tree.
type UsageGroup struct {
	Key           string  `json:"key"`
	Calls         int     `json:"calls"`
	InputTokens   int     `json:"input_tokens"`
	OutputTokens  int     `json:"output_tokens"`
	CachedTokens  int     `json:"cached_tokens" description:"of the input: providers had them in their caches"`
	WrittenTokens int     `json:"written_tokens" description:"of the input: they put them there, where they bill that"`
	Cost          float64 `json:"cost" description:"USD"`
}

func (g *UsageGroup) add(o UsageGroup) {
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

// UsageGroups returns what person, or everybody, has used since the beginning of a day
// (UTC): days in their order, and the rest the dearest first. limit 0 means all.
func (s *Store) UsageGroups(ctx context.Context, person errand.PersonID, since time.Time, by UsageBy, limit int) ([]UsageGroup, error) {
	begin := since.UTC().Truncate(24 * time.Hour)
	who, whose := "", []any{}
	if person != "" {
		who, whose = ` AND person = ?`, []any{harmless(string(person))}
	}
	q := s.read(ctx)
	sums := map[string]*UsageGroup{}
	sum := func(query string, from any) error {
		var rows []UsageGroup
		if err := q.All(&rows, query, append([]any{from}, whose...)...); err != nil {
			return err
		}
		for _, r := range rows {
			if n, err := strconv.ParseInt(r.Key, 10, 64); by == UsageByDay && err == nil { // days since 1970
				r.Key = at(n * dayMicros).Format(time.DateOnly)
			}
			if sums[r.Key] == nil {
				sums[r.Key] = &UsageGroup{Key: r.Key}
			}
			sums[r.Key].add(r)
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
	list := make([]UsageGroup, 0, len(sums))
	for _, g := range sums {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b UsageGroup) int {
		if by == UsageByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.InputTokens+b.OutputTokens, a.InputTokens+a.OutputTokens), cmp.Compare(a.Key, b.Key))
	})
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, nil
}

// usageQueries are what sums up the rows of usage, and those of usage_days where they know
// it; empty: nothing does.
func usageQueries(by UsageBy, who string) (detail, days string) {
	const from, fromDays = ` FROM usage WHERE created >= ?`, ` FROM usage_days WHERE day >= ?`
	switch by {
	case UsageByDay:
		day := fmt.Sprintf(`created / %d`, dayMicros)
		return `SELECT CAST(` + day + ` AS TEXT) AS key, COUNT(*) AS calls, ` + usageSums + from + who + ` GROUP BY ` + day,
			`SELECT day AS key, CAST(SUM(calls) AS BIGINT) AS calls, ` + usageSums + fromDays + who + ` GROUP BY day`
	case UsageByAgent, UsageByPerson, UsageByModel:
		column := string(by) // one of our own words
		return `SELECT ` + column + ` AS key, COUNT(*) AS calls, ` + usageSums + from + who + ` GROUP BY ` + column,
			`SELECT ` + column + ` AS key, CAST(SUM(calls) AS BIGINT) AS calls, ` + usageSums + fromDays + who + ` GROUP BY ` + column
	case UsageByTree:
		return `SELECT root AS key, COUNT(*) AS calls, ` + usageSums + ` FROM (SELECT COALESCE(t.root, '` + TitleTree + `' || u.owner) AS root, u.person, u.created,
			u.input_tokens, u.output_tokens, u.cached_tokens, u.written_tokens, u.cost FROM usage u LEFT JOIN turns t ON t.owner = u.owner AND t.turn = u.turn
			WHERE t.root IS NOT NULL OR u.turn = 0 AND u.step = ` + strconv.Itoa(titleStep) + `) AS used
			WHERE created >= ?` + who + ` GROUP BY root`, ""
	}
	return "", ""
}

// FirstTasks returns the task with which each of some trees of work has begun, by the keys
// of the trees; those without one are left out.
func (s *Store) FirstTasks(ctx context.Context, roots []string) (map[string]errand.Task, error) {
	var ids []errand.TaskID
	var turns []string
	for _, root := range roots {
		if id, ok := strings.CutPrefix(root, "task:"); ok {
			ids = append(ids, errand.TaskID(id))
		} else {
			turns = append(turns, root)
		}
	}
	q := s.read(ctx)
	found, err := tasksByKeys(q, `id IN`, ids)
	if err != nil {
		return nil, err
	}
	// A turn's key has its owner: the session that its first tasks are called by.
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
	first := map[string]errand.Task{}
	for _, t := range found {
		if _, there := first[t.Origin.Root]; !there {
			first[t.Origin.Root] = t
		}
	}
	return first, nil
}

func ofTurnKey(key string) (owner errand.Owner, turn int, ok bool) {
	rest, ok := strings.CutPrefix(key, "turn:")
	at := strings.LastIndexByte(rest, ':')
	if !ok || at < 0 {
		return "", 0, false
	}
	turn, err := strconv.Atoi(rest[at+1:])
	return errand.Owner(rest[:at]), turn, err == nil
}
