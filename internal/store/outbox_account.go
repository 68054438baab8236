package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"errand"
)

const awaits = unsent + ` AND error LIKE '` + errand.AwaitsAccount + `%'`

// WaitingAccounts returns the accounts on which something from before a time is not
// sent yet.
func (s *Store) WaitingAccounts(ctx context.Context, before time.Time) ([]errand.Account, error) {
	var rows []struct{ Channel, Account string }
	err := s.read(ctx).All(&rows, `SELECT DISTINCT channel, account FROM outbox WHERE `+unsent+` AND created < ? ORDER BY channel, account`, micros(before))
	list := make([]errand.Account, len(rows))
	for i, r := range rows {
		list[i] = errand.Account{Channel: r.Channel, Name: r.Account}
	}
	return list, err
}

// WaitingCount stands, in the notices of [Store.AccountGone], for how many wait:
// the transaction counts them.
const WaitingCount = "{count}"

// AccountGone notes, on what waits for an account, that no worker has the account.
// It returns how many wait, and how many of them were not known to. For the first
// of them it tells notices, once; [WaitingCount] in their texts becomes how many wait.
func (s *Store) AccountGone(ctx context.Context, a errand.Account, before time.Time, notices []errand.Notification) (waiting, found int, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		var known int
		if _, err := t.Value(&known, `SELECT COUNT(*) FROM outbox WHERE `+awaits+` AND channel = ? AND account = ?`, a.Channel, a.Name); err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE outbox SET error = ?, not_before = 0 WHERE `+unsent+` AND (state <> 'sending' OR sending_until < ?)
			AND error NOT LIKE '`+errand.AwaitsAccount+`%' AND channel = ? AND account = ? AND created < ?`,
			errand.AwaitsAccount+a.String()+": it goes out by itself when the account is in errand.yaml again", t.now, a.Channel, a.Name, micros(before))
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

// noticeOf tells something that belongs to no turn: in the event log of the session
// too, where its chat is read from that.
func (t *tx) noticeOf(n errand.Notification) error {
	if _, err := t.enqueue(n, "", 0); err != nil || n.Route.Channel != errand.ChannelWeb {
		return err
	}
	return t.announce(errand.Event{Type: errand.EventNotice, Key: n.Session, Text: n.Text})
}

// AccountBack lets what waits for an account be tried at once, now that it is
// connected. What the platform itself has asked to wait still waits.
func (s *Store) AccountBack(ctx context.Context, a errand.Account) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE outbox SET error = '' WHERE `+awaits+` AND channel = ? AND account = ?`, a.Channel, a.Name)
		return err
	})
}

// A DeliveredResult result is one that a row of the outbox tells, or would have.
type DeliveredResult struct {
	Task   errand.TaskID
	Person errand.PersonID
}

// ResultsOf returns which results a row of the outbox tells: its own, or those of
// the turn that it is the reply of.
func (s *Store) ResultsOf(ctx context.Context, n errand.Notification) ([]DeliveredResult, error) {
	var row struct {
		MadeBy   string
		MadeTurn int
	}
	if _, err := s.read(ctx).Row(&row, `SELECT made_by, made_turn FROM outbox WHERE id = ?`, n.ID); err != nil {
		return nil, err
	}
	var list []DeliveredResult
	err := s.read(ctx).All(&list, `SELECT id AS task, person FROM tasks WHERE id = ? OR told_by = ? AND told_by <> '' AND depth <= 1 ORDER BY finished`,
		n.Task, turnKey(errand.Owner(row.MadeBy), row.MadeTurn))
	return list, err
}
