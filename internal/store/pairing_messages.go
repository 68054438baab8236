package store

import (
	"context"

	"errand/internal/core"
)

const (
	mostPairingMessages = 5         // per request
	mostPairingBytes    = 16 * 1024 // of all messages of a request
)

// A PairingMessage is a message from a sender who is not paired yet.
type PairingMessage struct {
	MessageID string // the platform's
	Revision  int
	Text      string // empty: nothing of it can be stored
	More      bool   // it had more than Text
	Forwarded bool   // they forwarded it; From is its author, if the platform names one
	From      string
}

// keepPairingMessage stores a message and replaces its earlier revision. If a limit is
// exceeded, it only records that there was more.
func (t *tx) keepPairingMessage(code string, w *PairingMessage) error {
	if w == nil {
		return nil
	}
	more := w.More
	if w.Text != "" {
		var others, bytes int64
		var kept []struct {
			MessageID string
			Text      string
		}
		if err := t.All(&kept, `SELECT message_id, text FROM pairing_messages WHERE code = ?`, code); err != nil {
			return err
		}
		for _, k := range kept {
			if k.MessageID != w.MessageID {
				others, bytes = others+1, bytes+int64(len(k.Text))
			}
		}
		if others < mostPairingMessages && bytes+int64(len(w.Text)) <= mostPairingBytes {
			if _, err := t.Exec(`INSERT INTO pairing_messages (code, message_id, revision, text, forwarded, forwarded_from, created)
				VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (code, message_id) DO UPDATE SET revision = excluded.revision, text = excluded.text
				WHERE pairing_messages.revision < excluded.revision`, code, w.MessageID, w.Revision, w.Text, w.Forwarded, w.From, t.now); err != nil {
				return err
			}
		} else {
			more = true
		}
	}
	if !more {
		return nil
	}
	_, err := t.Exec(`UPDATE pairings SET more = TRUE WHERE code = ?`, code)
	return err
}

func (t *tx) forgetPairingMessages(code string) error {
	_, err := t.Exec(`DELETE FROM pairing_messages WHERE code = ?`, code)
	return err
}

const expiredPairingMessages = `code IN (SELECT code FROM pairings WHERE state = 'pending' AND expires <= ?)`

func (t *tx) forgetExpired() error {
	_, err := t.Exec(`DELETE FROM pairing_messages WHERE `+expiredPairingMessages, t.now)
	return err
}

// ForgetExpired deletes the messages of expired requests.
func (s *Store) ForgetExpired(ctx context.Context) error {
	var one int
	some, err := s.read(ctx).Value(&one, `SELECT 1 FROM pairing_messages WHERE `+expiredPairingMessages+` LIMIT 1`, micros(s.clock()))
	if err != nil || !some {
		return err
	}
	return s.write(ctx, whoMayWhat, func(t *tx) error { return t.forgetExpired() })
}

// ForgetPairingMessage deletes a message that its sender has deleted. It returns false if there
// is no such message.
func (s *Store) ForgetPairingMessage(ctx context.Context, r core.Route, messageID string) (bool, error) {
	const where = `message_id = ? AND code IN (SELECT code FROM pairings WHERE channel = ? AND account = ? AND chat = ?)`
	args := []any{messageID, r.Channel, r.Account, r.Chat}
	var one int
	some, err := s.read(ctx).Value(&one, `SELECT 1 FROM pairing_messages WHERE `+where+` LIMIT 1`, args...)
	if err != nil || !some {
		return false, err
	}
	var n int64
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		var err error
		n, err = t.Exec(`DELETE FROM pairing_messages WHERE `+where, args...)
		return err
	})
	return n > 0, err
}

// ApprovedPairingMessages returns the codes of approved requests with messages that are not in
// the inbox yet, because a worker died after the approval.
func (s *Store) ApprovedPairingMessages(ctx context.Context) ([]string, error) {
	var codes []string
	err := s.read(ctx).All(&codes, `SELECT DISTINCT m.code FROM pairing_messages m JOIN pairings p ON p.code = m.code
		WHERE p.state = 'approved' ORDER BY m.code`)
	return codes, err
}

// AcceptPairingMessages moves the messages of an approved request into the inbox, in order. ok
// is false if there are none, or the person was removed.
func (s *Store) AcceptPairingMessages(ctx context.Context, code string) (row InboxRow, ok bool, err error) {
	p, err := s.Pairing(ctx, code)
	if err != nil || p.State != core.PairingApproved {
		return row, false, err
	}
	m := InboxMessage{Route: p.Route, Person: p.Person}
	row.Session = m.Session()
	err = s.write(ctx, string(row.Session), func(t *tx) error {
		ok = false
		var kept []struct {
			MessageID     string
			Revision      int
			Text          string
			Forwarded     bool
			ForwardedFrom string
		}
		if err := t.All(&kept, `SELECT message_id, revision, text, forwarded, forwarded_from FROM pairing_messages WHERE code = ? ORDER BY created, message_id`, p.Code); err != nil {
			return err
		}
		var role string
		known, err := t.Value(&role, `SELECT role FROM people WHERE id = ?`, p.Person)
		if err != nil {
			return err
		}
		for _, k := range kept {
			if !known { // the person was removed meanwhile
				break
			}
			m.Role, m.MessageID, m.Revision, m.Text = core.Role(role), k.MessageID, k.Revision, k.Text
			m.Forwarded, m.From = k.Forwarded, k.ForwardedFrom
			if err := t.accept(m, &row); err != nil {
				return err
			}
			ok = true
		}
		return t.forgetPairingMessages(p.Code)
	})
	return row, ok && err == nil, err
}
