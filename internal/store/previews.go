package store

import (
	"context"
	"math"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A Preview is the message in a chat that shows the reply of a turn while it is being
// written. It is no delivery: the row of the outbox is, which takes its place.
type Preview struct {
	ID      int64
	Key     string // that of the reply; empty: its session is deleted
	Route   errand.Route
	Message string // the platform's id of it; empty: not known
	ReplyTo string // the message that is answered
	Since   time.Time
	New     bool // nobody has sent it yet
	// Passed says that the chat was told something else meanwhile: what follows does not
	// belong above that.
	Passed bool
}

type previewRow struct {
	ID                             int64
	Owner                          string
	Turn                           int
	Channel, Account, Chat, Thread string
	Message                        string
	BusyUntil                      int64
	Outbox, Behind                 int64
	Created                        int64
}

const previewColumns = `previews.id, previews.owner, previews.turn, previews.channel, previews.account, previews.chat, previews.thread,
	previews.message, previews.busy_until, previews.outbox, previews.behind, previews.created`

func (r previewRow) preview() Preview {
	p := Preview{ID: r.ID, Message: r.Message, Since: at(r.Created), Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}}
	if r.Owner != "" {
		p.Key = turnKey(errand.Owner(r.Owner), r.Turn)
	}
	return p
}

// passed reports whether the route of a preview was told something else since, before a
// row of the outbox.
func (r previewRow) passed(q sqldb.Querier, row int64) (bool, error) {
	var n int
	return q.Value(&n, `SELECT 1 FROM outbox WHERE id > ? AND id < ? AND channel = ? AND account = ? AND chat = ? AND thread = ? LIMIT 1`,
		r.Behind, row, r.Channel, r.Account, r.Chat, r.Thread)
}

// ClaimPreview lets one caller at a time send or change the message that shows the reply
// of a turn: nobody else may before lease is over, or the caller has noted what came of
// it. It is not claimed while another has it, and open is false when it is not to be shown
// any more: the turn has ended, or its reply is told in another way.
func (s *Store) ClaimPreview(ctx context.Context, session errand.SessionID, turn int, to errand.Route, lease time.Duration) (p Preview, claimed, open bool, err error) {
	owner := errand.SessionOwner(session)
	err = s.write(ctx, "", func(t *tx) error {
		p, claimed, open = Preview{}, false, false
		if err := t.byServerClock(); err != nil {
			return err
		}
		of, found, err := turnOf(t, owner, turn)
		if err != nil || !found || !of.Open || Cause(of.Cause) != CauseMessage {
			return err
		}
		until := t.now + lease.Microseconds()
		n, err := t.Exec(`INSERT INTO previews (owner, turn, channel, account, chat, thread, busy_until, created, behind)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT COALESCE(MAX(id), 0) FROM outbox)) ON CONFLICT DO NOTHING`,
			owner, turn, to.Channel, to.Account, to.Chat, to.Thread, until, t.now)
		if err != nil {
			return err
		}
		var row previewRow
		if found, err = t.Row(&row, `SELECT `+previewColumns+` FROM previews WHERE owner = ? AND turn = ? AND owner <> ''`, owner, turn); err != nil || !found {
			return err
		}
		p = row.preview()
		if p.Route != to || row.Outbox != 0 {
			return nil
		}
		open, p.ReplyTo, p.New = true, of.ReplyTo, n == 1
		if claimed = p.New; claimed || row.BusyUntil > t.now {
			return nil
		}
		if p.Passed, err = row.passed(t, math.MaxInt64); err != nil {
			return err
		}
		// Two may have read the same row: the second finds another time in it.
		n, err = t.Exec(`UPDATE previews SET busy_until = ? WHERE id = ? AND busy_until = ? AND outbox = 0`, until, row.ID, row.BusyUntil)
		claimed = n == 1
		return err
	})
	return p, claimed, open, err
}

// NotePreview notes what has become of a message that the caller has claimed.
func (s *Store) NotePreview(ctx context.Context, id int64, message string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE previews SET message = ?, busy_until = 0 WHERE id = ?`, message, id)
		return err
	})
}

// DropPreview notes that there is no such message, or none any more.
func (s *Store) DropPreview(ctx context.Context, id int64) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM previews WHERE id = ?`, id)
		return err
	})
}

// TakePreview gives to a row of the outbox, before it is sent for the first time, the
// message that shows what was written of it, in whose place it is told; empty: there is
// none that can be changed. While somebody is just changing the message it returns for how
// long that may take.
func (s *Store) TakePreview(ctx context.Context, n errand.Notification) (message string, wait time.Duration, err error) {
	var row previewRow
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return "", 0, err
	}
	found, err := s.read(ctx).Row(&row, `SELECT `+previewColumns+` FROM outbox JOIN previews ON previews.owner = outbox.made_by AND previews.turn = outbox.made_turn
		WHERE outbox.id = ? AND previews.owner <> ''`, n.ID)
	switch p := row.preview(); {
	case err != nil || !found || p.Key != n.Key || p.Route != n.Route:
		return "", 0, err
	case row.Outbox != n.ID && (row.Outbox != 0 || n.Attempts > 0): // it may have been sent without it
		return "", 0, nil
	case row.BusyUntil > now:
		return "", time.Duration(row.BusyUntil-now) * time.Microsecond, nil
	case row.Outbox == n.ID:
		return row.Message, 0, nil
	case row.Message == "":
		return "", 0, nil
	}
	passed, err := row.passed(s.read(ctx), n.ID)
	if err != nil || passed {
		return "", 0, err
	}
	err = s.write(ctx, "", func(t *tx) error {
		n, err := t.Exec(`UPDATE previews SET outbox = ? WHERE id = ? AND outbox = 0 AND busy_until = ?`, n.ID, row.ID, row.BusyUntil)
		if message = ""; n == 1 {
			message = row.Message
		}
		return err
	})
	return message, 0, err
}

// previewTaken forgets the message that a row has taken the place of.
func (t *tx) previewTaken(outbox int64, receipts []string) error {
	for _, id := range receipts[:min(1, len(receipts))] {
		if _, err := t.Exec(`DELETE FROM previews WHERE outbox = ? AND outbox <> 0 AND message = ?`, outbox, id); err != nil {
			return err
		}
	}
	return nil
}

// hasOutbox begins the condition that a row of the outbox, in a state, has what a preview shows.
const hasOutbox = `EXISTS (SELECT 1 FROM outbox WHERE made_by = previews.owner AND previews.owner <> '' AND made_turn = previews.turn AND event <> 'file' AND `

// leftPreviews bounds how many are read at once.
const leftPreviews = 100

// LeftPreviews returns the messages that show what was written of replies which nothing
// will take the place of any more: their turns have ended, and what these had to say was
// told without them, or is not told at all. later says that there are others of which that
// is soon known.
func (s *Store) LeftPreviews(ctx context.Context) (left []Preview, later bool, err error) {
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return nil, false, err
	}
	var rows []struct {
		previewRow
		Awaited bool
	}
	// All of them are looked at: those that wait, or whose account nobody has, hide no others.
	for after := int64(0); ; after = rows[len(rows)-1].ID {
		rows = nil
		err = s.read(ctx).All(&rows, `SELECT `+previewColumns+`, `+hasOutbox+unsent+`) AS awaited
		FROM previews LEFT JOIN turns ON turns.owner = previews.owner AND turns.turn = previews.turn
		WHERE (turns.turn IS NULL OR NOT turns.open) AND NOT `+hasOutbox+`state = 'blocked')
		AND previews.id > ? ORDER BY previews.id LIMIT ?`, after, leftPreviews)
		for _, r := range rows {
			if r.Awaited || r.BusyUntil > now {
				later = true
				continue
			}
			left = append(left, r.preview())
		}
		if err != nil || len(rows) < leftPreviews {
			return left, later, err
		}
	}
}

// ClaimLeftPreview lets one caller take away a message that [Store.LeftPreviews] has returned:
// before lease is over nobody else does, and no reply takes its place. It is not claimed where
// the reply is sent again after all.
func (s *Store) ClaimLeftPreview(ctx context.Context, id int64, lease time.Duration) (claimed bool, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE previews SET busy_until = ? WHERE id = ? AND busy_until <= ? AND NOT `+hasOutbox+`(`+unsent+` OR state = 'blocked'))`,
			t.now+lease.Microseconds(), id, t.now)
		claimed = n == 1
		return err
	})
	return claimed, err
}

// disownPreviews leaves the messages of a session that is deleted to whoever takes them
// away: they are in the chat, and nothing is known of them but where.
func (r *removal) disownPreviews(session errand.SessionID) error {
	_, err := r.Exec(`UPDATE previews SET owner = '', turn = 0, outbox = 0 WHERE owner = ? AND owner <> ''`, errand.SessionOwner(session))
	return err
}
