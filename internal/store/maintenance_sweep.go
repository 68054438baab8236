package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"errand"
)

// How long is kept what nobody sets: long enough to look into what happened.
const (
	keepRequests = 24 * time.Hour // to be let in, after they have expired
	keepRefusals = 30 * 24 * time.Hour
	keepCommands = 30 * 24 * time.Hour // as long as a platform might deliver one again
	keepReports  = 90 * 24 * time.Hour // of maintenance
	keepDays     = 7 * 24 * time.Hour  // what is left of the budgets of a day: nobody asks for them when it is over
)

// Stages returns all stages in their order.
func Stages() []Stage {
	return []Stage{SweepWords, SweepSessions, SweepTranscripts, SweepTasks, SweepMemory, SweepDeliveries, SweepUsage,
		SweepEvents, SweepReminders, SweepInbox, SweepArtifacts, SweepPairings, SweepRefusals, SweepTokens, SweepAudit, SweepReports, SweepBudgets}
}

// A Swept is what one sweep did. If there is More, the next one of that stage
// goes on at Next.
type Swept struct {
	What string // that was done: the table of the rows that are gone, or "ended"
	Done int
	More bool
	Next string
}

// Sweep does a bounded part of a stage, of at most about limit rows, in one
// short transaction: a turn that waits for it does not notice. It may be
// repeated, and run by several at once. limit 0 means 200.
//
// The transcripts and tasks that are past their time it leaves to
// [Store.DeleteSession] and [Store.DeleteTask], whose callers see to Temporal's
// histories, too; of these stages it does nothing.
func (s *Store) Sweep(ctx context.Context, stage Stage, p Policy, from string, limit int) (Swept, error) {
	limit = orDefault(limit, deleteBatch)
	now := s.clock()
	before := func(age time.Duration) int64 { return micros(now.Add(-age)) }
	switch stage {
	case SweepSessions:
		return s.endStale(ctx, p.EndAfter, min(limit, endBatch))
	case SweepTranscripts, SweepTasks:
		return Swept{}, nil
	case SweepMemory:
		return s.sweepMemory(ctx, p.Memory, limit)
	case SweepDeliveries:
		if p.Deliveries == 0 {
			return Swept{}, nil
		}
		swept, err := s.sweepRows(ctx, limit, "outbox", `state IN ('sent', 'dismissed') AND created < ?`, before(p.Deliveries))
		if err != nil || swept.More {
			return swept, err
		}
		// What was said to strangers, and refused: no person decides about it.
		unwanted, err := s.sweepRows(ctx, limit-swept.Done, "outbox", `state = 'blocked' AND session_key = '' AND created < ?`, before(p.Deliveries))
		unwanted.What, unwanted.Done = "outbox", unwanted.Done+swept.Done
		return unwanted, err
	case SweepUsage:
		return s.foldUsage(ctx, p.UsageDetail, limit)
	case SweepEvents:
		return s.sweepEvents(ctx, from, limit)
	case SweepReminders:
		if p.Transcripts == 0 {
			return Swept{}, nil
		}
		cut := before(p.Transcripts)
		return s.sweepRows(ctx, limit, "reminders", `state <> 'active' AND created < ? AND last < ?`, cut, cut)
	case SweepInbox:
		return s.sweepRows(ctx, limit, "inbox", `superseded AND turn IS NULL AND created < ?`, before(keepCommands))
	case SweepArtifacts:
		return s.sweepRows(ctx, min(limit, artifactBatch), "artifacts", `session = '' AND root = '' AND created < ?
			AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = artifacts.inbox AND inbox.turn IS NULL AND NOT inbox.superseded)`, before(keepCommands))
	case SweepPairings:
		return s.sweepRows(ctx, limit, "pairings", `expires < ?`, before(keepRequests))
	case SweepRefusals:
		return s.sweepRows(ctx, limit, "refusals", `last < ?`, before(keepRefusals))
	case SweepTokens:
		return s.sweepRows(ctx, limit, "tokens", `expires > 0 AND expires < ?`, micros(now))
	case SweepAudit:
		if p.Audit == 0 {
			return Swept{}, nil
		}
		return s.sweepRows(ctx, limit, "audit", `at < ?`, before(p.Audit))
	case SweepReports:
		return s.sweepRows(ctx, limit, "upkeep", `started < ?`, before(keepReports))
	case SweepBudgets:
		// The keys end with the day: see dayKey and fileKeys.
		daily := `(key >= 'files:' AND key < 'files;' OR key >= 'person:' AND key < 'person;')`
		if s.db.Postgres() { // whose order of texts may be another
			daily = `(key LIKE 'files:%' OR key LIKE 'person:%')`
		}
		return s.sweepRows(ctx, limit, "budgets", daily+` AND SUBSTR(key, LENGTH(key) - 9) < ?`, now.Add(-keepDays).UTC().Format(time.DateOnly))
	case SweepWords:
		return s.mergeWords(ctx)
	}
	return Swept{}, fmt.Errorf("sweep %q: no such stage", stage)
}

// endBatch is how many sessions end in one transaction: each is somewhere else in
// its indexes.
const endBatch = 40

// artifactBatch is how many artifacts go in one transaction: they are large.
const artifactBatch = 20

// sweepRows deletes at most limit rows of a table.
func (s *Store) sweepRows(ctx context.Context, limit int, table, where string, args ...any) (Swept, error) {
	// A look that no writer waits for: mostly there is nothing.
	var one int
	found, err := s.read(ctx).Value(&one, `SELECT 1 FROM `+table+` WHERE `+where+` LIMIT 1`, args...)
	if err != nil || !found {
		return Swept{}, err
	}
	var n int64
	err = s.write(ctx, "", func(t *tx) error {
		var err error
		n, err = t.Exec(s.some(table, where), append(args, limit)...)
		return err
	})
	return Swept{What: table, Done: int(n), More: int(n) == limit}, err
}

// stale holds for a session that rests, that nothing is at work for, and whose
// person waits for nothing.
const stale = `state = 'suspended' AND active < ?
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.` + open + `)
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.caller_owner = sessions.id AND tasks.caller_owner <> '' AND tasks.` + open + `)
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session_key = sessions.key AND tasks.` + wayUndecided + `)
	AND NOT EXISTS (SELECT 1 FROM questions WHERE questions.owner = sessions.id AND questions.kind = 'approval' AND (questions.state = 'open' OR NOT questions.told))
	AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.session_key = sessions.key AND inbox.turn IS NULL AND NOT inbox.superseded)`

// endStale ends sessions that have been idle for long. No workflow runs for
// them, and none is woken: that they still rest is looked at again in the
// statement that ends them, and whoever wakes one first marks it active.
func (s *Store) endStale(ctx context.Context, after time.Duration, limit int) (Swept, error) {
	if after == 0 {
		return Swept{}, nil
	}
	cut := micros(s.clock().Add(-after))
	var ids []errand.SessionID
	if err := s.read(ctx).All(&ids, `SELECT id FROM sessions WHERE `+stale+` ORDER BY active LIMIT ?`, cut, limit); err != nil || len(ids) == 0 {
		return Swept{}, err
	}
	done := 0
	err := s.write(ctx, "", func(t *tx) error {
		done = 0
		for _, id := range ids {
			n, err := t.Exec(`UPDATE sessions SET state = 'ended', ended = ?, reason = 'expired' WHERE id = ? AND `+stale, t.now, id, cut)
			if err != nil {
				return err
			}
			done += int(n)
		}
		return nil
	})
	// A batch of which nothing could be ended would be read again and again.
	return Swept{What: "ended", Done: done, More: len(ids) == limit && done > 0}, err
}

func (s *Store) sweepMemory(ctx context.Context, age time.Duration, limit int) (Swept, error) {
	where, args := `expires > 0 AND expires <= ?`, []any{micros(s.clock())}
	if age > 0 {
		where, args = `(`+where+` OR updated < ?)`, append(args, micros(s.clock().Add(-age)))
	}
	return s.sweepRows(ctx, limit, "memory", where, args...)
}

// foldUsage puts the detail of old model calls into the sums of their days. The
// rows go in the transaction that adds them up, so they count once.
func (s *Store) foldUsage(ctx context.Context, age time.Duration, limit int) (Swept, error) {
	if age == 0 {
		return Swept{}, nil
	}
	cut := micros(s.clock().Add(-age))
	var one int
	found, err := s.read(ctx).Value(&one, `SELECT 1 FROM usage WHERE created < ? LIMIT 1`, cut)
	if err != nil || !found {
		return Swept{}, err
	}
	var r *removal
	err = s.write(ctx, "", func(t *tx) error {
		r = &removal{tx: t, left: limit, rows: Deleted{}}
		return r.usage(limit, `created < ?`, cut)
	})
	if err != nil {
		return Swept{}, err
	}
	return Swept{What: "usage", Done: r.rows["usage"], More: r.rows["usage"] > 0}, nil
}

// sweepEvents deletes what the event log has of sessions that are not there any
// more: something may have been told while they were deleted. It goes through
// the sessions that have events, in the order of their ids.
func (s *Store) sweepEvents(ctx context.Context, from string, limit int) (Swept, error) {
	q := s.read(ctx)
	gone := errand.SessionID("")
	for range limit {
		var next sql.NullString
		if _, err := q.Value(&next, `SELECT MIN(session) FROM events WHERE session > ? AND session <> ''`, from); err != nil {
			return Swept{}, err
		}
		if !next.Valid {
			from = ""
			break
		}
		from = next.String
		var one int
		there, err := q.Value(&one, `SELECT 1 FROM sessions WHERE id = ?`, from)
		if err != nil {
			return Swept{}, err
		}
		if !there {
			gone = errand.SessionID(from)
			break
		}
	}
	if gone == "" {
		return Swept{More: from != "", Next: from}, nil
	}
	swept, err := s.sweepRows(ctx, limit, "events", `session = ? AND session <> ''`, gone)
	if swept.More {
		from = from[:len(from)-1] // the same one again
	}
	return Swept{What: swept.What, Done: swept.Done, More: true, Next: from}, err
}

// Expired returns ended sessions whose transcripts are past their time, and
// those that somebody began to delete, at most limit. None of them has a task
// at work, or a result that is to be told.
func (s *Store) Expired(ctx context.Context, p Policy, limit int) ([]errand.SessionID, error) {
	const idle = ` AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.` + open + `)`
	q := s.read(ctx)
	var ids []errand.SessionID
	err := q.All(&ids, `SELECT id FROM sessions WHERE reason = 'deleted' AND state = 'ended'`+idle+" LIMIT ?", limit)
	if err != nil || len(ids) == limit || p.Transcripts == 0 {
		return ids, err
	}
	var old []errand.SessionID
	err = q.All(&old, `SELECT id FROM sessions WHERE state = 'ended' AND active < ? AND ended < ? AND reason <> 'deleted'`+idle+`
		AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.`+wayUndecided+`) ORDER BY active LIMIT ?`,
		micros(s.clock().Add(-p.Transcripts)), micros(s.clock().Add(-p.Transcripts)), limit-len(ids))
	return append(ids, old...), err
}

// ExpiredTasks returns tasks of no session that ended longer ago than
// transcripts are kept, at most limit.
func (s *Store) ExpiredTasks(ctx context.Context, p Policy, limit int) ([]errand.Task, error) {
	if p.Transcripts == 0 {
		return nil, nil
	}
	return tasksWhere(s.read(ctx), `session = '' AND way <> '' AND state IN ('completed', 'failed', 'canceled', 'rejected')
		AND finished < ? ORDER BY created LIMIT ?`, micros(s.clock().Add(-p.Transcripts)), limit)
}
