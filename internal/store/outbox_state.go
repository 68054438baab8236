package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"errand/internal/core"
	"errand/internal/events"
)

// MarkSending marks a row as being sent, before the caller calls the platform, and leases it to
// the caller. It returns the row as it was before: a row in state sending or unknown may have
// arrived already. It fails with ErrBusy while another sender has the lease, which ends early if its
// worker dies, and with ErrClosed if the row is not to be sent any more.
func (s *Store) MarkSending(ctx context.Context, id int64, lease time.Duration) (core.Notification, error) {
	var before core.Notification
	err := s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		var row struct {
			outboxRow
			SendingUntil int64
		}
		found, err := t.Row(&row, `SELECT `+outboxColumns+`, sending_until FROM outbox WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if before, err = row.notification(); err != nil {
			return err
		}
		switch {
		case !found:
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		case !before.State.Open():
			return fmt.Errorf("outbox row %d is %s: %w", id, before.State, ErrClosed)
		case before.State == core.Sending && row.SendingUntil > t.now:
			return fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		// Two transactions may have read the same row. The second one finds another lease than
		// it read.
		n, err := t.Exec(`UPDATE outbox SET state = 'sending', attempts = attempts + 1, sending_until = ?, sending_by = ? WHERE id = ? AND state = ? AND sending_until = ?`,
			t.now+lease.Microseconds(), workerOf(t.s), id, row.State, row.SendingUntil)
		if err == nil && n == 0 {
			err = fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		return err
	})
	return before, err
}

// MarkSent marks a row as delivered, even if it was dismissed or blocked meanwhile. receipts
// are the platform's ids of its parts; replies refer to them. account is the account that sent
// it; empty: the account of the row's route.
func (s *Store) MarkSent(ctx context.Context, id int64, account string, receipts []string) error {
	list, err := json.Marshal(receipts)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		var to struct{ Channel, Account, Chat, Key, Event, SessionKey, Replaces string }
		found, err := t.Row(&to, `UPDATE outbox SET state = 'sent', error = '', receipts = ?, sent_at = ? WHERE id = ?
			RETURNING channel, account, chat, key, event, session_key, replaces`, string(list), t.now, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		}
		t.changed("", events.Deliveries)
		if !slices.Contains(receipts, to.Replaces) {
			if err := t.deleteReplaced(id); err != nil {
				return err
			}
		}
		err = t.queueBackfill(core.Notification{
			ID: id, Key: to.Key, Route: core.Route{Account: to.Account}, Event: core.EventType(to.Event), Session: core.SessionKey(to.SessionKey),
		}, account)
		if err != nil {
			return err
		}
		return t.receipts(core.Account{Channel: to.Channel, Name: cmp.Or(account, to.Account)}, to.Chat, id, receipts)
	})
}

func (t *tx) receipts(by core.Account, chat string, outbox int64, ids []string) error {
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

// NoteParts stores the ids of the parts that have arrived so far (of is the total), and the
// account that sent them. People may reply to these parts already, and a phone that could not
// decrypt a part may request it again.
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
		return t.receipts(core.Account{Channel: row.Channel, Name: account}, row.Chat, row.ID, ids)
	})
}

// MarkUnsent marks a row that still has to be sent: state is pending if it was not delivered,
// unknown if that is in doubt, and empty if nothing was tried (then the state stays). wait is
// the pause that the platform requested.
func (s *Store) MarkUnsent(ctx context.Context, id int64, state core.OutboxState, reason string, wait time.Duration) error {
	set, args := `error = ?, not_before = ?`, []any{reason, int64(0)}
	if wait > 0 {
		args[1] = micros(s.clock().Add(wait))
	}
	if state != "" {
		set, args = `state = ?, `+set, append([]any{state}, args...)
	}
	return s.mark(ctx, "", id, `UPDATE outbox SET `+set+` WHERE `+unsent+` AND id = ?`, args...)
}

// MarkBlocked marks a row that the platform refuses permanently. unknown means that it may have
// arrived before, at least in part.
func (s *Store) MarkBlocked(ctx context.Context, id int64, reason string, unknown bool) error {
	return s.mark(ctx, "", id, `UPDATE outbox SET state = 'blocked', error = ?, doubt = ? WHERE `+unsent+` AND id = ?`, reason, unknown)
}

const again = `CASE WHEN doubt THEN 'unknown' ELSE 'pending' END`

// RetryOutbox lets a blocked or dismissed row be sent again, for a person. If it is blocked
// again, [Store.Reopen] may reopen it again.
func (s *Store) RetryOutbox(ctx context.Context, id int64) error {
	return s.mark(ctx, core.DeedRetry, id, `UPDATE outbox SET state = `+again+`, not_before = 0, reopened = FALSE WHERE state IN ('blocked', 'dismissed') AND id = ?`)
}

// Dismiss gives up a row that was not sent.
func (s *Store) Dismiss(ctx context.Context, id int64) error {
	return s.mark(ctx, core.DeedDismiss, id, `UPDATE outbox SET state = 'dismissed', doubt = doubt OR state IN ('sending', 'unknown') WHERE state <> 'sent' AND id = ?`)
}

// Limits of what is reopened when a chat accepts messages again: recent rows, and not more than
// a person would read.
const (
	reopenWithin = 7 * 24 * time.Hour
	mostReopened = 20
)

// Reopen lets rows that a chat refused be sent again after the chat has accepted sent: the
// person may have unblocked the bot. It returns the number of rows. Only a message of a
// conversation reopens rows, and only answers, questions and results are sent again, each row
// once until a person retries it.
func (s *Store) Reopen(ctx context.Context, sent core.Notification) (int, error) {
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

// mark fails with ErrClosed if the state of the row does not allow the change. An empty deed
// means that errand itself acts; then there is no audit row.
func (s *Store) mark(ctx context.Context, deed core.Deed, id int64, query string, args ...any) error {
	return s.write(ctx, "", func(t *tx) error {
		t.changed("", events.Deliveries)
		n, err := t.Exec(query, append(args, id)...)
		switch {
		case err != nil || n == 1 && deed == "":
			return err
		case n == 1:
			if deed == core.DeedDismiss {
				if err := t.deleteReplaced(id); err != nil {
					return err
				}
			}
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
