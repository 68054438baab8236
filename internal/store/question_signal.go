package store

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A ClosedQuestion is over, and whoever asked has not been told.
type ClosedQuestion struct {
	ID       errand.QuestionID
	Owner    errand.Owner      // who asked
	Key      errand.SessionKey // of the chat in which it did
	Answered time.Time
	// Signalled is when the watchdog last told its workflow; zero: never.
	Signalled time.Time
	// Refused is of an approval that there is no yes to.
	Refused bool
}

// UndeliveredAnswers returns the questions that ended before the given time and whose agent
// has not been told, without their words.
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
			list[i] = ClosedQuestion{errand.QuestionID(r.ID), errand.Owner(r.Owner), errand.SessionKey(r.SessionKey), at(r.Answered), at(r.Signalled), r.Refused}
		}
		return list, err
	})
}

// NoteQuestionSignalled notes that the workflow of whoever asked was told that a question
// is over.
func (s *Store) NoteQuestionSignalled(ctx context.Context, id errand.QuestionID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE questions SET signalled = ? WHERE id = ?`, t.now, id)
		return err
	})
}

// OpenQuestions returns those of some questions that are open, and the approvals among them
// that are over without a yes.
func (s *Store) OpenQuestions(ctx context.Context, ids []errand.QuestionID) (still, refused []errand.QuestionID, err error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	var rows []struct {
		ID    errand.QuestionID
		State errand.QuestionState
	}
	err = s.read(ctx).All(&rows, `SELECT id, state FROM questions WHERE (state = 'open' OR kind = 'approval' AND state <> 'answered') AND id IN (`+sqldb.Placeholders(len(ids))+`) ORDER BY id`, args...)
	for _, r := range rows {
		if r.State == errand.QuestionOpen {
			still = append(still, r.ID)
		} else {
			refused = append(refused, r.ID)
		}
	}
	return still, refused, err
}

// DueQuestions returns open questions of which people are to be reminded now, or that
// expire, at most limit.
func (s *Store) DueQuestions(ctx context.Context, now time.Time, limit int) ([]errand.Question, error) {
	return questionsWhere(s.read(ctx), `state = 'open' AND next_at <= ? ORDER BY next_at, id LIMIT ?`, micros(now), limit)
}

// RemindOfQuestion shows a question once more, and says when it is due again: to those who
// decide about it, where there are any, and else in its chat. It does
// nothing if that was done, or the question is over. queued says that a platform has to
// be called.
func (s *Store) RemindOfQuestion(ctx context.Context, q errand.Question, text string, now time.Time, pace QuestionPace, deciders ...Decider) (queued bool, err error) {
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
		queued = q.Route.Chat != "" && q.Route.Channel != errand.ChannelWeb
		return t.show(q, fmt.Sprintf("question:%s:%d", q.ID, reminded), text)
	})
	return queued, err
}

// onQuestion runs do in a transaction that has the conversation of a question.
func (s *Store) onQuestion(ctx context.Context, id errand.QuestionID, do func(*tx) error) error {
	var key string
	if _, err := s.read(ctx).Value(&key, `SELECT conversation FROM questions WHERE id = ?`, id); err != nil {
		return err
	}
	return s.write(ctx, key, do)
}
