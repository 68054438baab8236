package store

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/store/sqldb"
	"errand/internal/when"
)

// Quiet is what an installation says about quiet hours: the time in which errand holds
// back from a person what can wait.
type Quiet struct {
	Hours    when.Hours     // of people who have set none
	Zone     *time.Location // by whose clocks, where a person has said nothing; default UTC
	AwakeFor time.Duration  // so long after somebody wrote in a chat nothing is held back there; default 30 min
}

func (q Quiet) withDefaults() Quiet {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	if q.AwakeFor <= 0 {
		q.AwakeFor = 30 * time.Minute
	}
	return q
}

// Of returns the quiet hours of a person, and the zone by whose clocks they are.
func (q Quiet) Of(p Person) (when.Hours, *time.Location) {
	hours := q.Hours
	if own, ok := when.ParseHours(p.QuietHours); ok {
		hours = own
	}
	return hours, when.ZoneOr(p.TimeZone, q.Zone)
}

// Quiet returns what the installation says about quiet hours.
func (s *Store) Quiet() Quiet { return s.quiet }

// SetQuietHours sets when what can wait is held back from a person: hours as
// [when.ParseHours] reads them or "" for the installation's, by the clocks of a zone or,
// where that is "", by the installation's. What is held back is looked at anew.
func (s *Store) SetQuietHours(ctx context.Context, id errand.PersonID, hours, zone string) (Person, error) {
	return s.changePerson(ctx, id, func(t *tx, p *Person) error {
		what := "quiet_hours"
		if hours == p.QuietHours && zone != p.TimeZone {
			what = "time_zone"
		}
		p.QuietHours, p.TimeZone = hours, zone
		if _, err := t.Exec(`UPDATE people SET quiet_hours = ?, time_zone = ? WHERE id = ?`, hours, zone, id); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE questions SET next_at = ? WHERE held_until > 0 AND state = 'open' AND person = ?`, t.now, id); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE tasks SET held_until = ? WHERE held_until > ? AND held_until > 0 AND person = ?`, t.now, t.now, id); err != nil {
			return err
		}
		return t.audit(DeedPersonChange, did{"person", string(id), id, what})
	})
}

// QuietUntil returns until when a question is held back from whom it asks; the zero time:
// it is not, for there are no quiet hours now, or they are awake: they have just written in
// its chat, or where they have asked for the agent that asks.
func (s *Store) QuietUntil(ctx context.Context, q errand.Question) (time.Time, error) {
	chats := []errand.SessionKey{q.Key}
	if q.Task != "" {
		task, err := taskByID(s.read(ctx), q.Task)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return time.Time{}, err
		}
		chats = append(chats, task.Origin.Source)
	}
	return s.asleepUntil(s.read(ctx), s.Now(), q.Person, chats...)
}

func (s *Store) asleepUntil(q sqldb.Querier, now time.Time, person errand.PersonID, chats ...errand.SessionKey) (time.Time, error) {
	p, err := personWhere(q, `WHERE p.id = ?`, person)
	if err == ErrNotFound {
		return time.Time{}, nil // nobody's sleep is disturbed
	}
	if err != nil {
		return time.Time{}, err
	}
	until := s.quiet.end(p, now)
	if until.IsZero() {
		return until, nil
	}
	for _, chat := range chats {
		if chat == "" {
			continue
		}
		var one int
		awake, err := q.Value(&one, wroteSince(`?`, `?`)+` LIMIT 1`, chat, person, micros(now.Add(-s.quiet.AwakeFor)))
		if awake || err != nil {
			return time.Time{}, err
		}
	}
	return until, nil
}

// end returns when the quiet hours of a person are over that it is now; zero: it is none.
func (q Quiet) end(p Person, now time.Time) time.Time {
	hours, zone := q.Of(p)
	return hours.End(now, zone)
}

// holdResult holds back the outcome of a task from whoever asked for it, if it is their
// quiet hours and they are asleep. The watchdog has it told once they are over.
func (b *stepBegin) holdResult(task *errand.Task) (held bool, err error) {
	until, err := b.s.asleepUntil(b, at(b.now), task.Origin.Person, b.in.Session, task.Origin.Source)
	if err != nil || until.IsZero() {
		return false, err
	}
	_, err = b.Exec(`UPDATE tasks SET held_until = ?, signalled = 0 WHERE id = ? AND way = ''`, micros(until), task.ID)
	return true, err
}

// mayHold reports whether a step of a session may hold results back: it answers nobody.
func (b *stepBegin) mayHold() bool { return b.key.Step == 1 && b.claims == 0 && !b.opened }

// showAsked shows a new question, or holds it back where the person that a sub-agent asks
// is asleep and it can wait: not one that nobody could answer in time any more, nor one
// that others answer.
func (c *commit) showAsked(q errand.Question, text string, others bool) error {
	if c.task == nil || others {
		return c.show(q, "question:"+string(q.ID), text)
	}
	return c.showToPerson(q, c.task, text)
}

func (t *tx) showToPerson(q errand.Question, task *errand.Task, text string) error {
	key := "question:" + string(q.ID)
	if q.Route.Chat == "" {
		return t.show(q, key, text)
	}
	until, err := t.s.asleepUntil(t, at(t.now), q.Person, q.Key, task.Origin.Source)
	if err != nil {
		return err
	}
	late := func(end time.Time) bool { return !end.IsZero() && !until.Before(end) }
	if until.IsZero() || late(q.Expires) || late(task.Deadline) {
		return t.show(q, key, text)
	}
	_, err = t.Exec(`UPDATE questions SET held_until = ?, held_text = ?, next_at = ? WHERE id = ?`, micros(until), text, micros(until), q.ID)
	return err
}

// HoldQuestion has nobody shown a question, or reminded of it, before the quiet hours of
// whoever it asks are over. It reports whether it can wait so long: one that would expire,
// or whose task would be over, before anybody has seen it cannot.
func (s *Store) HoldQuestion(ctx context.Context, q errand.Question, until time.Time) (held bool, err error) {
	var row struct{ NextAt, Deadline int64 }
	found, err := s.read(ctx).Row(&row, `SELECT next_at, COALESCE((SELECT deadline FROM tasks WHERE tasks.id = questions.task), 0) AS deadline FROM questions WHERE id = ?`, q.ID)
	if err != nil || !found {
		return false, err
	}
	late := !until.Before(q.Expires) || row.Deadline > 0 && micros(until) >= row.Deadline
	if !q.HeldUntil.IsZero() && late {
		return false, nil
	}
	if row.NextAt == min(micros(until), micros(q.Expires)) {
		return true, nil
	}
	err = s.onQuestion(ctx, q.ID, func(t *tx) error {
		next := min(micros(until), micros(q.Expires))
		_, err := t.Exec(`UPDATE questions SET next_at = ?, held_until = CASE WHEN held_until > 0 THEN ? ELSE held_until END WHERE id = ? AND state = 'open'`, next, next, q.ID)
		return err
	})
	return err == nil, err
}

// ShowHeldQuestion shows, once, a question that was held back. queued says that a platform
// has to be called.
func (s *Store) ShowHeldQuestion(ctx context.Context, q errand.Question, pace QuestionPace) (queued bool, err error) {
	err = s.onQuestion(ctx, q.ID, func(t *tx) error {
		queued = false
		var row struct {
			HeldText string
			Reminded int
		}
		held, err := t.Row(&row, `SELECT held_text, reminded FROM questions WHERE id = ? AND state = 'open' AND held_until > 0`, q.ID)
		if err != nil || !held {
			return err
		}
		next := pace.after(micros(q.Created), micros(q.Expires), t.now, &row.Reminded)
		_, err = t.Exec(`UPDATE questions SET held_until = 0, held_text = '', reminded = ?, next_at = ? WHERE id = ?`, row.Reminded, next, q.ID)
		if err != nil {
			return err
		}
		queued = q.Route.Chat != "" && q.Route.Channel != errand.ChannelWeb
		return t.show(q, "question:"+string(q.ID), row.HeldText)
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

// wroteSince finds what a person has written in a conversation since a time: they, and
// nobody else who shares it. Both are expressions; the time is the next argument.
func wroteSince(key, person string) string {
	return `SELECT 1 FROM inbox WHERE inbox.session_key = ` + key + ` AND inbox.person IN ('', ` + person + `) AND inbox.cause <> 'reminder' AND inbox.created > ?`
}

var heldAwake = `held_until > 0 AND EXISTS (` + wroteSince(`questions.session_key`, `questions.person`) + `)`

// HeldTasks returns the tasks of a conversation whose outcome is held back, the oldest
// first.
func (s *Store) HeldTasks(ctx context.Context, key errand.SessionKey) ([]errand.Task, error) {
	return tasksWhere(s.read(ctx), `session_key = ? AND held_until > 0 AND held_until > ? ORDER BY finished LIMIT ?`, key, micros(s.Now()), maxResults)
}
