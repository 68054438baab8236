package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"errand"
	"errand/internal/events"
)

// MarkSending notes, before the platform is called, that it will be, and that
// nobody else is to call it before lease is over. It returns the state the row
// had: one that was being sent, or is in doubt, may have arrived. It fails with
// ErrBusy while another sender has the row, and with ErrClosed if it is not to
// be sent any more.
func (s *Store) MarkSending(ctx context.Context, id int64, lease time.Duration) (errand.OutboxState, error) {
	var before errand.OutboxState
	err := s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		var row struct {
			State        string
			SendingUntil int64
		}
		found, err := t.Row(&row, `SELECT state, sending_until FROM outbox WHERE id = ?`, id)
		if err != nil {
			return err
		}
		before = errand.OutboxState(row.State)
		switch {
		case !found:
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		case !before.Open():
			return fmt.Errorf("outbox row %d is %s: %w", id, before, ErrClosed)
		case before == errand.Sending && row.SendingUntil > t.now:
			return fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		// Two transactions may have read the same row: the second finds another
		// lease in it than it read.
		n, err := t.Exec(`UPDATE outbox SET state = 'sending', attempts = attempts + 1, sending_until = ? WHERE id = ? AND state = ? AND sending_until = ?`,
			t.now+lease.Microseconds(), id, row.State, row.SendingUntil)
		if err == nil && n == 0 {
			err = fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		return err
	})
	return before, err
}

// MarkSent notes that it has been delivered, in one part for each receipt, and by
// which of our accounts; empty: that of the row's route. That is true whatever was
// decided meanwhile. By the receipts it is known what is replied to.
func (s *Store) MarkSent(ctx context.Context, id int64, account string, receipts []string) error {
	list, err := json.Marshal(receipts)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		var to struct{ Channel, Account, Chat, Key, Event, SessionKey string }
		found, err := t.Row(&to, `UPDATE outbox SET state = 'sent', error = '', receipts = ?, sent_at = ? WHERE id = ?
			RETURNING channel, account, chat, key, event, session_key`, string(list), t.now, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		}
		t.changed("", events.Deliveries)
		if err := t.previewTaken(id, receipts); err != nil {
			return err
		}
		err = t.queueBackfill(errand.Notification{
			ID: id, Key: to.Key, Route: errand.Route{Account: to.Account}, Event: errand.EventType(to.Event), Session: errand.SessionKey(to.SessionKey),
		}, account)
		if err != nil {
			return err
		}
		return t.receipts(errand.Account{Channel: to.Channel, Name: cmp.Or(account, to.Account)}, to.Chat, id, receipts)
	})
}

// receipts notes which messages of a chat a row has become.
func (t *tx) receipts(by errand.Account, chat string, outbox int64, ids []string) error {
	for _, id := range ids {
		if id == "" {
			continue
		}
		_, err := t.Exec(`INSERT INTO receipts (channel, account, chat, message_id, outbox) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (channel, account, chat, message_id) DO UPDATE SET outbox = excluded.outbox`, by.Channel, by.Name, chat, id, outbox)
		if err != nil {
			return err
		}
	}
	return nil
}

// NoteParts notes which of so many parts of what has a key have arrived, by the ids
// of the platform, and which of our accounts has sent them. People may reply to these
// already, and a phone that could not open one may ask for it again.
func (s *Store) NoteParts(ctx context.Context, key, account string, ids []string, of int) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		var row struct {
			ID            int64
			Channel, Chat string
		}
		found, err := t.Row(&row, `UPDATE outbox SET receipts = ?, parts_by = ?, parts = ? WHERE key = ? AND `+unsent+` RETURNING id, channel, chat`,
			string(list), account, of, key)
		if err != nil || !found {
			return err
		}
		return t.receipts(errand.Account{Channel: row.Channel, Name: account}, row.Chat, row.ID, ids)
	})
}

// MarkUnknown notes that the platform was called and nobody knows with what
// result, and how long it has asked to wait.
func (s *Store) MarkUnknown(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'unknown', error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// MarkPending notes that it has not been delivered and will be tried again, and
// how long the platform has asked to wait.
func (s *Store) MarkPending(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'pending', error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// Postpone notes that it waits, why, and for how long. What is known of it stays:
// nothing was tried.
func (s *Store) Postpone(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// after is the time in a while; 0 where there is nothing to wait for.
func (s *Store) after(wait time.Duration) int64 {
	if wait <= 0 {
		return 0
	}
	return micros(s.clock().Add(wait))
}

// MarkBlocked notes that the platform refuses it for good; unknown says that it may
// have arrived before, in part or as a whole.
func (s *Store) MarkBlocked(ctx context.Context, id int64, reason string, unknown bool) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'blocked', error = ?, doubt = ? WHERE `+unsent+` AND id = ?`, reason, unknown)
}

// again is the state of a row that is to be sent after all.
const again = `CASE WHEN doubt THEN 'unknown' ELSE 'pending' END`

// RetryOutbox lets a blocked or dismissed row be sent again. A person has said so:
// if it is blocked once more, it may be reopened once more.
func (s *Store) RetryOutbox(ctx context.Context, id int64) error {
	return s.markBy(ctx, DeedRetry, id, `UPDATE outbox SET state = `+again+`, not_before = 0, reopened = FALSE WHERE state IN ('blocked', 'dismissed') AND id = ?`)
}

// Dismiss gives up a row that has not been sent.
func (s *Store) Dismiss(ctx context.Context, id int64) error {
	return s.markBy(ctx, DeedDismiss, id, `UPDATE outbox SET state = 'dismissed', doubt = doubt OR state IN ('sending', 'unknown') WHERE state <> 'sent' AND id = ?`)
}

// What is reopened when a chat takes messages again: not what nobody remembers, and
// no more than somebody reads.
const (
	reopenWithin = 7 * 24 * time.Hour
	mostReopened = 20
)

// Reopen lets what a chat has refused be sent once more, now that it has taken sent:
// a person who had blocked the bot is back. It returns how many there are. Only what
// is part of a conversation opens it, and only answers, questions and results are
// sent; each row once, until a person retries it.
func (s *Store) Reopen(ctx context.Context, sent errand.Notification) (int, error) {
	if sent.Session == "" {
		return 0, nil
	}
	const blocked = `state = 'blocked' AND NOT reopened AND channel = ? AND account = ? AND chat = ? AND thread = ?
		AND session_key <> '' AND event IN ('reply', 'question', 'late') AND created > ? ORDER BY id DESC`
	args := []any{sent.Route.Channel, sent.Route.Account, sent.Route.Chat, sent.Route.Thread, micros(s.clock().Add(-reopenWithin))}
	var id int64
	if found, err := s.read(ctx).Value(&id, `SELECT id FROM outbox WHERE `+blocked+" LIMIT 1", args...); err != nil || !found {
		return 0, err
	}
	var reopened int64
	err := s.write(ctx, "", func(t *tx) error {
		var err error
		reopened, err = t.Exec(`UPDATE outbox SET state = `+again+`, not_before = 0, reopened = TRUE
			WHERE state = 'blocked' AND id IN (SELECT id FROM outbox WHERE `+blocked+` LIMIT ?)`, append(args, mostReopened)...)
		t.changed("", events.Deliveries)
		return err
	})
	return int(reopened), err
}

// mark changes one row; ErrClosed if it is in a state that cannot be changed
// so, ErrNotFound if there is none.
func (s *Store) mark(ctx context.Context, id int64, query string, args ...any) error {
	return s.markBy(ctx, "", id, query, args...)
}

// markBy is mark, for what somebody does; an empty deed is errand's own.
func (s *Store) markBy(ctx context.Context, deed Deed, id int64, query string, args ...any) error {
	return s.write(ctx, "", func(t *tx) error {
		t.changed("", events.Deliveries)
		n, err := t.Exec(query, append(args, id)...)
		switch {
		case err != nil || n == 1 && deed == "":
			return err
		case n == 1:
			return t.audit(deed, did{kind: "delivery", subject: strconv.FormatInt(id, 10)})
		}
		var state string
		found, err := t.Value(&state, `SELECT state FROM outbox WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		}
		return fmt.Errorf("outbox row %d is %s: %w", id, state, ErrClosed)
	})
}
