package service

import (
	"cmp"
	"context"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// Usage has the operation on the usage of models.
type Usage struct{ *Env }

func (u *Usage) bind(r *ops.Runner) { ops.Bind(r, api.GetUsage, u.get) }

// maxUsageRows is the maximum number of agents, people, models or trees.
const maxUsageRows = 100

// get counts whole days, which begin at midnight UTC, as budgets do.
func (u *Usage) get(ctx context.Context, by actor.Actor, in api.GetUsageInput) (api.Usage, error) {
	out := api.Usage{From: u.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-cmp.Or(in.Days, 1)), People: []core.UsageSum{}}
	person, err := u.whose(by, in.Person.Person)
	if err != nil {
		return out, err
	}
	sums, err := u.Store.UsageOf(ctx, person, out.From)
	if err != nil {
		return out, err
	}
	out.People = append(out.People, sums...)
	for _, one := range sums {
		out.Total.Calls += one.Calls
		out.Total.Cost += one.Cost
		out.Total.InputTokens += one.InputTokens
		out.Total.OutputTokens += one.OutputTokens
		out.Total.CachedTokens += one.CachedTokens
		out.Total.WrittenTokens += one.WrittenTokens
	}
	for _, sums := range in.By {
		rows, err := u.groups(ctx, person, out.From, sums)
		if err != nil {
			return out, err
		}
		out.Groups = append(out.Groups, api.UsageGroups{By: sums, Rows: rows})
	}
	return out, nil
}

func (u *Usage) groups(ctx context.Context, person core.PersonID, since time.Time, by core.UsageBy) ([]api.UsageGroup, error) {
	limit := maxUsageRows
	if by == core.UsageByDay {
		limit = 0
	}
	rows, err := u.Store.UsageGroups(ctx, person, since, by, limit)
	if err != nil {
		return nil, err
	}
	list := make([]api.UsageGroup, len(rows))
	for i, r := range rows {
		list[i] = api.UsageGroup{UsageGroup: r}
	}
	if by == core.UsageByTree {
		err = u.nameTrees(ctx, list)
	}
	return list, err
}

// nameTrees gives deleted trees no name.
func (u *Usage) nameTrees(ctx context.Context, list []api.UsageGroup) error {
	roots := make([]string, len(list))
	for i := range list {
		roots[i] = list[i].Key
		if session, ok := strings.CutPrefix(roots[i], core.TitleTree); ok {
			list[i].Session = core.SessionID(session)
		} else if rest, ok := strings.CutPrefix(roots[i], "turn:"); ok {
			if at := strings.LastIndexByte(rest, ':'); at > 0 {
				list[i].Session = core.SessionID(rest[:at])
			}
		}
	}
	first, err := u.Store.FirstTasks(ctx, roots)
	if err != nil {
		return err
	}
	var chats []core.SessionID
	for i := range list {
		t := first[list[i].Key]
		if list[i].Task, list[i].Title = t.ID, t.Title; t.ID == "" && list[i].Session != "" {
			chats = append(chats, list[i].Session)
		}
	}
	titles, err := u.Store.ChatTitles(ctx, chats)
	for i := range list {
		if list[i].Task == "" {
			list[i].Title = titles[list[i].Session]
		}
	}
	return err
}
