package store

import (
	"context"
	"iter"
	"time"

	"errand/internal/core"
)

// pageRows is the size of a page. A scan must not hold many rows, or a connection for long.
const pageRows = 500

func paginate[T any](page func(after *T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var after *T
		for {
			list, err := page(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
			if len(list) < pageRows {
				return
			}
			after = &list[len(list)-1]
		}
	}
}

const taskHead = `id, state, agents, from_agent, '' AS text, title, caller_owner, caller_turn, caller_step, caller_idx, waits,
	parent, retry_of, origin, conversation, '' AS result, '' AS error, way, model_calls, tokens, cached_tokens, cost, created, finished, policy, deadline, followed_by, '' AS delivery`

// OpenTasks returns all open tasks, without their texts and results.
func (s *Store) OpenTasks(ctx context.Context) iter.Seq2[core.Task, error] {
	return paginate(func(after *core.Task) ([]core.Task, error) {
		where, args := open, []any{}
		if after != nil {
			// This uses the index of open tasks.
			where += ` AND (session, created, id) > (?, ?, ?)`
			args = append(args, after.Origin.Session, micros(after.Created), after.ID)
		}
		return tasksOf(s.read(ctx), taskHead, where+` ORDER BY session, created, id LIMIT ?`, append(args, pageRows)...)
	})
}

// Waits reports whether a session has messages that no turn has taken.
func (s *Store) Waits(ctx context.Context, key core.SessionKey) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM inbox WHERE session_key = ? AND turn IS NULL AND NOT superseded LIMIT 1`, key)
}

// OpenTurns returns the conversations with an open turn that began before a time. The turn is
// running, or its worker died.
func (s *Store) OpenTurns(ctx context.Context, before time.Time) iter.Seq2[core.SessionKey, error] {
	type row struct{ Owner, Key string }
	list := paginate(func(after *row) ([]row, error) {
		if after == nil {
			after = &row{}
		}
		var rows []row
		err := s.read(ctx).All(&rows, `SELECT DISTINCT turns.owner, sessions.key FROM turns JOIN sessions ON sessions.id = turns.owner
			WHERE turns.open AND turns.owner > ? AND turns.created < ? AND sessions.state <> 'ended' ORDER BY turns.owner LIMIT ?`,
			after.Owner, micros(before), pageRows)
		return rows, err
	})
	return func(yield func(core.SessionKey, error) bool) {
		for r, err := range list {
			if !yield(core.SessionKey(r.Key), err) {
				return
			}
		}
	}
}

// RecentSteps returns the workflows of the latest n steps that were committed. Their activities may
// still be sending the messages of these steps.
func (s *Store) RecentSteps(ctx context.Context, n int) (ids []string, err error) {
	err = s.read(ctx).All(&ids, `SELECT COALESCE(sessions.key, recent.owner) FROM (SELECT owner FROM usage ORDER BY created DESC LIMIT ?) AS recent
		LEFT JOIN sessions ON sessions.id = recent.owner`, n)
	return ids, err
}
