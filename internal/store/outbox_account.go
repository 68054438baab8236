package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
)

const awaits = unsent + ` AND error LIKE '` + core.AwaitsAccount + `%'`

// WaitingAccounts returns the accounts with unsent rows created before a time.
func (s *Store) WaitingAccounts(ctx context.Context, before time.Time) ([]core.Account, error) {
	var rows []struct{ Channel, Account string }
	err := s.read(ctx).All(&rows, `SELECT DISTINCT channel, account FROM outbox WHERE `+unsent+` AND created < ? ORDER BY channel, account`, micros(before))
	list := make([]core.Account, len(rows))
	for i, r := range rows {
		list[i] = core.Account{Channel: r.Channel, Name: r.Account}
	}
	return list, err
}

// WaitingCount is a placeholder in the notices of [Store.AccountGone] for the number of waiting
// rows.
const WaitingCount = "{count}"

// AccountGone marks the rows that wait for an account that no worker has. It returns how many
// rows wait, and how many of these were not marked before. With the first marks it queues
// notices, and replaces [WaitingCount] in their texts.
func (s *Store) AccountGone(ctx context.Context, a core.Account, before time.Time, notices []core.Notification) (waiting, found int, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		var known int
		if _, err := t.Value(&known, `SELECT COUNT(*) FROM outbox WHERE `+awaits+` AND channel = ? AND account = ?`, a.Channel, a.Name); err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE outbox SET error = ?, not_before = 0 WHERE `+unsent+` AND (state <> 'sending' OR sending_until < ?)
			AND error NOT LIKE '`+core.AwaitsAccount+`%' AND channel = ? AND account = ? AND created < ?`,
			core.AwaitsAccount+a.String()+": it goes out by itself when the account is in errand.yaml again", t.now, a.Channel, a.Name, micros(before))
		waiting, found = known+int(n), int(n)
		if err != nil || known > 0 || found == 0 {
			return err
		}
		for _, n := range notices {
			n.Text = strings.ReplaceAll(n.Text, WaitingCount, strconv.Itoa(waiting))
			if err := t.noticeOf(n); err != nil {
				return err
			}
		}
		return nil
	})
	return waiting, found, err
}

// noticeOf also writes to the event log of the session if the chat is read from there.
func (t *tx) noticeOf(n core.Notification) error {
	if _, err := t.enqueue(n, "", 0); err != nil || n.Route.Channel != core.ChannelWeb {
		return err
	}
	return t.announce(core.Event{Type: core.EventNotice, Key: n.Session, Text: n.Text})
}

// AccountBack lets the rows that wait for an account be sent at once, because the account is
// connected again. Waits that the platform requested remain.
func (s *Store) AccountBack(ctx context.Context, a core.Account) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE outbox SET error = '' WHERE `+awaits+` AND channel = ? AND account = ?`, a.Channel, a.Name)
		return err
	})
}

// A DeliveredResult is a result that a row of the outbox reports, or would have.
type DeliveredResult struct {
	Task   core.TaskID
	Person core.PersonID
}

// ResultsOf returns the results that a row of the outbox reports: its own, or those of the turn
// of which it is the reply.
func (s *Store) ResultsOf(ctx context.Context, n core.Notification) ([]DeliveredResult, error) {
	var row struct {
		MadeBy   string
		MadeTurn int
	}
	if _, err := s.read(ctx).Row(&row, `SELECT made_by, made_turn FROM outbox WHERE id = ?`, n.ID); err != nil {
		return nil, err
	}
	var list []DeliveredResult
	err := s.read(ctx).All(&list, `SELECT id AS task, person FROM tasks WHERE id = ? OR told_by = ? AND told_by <> '' AND depth <= 1 ORDER BY finished`,
		n.Task, turnKey(core.Owner(row.MadeBy), row.MadeTurn))
	return list, err
}
