package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A ClosedQuestion is a closed question whose answer was not delivered to its agent.
type ClosedQuestion struct {
	ID       core.QuestionID
	Owner    core.Owner
	Key      core.SessionKey // the chat in which it was asked
	Answered time.Time
	// Signalled is when the watchdog last signaled its workflow; zero: never.
	Signalled time.Time
	Refused   bool
}

// UndeliveredAnswers returns the questions that ended before a time and whose answer was not
// delivered.
func (s *Store) UndeliveredAnswers(ctx context.Context, before time.Time) iter.Seq2[ClosedQuestion, error] {
	return paginate(func(after *ClosedQuestion) ([]ClosedQuestion, error) {
		if after == nil {
			after = &ClosedQuestion{}
		}
		var rows []struct {
			ID, Owner           string
			SessionKey          string
			Answered, Signalled int64
			Refused             bool
		}
		err := s.read(ctx).All(&rows, `SELECT id, owner, session_key, answered, signalled, kind = 'approval' AND state <> 'answered' AS refused FROM questions WHERE NOT told AND state <> 'open'
			AND answered < ? AND (answered, id) > (?, ?) ORDER BY answered, id LIMIT ?`, micros(before), micros(after.Answered), after.ID, pageRows)
		list := make([]ClosedQuestion, len(rows))
		for i, r := range rows {
			list[i] = ClosedQuestion{core.QuestionID(r.ID), core.Owner(r.Owner), core.SessionKey(r.SessionKey), at(r.Answered), at(r.Signalled), r.Refused}
		}
		return list, err
	})
}

func (c ClosedQuestion) noteSignal(t *tx) error {
	_, err := t.Exec(`UPDATE questions SET signalled = ? WHERE id = ?`, t.now, c.ID)
	return err
}

// OpenQuestions returns those of ids that are open, and those that are approvals and were not
// granted.
func (s *Store) OpenQuestions(ctx context.Context, ids []core.QuestionID) (still, refused []core.QuestionID, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var rows []struct {
		ID    core.QuestionID
		State core.QuestionState
	}
	err = s.read(ctx).All(&rows, `SELECT id, state FROM questions WHERE (state = 'open' OR kind = 'approval' AND state <> 'answered') AND id IN (`+sqldb.Placeholders(len(ids))+`) ORDER BY id`, args...)
	for _, r := range rows {
		if r.State == core.QuestionOpen {
			still = append(still, r.ID)
		} else {
			refused = append(refused, r.ID)
		}
	}
	return still, refused, err
}

// DueQuestions returns at most limit open questions whose reminder or expiry is due.
func (s *Store) DueQuestions(ctx context.Context, now time.Time, limit int) ([]core.Question, error) {
	return questionsWhere(s.read(ctx), `state = 'open' AND next_at <= ? ORDER BY next_at, id LIMIT ?`, micros(now), limit)
}

// RemindOfQuestion shows a question again, to its deciders or else in its chat, and sets its
// next time. It does nothing if the reminder is not due any more, or the question is closed.
// queued reports whether there is something to send.
func (s *Store) RemindOfQuestion(ctx context.Context, q core.Question, text string, now time.Time, pace QuestionPace, deciders ...Decider) (queued bool, err error) {
	err = s.onQuestion(ctx, q.ID, func(t *tx) error {
		queued = false
		var reminded int
		due, err := t.Value(&reminded, `SELECT reminded + 1 FROM questions WHERE id = ? AND state = 'open' AND next_at <= ?`, q.ID, micros(now))
		if err != nil || !due {
			return err
		}
		next := pace.after(micros(q.Created), micros(q.Expires), micros(now), &reminded)
		if _, err := t.Exec(`UPDATE questions SET reminded = ?, next_at = ? WHERE id = ?`, reminded, next, q.ID); err != nil {
			return err
		}
		for _, d := range deciders {
			if err := t.showDecider(q, deciderKey(q, d.Person, strconv.Itoa(reminded)), d); err != nil {
				return err
			}
		}
		if queued = true; len(deciders) > 0 {
			return nil
		}
		queued = q.Route.Chat != "" && q.Route.Channel != core.ChannelWeb
		return t.show(q, fmt.Sprintf("question:%s:%d", q.ID, reminded), text)
	})
	return queued, err
}

func (s *Store) onQuestion(ctx context.Context, id core.QuestionID, do func(*tx) error) error {
	var key string
	if _, err := s.read(ctx).Value(&key, `SELECT conversation FROM questions WHERE id = ?`, id); err != nil {
		return err
	}
	return s.write(ctx, key, do)
}
