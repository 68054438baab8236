package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

// A GrowingReply is the reply of an open turn that a chat shows while the model writes it, in one
// message that errand edits. The turn stores the id of that message. The row of the reply takes
// over the id, and its delivery edits the message. Any other row of the conversation deletes the
// message, and the reply grows in a new one below. A turn that ends without a reply deletes it too.
type GrowingReply struct {
	Key     string // the platform's idempotency key of the message; the next message has another
	Message string // the platform's id of the message that shows it; empty: none yet
	ReplyTo string // the message that the reply answers
}

func growingKey(owner core.Owner, row turnRow) string {
	return fmt.Sprintf("%s:%d", turnKey(owner, row.Turn), row.Grown)
}

// GrowingReply returns the reply that a turn writes to a person. isOpen is false if the turn has
// ended or does not answer a message.
func (s *Store) GrowingReply(ctx context.Context, session core.SessionID, turn int) (r GrowingReply, isOpen bool, err error) {
	owner := core.SessionOwner(session)
	row, found, err := turnOf(s.read(ctx), owner, turn)
	if err != nil || !found || !row.Open || Cause(row.Cause) != CauseMessage {
		return GrowingReply{}, false, err
	}
	return GrowingReply{growingKey(owner, row), row.Growing, row.ReplyTo}, true, nil
}

// KeepGrowing stores the id of the message that shows the growing reply of a turn. A second call
// changes nothing. If the turn has ended meanwhile, the row of its reply takes over the id. If the
// delivery of that row has begun already, or another row was added below the message, the message
// is deleted.
func (s *Store) KeepGrowing(ctx context.Context, session core.SessionID, turn int, r GrowingReply) error {
	owner := core.SessionOwner(session)
	return s.writeOwner(ctx, owner, func(t *tx) error {
		row, found, err := turnOf(t, owner, turn)
		if err != nil || !found {
			return err
		}
		if r.Key != growingKey(owner, row) {
			return t.deleteGrowing(row, r.Message)
		}
		if row.Open && (row.Growing == "" || row.Growing == r.Message) {
			_, err := t.Exec(`UPDATE turns SET growing = ? WHERE owner = ? AND turn = ?`, r.Message, owner, turn)
			return err
		}
		n, err := t.Exec(`UPDATE outbox SET replaces = ? WHERE key = ? AND (replaces = ? OR replaces = '' AND state = 'pending' AND attempts = 0)`,
			r.Message, turnKey(owner, turn), r.Message)
		if err != nil || n > 0 {
			return err
		}
		return t.deleteGrowing(row, r.Message)
	})
}

// growBelow lets a new row of the outbox that is the reply of the growing message replace it. Any
// other row deletes that message, so that the reply appears below the row. A row that is written
// in a transaction of another conversation changes nothing, because that transaction does not hold
// the lock.
func (t *tx) growBelow(id int64, n core.Notification, owner core.Owner) error {
	if n.Session == "" || owner == "" {
		return nil
	}
	var row struct {
		turnRow
		Owner string
	}
	task, _, _ := owner.Task()
	found, err := t.Row(&row, `SELECT `+turnColumns+`, owner FROM turns WHERE (owner, turn) = (SELECT id, turns FROM sessions
		WHERE key = ? AND state <> 'ended' AND key = COALESCE((SELECT key FROM sessions WHERE id = ?), (SELECT conversation FROM tasks WHERE id = ?)))`,
		n.Session, owner, task)
	if err != nil || !found || !row.Open && row.Growing == "" {
		return err
	}
	writes := core.Owner(row.Owner)
	if n.Key != turnKey(writes, row.Turn) {
		return t.dropGrowing(writes, row.turnRow)
	}
	taken, err := t.Exec(`UPDATE turns SET growing = '' WHERE owner = ? AND turn = ? AND growing = ?`, writes, row.Turn, row.Growing)
	if err != nil || taken == 0 {
		return err
	}
	_, err = t.Exec(`UPDATE outbox SET replaces = ? WHERE id = ?`, row.Growing, id)
	return err
}

// dropGrowing queues the deletion of the message in which the reply of a turn grows. If its id is
// not known yet, KeepGrowing deletes it.
func (t *tx) dropGrowing(owner core.Owner, row turnRow) error {
	n, err := t.Exec(`UPDATE turns SET growing = '', grown = grown + 1 WHERE owner = ? AND turn = ? AND growing = ?`, owner, row.Turn, row.Growing)
	if err != nil || n == 0 || row.Growing == "" {
		return err
	}
	return t.deleteGrowing(row, row.Growing)
}

func (t *tx) deleteGrowing(turn turnRow, message string) error {
	route, _, err := core.SessionKey(turn.Conversation).Parse()
	if err != nil {
		return err
	}
	return t.deleteMessage(route, message)
}

// deleteReplaced queues the deletion of the message that a row of the outbox should have replaced
// but did not. If the row may have replaced it, the message stays.
func (t *tx) deleteReplaced(id int64) error {
	var row outboxRow
	found, err := t.Row(&row, `SELECT `+outboxColumns+` FROM outbox WHERE id = ? AND replaces <> '' AND (state = 'sent' OR NOT doubt)`, id)
	if err != nil || !found {
		return err
	}
	n, err := row.notification()
	if err != nil || n.Deletes() {
		return err
	}
	if _, err := t.Exec(`UPDATE outbox SET replaces = '' WHERE id = ?`, id); err != nil {
		return err
	}
	return t.deleteMessage(n.Route, n.Replaces)
}

// deleteMessage queues the deletion without a session, so that it survives the deletion of one.
func (t *tx) deleteMessage(at core.Route, message string) error {
	_, err := t.enqueue(core.Notification{
		Key: fmt.Sprintf("delete:%s:%s:%s:%s", at.Channel, at.Account, at.Chat, message), Route: at, Event: core.EventNotice, Replaces: message,
	}, "", 0)
	return err
}

// disownReplacing turns unsent rows that were to replace messages into rows that delete these
// messages, and detaches them from the session.
func (r *removal) disownReplacing(session core.SessionID) error {
	_, err := r.Exec(`UPDATE outbox SET made_by = '', session_key = '', agent = '', task = '', question = '', source = '', reply_to = '', options = '', event = 'notice', text = ''
		WHERE made_by = ? AND replaces <> '' AND `+unsent, session)
	return err
}
