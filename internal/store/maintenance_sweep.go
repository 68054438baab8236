package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"errand/internal/core"
)

// Retention times that are not configurable. They leave enough time to investigate.
const (
	keepRequests = 24 * time.Hour // pairing requests, after they have expired
	keepRefusals = 30 * 24 * time.Hour
	keepCommands = 30 * 24 * time.Hour // as long as a platform might deliver a command again
	keepReports  = 90 * 24 * time.Hour // reports of maintenance
	keepDays     = 7 * 24 * time.Hour  // rests of daily budgets: no one reads them after the day
)

// Stages returns all stages in the order of their execution.
func Stages() []Stage {
	return []Stage{SweepWords, SweepSessions, SweepTranscripts, SweepTasks, SweepMemory, SweepDeliveries, SweepUsage,
		SweepEvents, SweepReminders, SweepInbox, SweepArtifacts, SweepPairings, SweepRefusals, SweepTokens, SweepAudit, SweepReports, SweepBudgets}
}

// A Swept is the result of one sweep. If More is set, the next sweep of the stage continues at
// Next.
type Swept struct {
	What string // what was done: the table of the deleted rows, or "ended"
	Done int
	More bool
	Next string
}

// Sweep does a part of a stage, at most about limit rows, in one short transaction that does
// not delay turns noticeably. It may be repeated and may run concurrently. limit 0 means 200.
//
// It does nothing for the stages of transcripts and tasks: the callers of [Store.DeleteSession]
// and [Store.DeleteTask] delete these, with their histories in Temporal.
func (s *Store) Sweep(ctx context.Context, stage Stage, p Policy, from string, limit int) (Swept, error) {
	w := sweep{s, p, s.clock(), orDefault(limit, deleteBatch)}
	switch stage {
	case SweepSessions:
		return w.endStale(ctx)
	case SweepTranscripts, SweepTasks:
		return Swept{}, nil
	case SweepMemory:
		return w.memory(ctx)
	case SweepDeliveries:
		return w.deliveries(ctx)
	case SweepUsage:
		return w.usage(ctx)
	case SweepEvents:
		return w.events(ctx, from)
	case SweepReminders:
		if p.Transcripts == 0 {
			return Swept{}, nil
		}
		cut := w.before(p.Transcripts)
		return w.rows(ctx, w.limit, "reminders", `state <> 'active' AND created < ? AND last < ?`, cut, cut)
	case SweepInbox:
		return w.rows(ctx, w.limit, "inbox", `superseded AND turn IS NULL AND created < ?`, w.before(keepCommands))
	case SweepArtifacts:
		return w.rows(ctx, min(w.limit, artifactBatch), "artifacts", `session = '' AND root = '' AND created < ?
			AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = artifacts.inbox AND inbox.turn IS NULL AND NOT inbox.superseded)`, w.before(keepCommands))
	case SweepPairings:
		return w.rows(ctx, w.limit, "pairings", `expires < ?`, w.before(keepRequests))
	case SweepRefusals:
		return w.rows(ctx, w.limit, "refusals", `last < ?`, w.before(keepRefusals))
	case SweepTokens:
		return w.rows(ctx, w.limit, "tokens", `expires > 0 AND expires < ?`, micros(w.now))
	case SweepAudit:
		if p.Audit == 0 {
			return Swept{}, nil
		}
		return w.rows(ctx, w.limit, "audit", `at < ?`, w.before(p.Audit))
	case SweepReports:
		return w.rows(ctx, w.limit, "upkeep", `started < ?`, w.before(keepReports))
	case SweepBudgets:
		// The keys end with the day: see dayKey and fileKeys.
		daily := `(key >= 'files:' AND key < 'files;' OR key >= 'person:' AND key < 'person;')`
		if s.db.Postgres() { // its collation may order texts differently
			daily = `(key LIKE 'files:%' OR key LIKE 'person:%')`
		}
		return w.rows(ctx, w.limit, "budgets", daily+` AND SUBSTR(key, LENGTH(key) - 9) < ?`, w.now.Add(-keepDays).UTC().Format(time.DateOnly))
	case SweepWords:
		if s.db.Postgres() {
			return Swept{}, nil
		}
		more, err := wordIndex{s}.merge(ctx, mergePages)
		return Swept{More: more}, err // a merge deletes nothing
	}
	return Swept{}, fmt.Errorf("sweep %q: no such stage", stage)
}

type sweep struct {
	*Store
	policy Policy
	now    time.Time
	limit  int
}

func (w sweep) before(age time.Duration) int64 { return micros(w.now.Add(-age)) }

// endBatch is how many sessions end in one transaction. It is small, because each session
// touches other pages of the indexes.
const endBatch = 40

// artifactBatch is how many artifacts are deleted in one transaction. It is small, because
// artifacts are large.
const artifactBatch = 20

func (w sweep) rows(ctx context.Context, limit int, table, where string, args ...any) (Swept, error) {
	// A read first, which no writer waits for: mostly nothing is due.
	var one int
	found, err := w.read(ctx).Value(&one, `SELECT 1 FROM `+table+` WHERE `+where+` LIMIT 1`, args...)
	if err != nil || !found {
		return Swept{}, err
	}
	var n int64
	err = w.write(ctx, "", func(t *tx) error {
		var err error
		n, err = t.Exec(t.some(table, where), append(args, limit)...)
		return err
	})
	return Swept{What: table, Done: int(n), More: int(n) == limit}, err
}

// stale selects sessions without open work whose person waits for nothing.
const stale = `state = 'suspended' AND active < ?
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.` + open + `)
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.caller_owner = sessions.id AND tasks.caller_owner <> '' AND tasks.` + open + `)
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session_key = sessions.key AND tasks.` + wayUndecided + `)
	AND NOT EXISTS (SELECT 1 FROM questions WHERE questions.owner = sessions.id AND questions.kind = 'approval' AND (questions.state = 'open' OR NOT questions.told))
	AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.session_key = sessions.key AND inbox.turn IS NULL AND NOT inbox.superseded)`

// endStale sends no signal to workflows. The statement that ends a session checks again that
// the session is stale; a message marks it active first.
func (w sweep) endStale(ctx context.Context) (Swept, error) {
	if w.policy.EndAfter == 0 {
		return Swept{}, nil
	}
	cut, limit := w.before(w.policy.EndAfter), min(w.limit, endBatch)
	var ids []core.SessionID
	if err := w.read(ctx).All(&ids, `SELECT id FROM sessions WHERE `+stale+` ORDER BY active LIMIT ?`, cut, limit); err != nil || len(ids) == 0 {
		return Swept{}, err
	}
	done := 0
	err := w.write(ctx, "", func(t *tx) error {
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
	// If no session of a batch could be ended, reading it again would loop forever.
	return Swept{What: "ended", Done: done, More: len(ids) == limit && done > 0}, err
}

func (w sweep) memory(ctx context.Context) (Swept, error) {
	where, args := `expires > 0 AND expires <= ?`, []any{micros(w.now)}
	if w.policy.Memory > 0 {
		where, args = `(`+where+` OR updated < ?)`, append(args, w.before(w.policy.Memory))
	}
	return w.rows(ctx, w.limit, "memory", where, args...)
}

func (w sweep) deliveries(ctx context.Context) (Swept, error) {
	if w.policy.Deliveries == 0 {
		return Swept{}, nil
	}
	cut := w.before(w.policy.Deliveries)
	swept, err := w.rows(ctx, w.limit, "outbox", `state IN ('sent', 'dismissed') AND created < ?`, cut)
	if err != nil || swept.More {
		return swept, err
	}
	// Refused messages to strangers: no person will decide about them.
	unwanted, err := w.rows(ctx, w.limit-swept.Done, "outbox", `state = 'blocked' AND session_key = '' AND created < ?`, cut)
	unwanted.What, unwanted.Done = "outbox", unwanted.Done+swept.Done
	return unwanted, err
}

// usage sums up and deletes rows in one transaction, so that each counts once.
func (w sweep) usage(ctx context.Context) (Swept, error) {
	if w.policy.UsageDetail == 0 {
		return Swept{}, nil
	}
	cut := w.before(w.policy.UsageDetail)
	var one int
	found, err := w.read(ctx).Value(&one, `SELECT 1 FROM usage WHERE created < ? LIMIT 1`, cut)
	if err != nil || !found {
		return Swept{}, err
	}
	var r *removal
	err = w.write(ctx, "", func(t *tx) error {
		r = &removal{tx: t, left: w.limit, rows: Deleted{}}
		return r.usage(w.limit, `created < ?`, cut)
	})
	if err != nil {
		return Swept{}, err
	}
	return Swept{What: "usage", Done: r.rows["usage"], More: r.rows["usage"] > 0}, nil
}

// events deletes events that were added to sessions during their deletion, in the order of
// session ids.
func (w sweep) events(ctx context.Context, from string) (Swept, error) {
	q := w.read(ctx)
	gone := core.SessionID("")
	for range w.limit {
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
			gone = core.SessionID(from)
			break
		}
	}
	if gone == "" {
		return Swept{More: from != "", Next: from}, nil
	}
	swept, err := w.rows(ctx, w.limit, "events", `session = ? AND session <> ''`, gone)
	if swept.More {
		from = from[:len(from)-1] // repeat this session
	}
	return Swept{What: swept.What, Done: swept.Done, More: true, Next: from}, err
}

// Expired returns at most limit ended sessions whose transcripts are past their retention, and
// sessions whose deletion has begun. None of them has an open task or a result that is still to
// be delivered.
func (s *Store) Expired(ctx context.Context, p Policy, limit int) ([]core.SessionID, error) {
	const idle = ` AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.` + open + `)`
	q := s.read(ctx)
	var ids []core.SessionID
	err := q.All(&ids, `SELECT id FROM sessions WHERE reason = 'deleted' AND state = 'ended'`+idle+" LIMIT ?", limit)
	if err != nil || len(ids) == limit || p.Transcripts == 0 {
		return ids, err
	}
	var old []core.SessionID
	err = q.All(&old, `SELECT id FROM sessions WHERE state = 'ended' AND active < ? AND ended < ? AND reason <> 'deleted'`+idle+`
		AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.session = sessions.id AND tasks.`+wayUndecided+`) ORDER BY active LIMIT ?`,
		micros(s.clock().Add(-p.Transcripts)), micros(s.clock().Add(-p.Transcripts)), limit-len(ids))
	return append(ids, old...), err
}

// ExpiredTasks returns at most limit tasks without a session that ended before the retention of
// transcripts.
func (s *Store) ExpiredTasks(ctx context.Context, p Policy, limit int) ([]core.Task, error) {
	if p.Transcripts == 0 {
		return nil, nil
	}
	return tasksWhere(s.read(ctx), `session = '' AND way <> '' AND state IN ('completed', 'failed', 'canceled', 'rejected')
		AND finished < ? ORDER BY created LIMIT ?`, micros(s.clock().Add(-p.Transcripts)), limit)
}
