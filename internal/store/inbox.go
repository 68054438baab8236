package store

import (
	"context"
	"database/sql"
	"strings"

	"errand"
)

// An InboxMessage is a message as a channel received it, checked by package intake.
type InboxMessage struct {
	Route     errand.Route
	Person    errand.PersonID
	Shared    bool // the session is everybody's in this chat, not Person's own
	Group     bool // others read the chat
	Role      errand.Role
	MessageID string // the platform's; with Route and Revision it makes the row unique
	Revision  int    // 0: as first sent; an edit has the next one
	ReplyTo   string
	Text      string
	// Attached are the artifacts it came with. They are kept with it, or not at
	// all.
	Attached []NewArtifact
	// Forwarded says that Person did not write it, but passes it on. From is who
	// wrote it, as the platform tells; empty: nobody knows.
	Forwarded bool
	From      string
	// Note is what the agent is told of it besides, in errand's words: lines.
	Note string
	// Answer is what the command was answered that Text stood behind; empty: there
	// was none.
	Answer string
	// Tools are what the program offers that it comes by; nil: nothing. Outputs are what
	// came of calls that an earlier turn has ended with.
	Tools   *errand.ClientTools
	Outputs []errand.ClientOutput
}

// An InboxRow is an accepted message.
type InboxRow struct {
	ID        int64
	Session   errand.SessionKey
	Duplicate bool // the row was there already
	// Claimed, of a duplicate, says that a turn has taken the row or that none will:
	// its session has nothing to hear of it.
	Claimed bool
}

// editedMark is what people read in front of an edit whose earlier revision a turn
// has already taken. Agents are told by a mark with their nonce.
const editedMark = "(edited) "

// Accept makes m durable: once it returns, the message will be answered. The
// same message and revision again is the row that is there, as a Duplicate.
//
// An edit of a message that no turn has taken takes its place. One that comes
// too late for that is a message of its own, marked as edited. A revision
// older than one that is there already is kept and never answered.
//
// It fails with a *[BudgetError], and keeps nothing, if what m came with is too
// much of a day's, and with ErrNoSuchCall if it has the output of a call that waits for none.
func (s *Store) Accept(ctx context.Context, m InboxMessage) (InboxRow, error) {
	row := InboxRow{Session: m.Session()}
	err := s.write(ctx, string(row.Session), func(t *tx) error { return t.accept(m, &row) })
	return row, err
}

// Has reports whether m is in the inbox: it need not be made ready to be
// accepted once more.
func (s *Store) Has(ctx context.Context, m InboxMessage) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND revision = ?`,
		m.Route.Channel, m.Route.Account, m.chat(), m.MessageID, m.Revision)
}

// Came reports whether a message of a platform is in the inbox, in any revision.
func (s *Store) Came(ctx context.Context, r errand.Route, messageID string) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? LIMIT 1`,
		r.Channel, r.Account, r.Chat, messageID)
}

// CommandAnswer returns what the command that came with a message was answered,
// alone or with more text behind it.
// carried is false if none came with it, in any revision: an edit of a command
// that has been carried out has no answer of its own.
func (s *Store) CommandAnswer(ctx context.Context, m InboxMessage) (answer string, seen, carried bool, err error) {
	var rows []struct {
		Revision int
		Answer   string
	}
	err = s.read(ctx).All(&rows, `SELECT revision, CASE WHEN cause = 'command' THEN text ELSE answer END AS answer FROM inbox
		WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND (cause = 'command' OR answer <> '') ORDER BY revision`,
		m.Route.Channel, m.Route.Account, m.chat(), m.MessageID)
	for _, r := range rows {
		if r.Revision == m.Revision {
			answer, seen = r.Answer, true
		}
	}
	return answer, seen, len(rows) > 0, err
}

// NoteCommand notes that the command that came with m has been carried out and
// answered with its text. No turn takes the row, and none takes what the message
// said before it was edited, if it has not yet.
func (s *Store) NoteCommand(ctx context.Context, m InboxMessage) error {
	return s.write(ctx, string(m.Session()), func(t *tx) error {
		_, _, err := t.insertInbox(m.Session(), m.writer(), m, causeCommand)
		if err != nil || m.Revision == 0 {
			return err
		}
		_, err = t.Exec(`UPDATE inbox SET superseded = TRUE WHERE channel = ? AND account = ? AND chat = ? AND message_id = ?
			AND revision < ? AND turn IS NULL AND NOT superseded`, m.Route.Channel, m.Route.Account, m.chat(), m.MessageID, m.Revision)
		return err
	})
}

// Session returns the conversation that m belongs to.
func (m InboxMessage) Session() errand.SessionKey {
	if m.Shared {
		return errand.NewSessionKey(m.Route, errand.Everyone)
	}
	return errand.NewSessionKey(m.Route, m.Person)
}

// writer names who wrote m where its session does not.
func (m InboxMessage) writer() errand.PersonID {
	if m.Shared {
		return m.Person
	}
	return ""
}

func (m InboxMessage) chat() string { return inboxChat(m.Route, m.Session()) }

// inboxChat is the chat within which the id of a message is one message's. On a
// platform several may write in one, and the platform draws the ids; on the page
// and the API everybody has a chat of that name, and draws the ids themselves.
func inboxChat(r errand.Route, key errand.SessionKey) string {
	if r.Channel == errand.ChannelWeb {
		return string(key)
	}
	return r.Chat
}

// causeCommand is of a row that only says that a command has been carried out.
const causeCommand Cause = "command"

// insertInbox makes the row of m in the inbox of a conversation, unless it is
// there already. writer is who wrote it, where the conversation does not say.
func (t *tx) insertInbox(key errand.SessionKey, writer errand.PersonID, m InboxMessage, cause Cause) (id int64, inserted bool, err error) {
	superseded := cause == causeCommand // no turn takes it
	reply, err := t.repliedTo(m.Route, m.ReplyTo)
	if err != nil {
		return 0, false, err
	}
	tools, err := clientToolsText(m.Tools)
	if err != nil {
		return 0, false, err
	}
	inserted, err = t.Value(&id, `INSERT INTO inbox
		(session_key, channel, account, chat, message_id, revision, person, role, reply_to, reply_row, text, note, answer, hearing, cause, superseded, created,
		in_group, private, forwarded, forwarded_from, tools)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`,
		key, m.Route.Channel, m.Route.Account, inboxChat(m.Route, key), m.MessageID, m.Revision,
		writer, m.Role, m.ReplyTo, reply, m.Text, m.Note, m.Answer, m.transcriptionState(), cause, superseded, t.now,
		m.Group || m.Shared, cause == CauseMessage && !m.Group && !m.Shared, m.Forwarded, m.From, tools)
	return id, inserted, err
}

func (t *tx) accept(m InboxMessage, row *InboxRow) error {
	text := m.Text
	if text == "" {
		text = namesOf(m.Attached)
	}
	var inserted bool
	var err error
	row.ID, inserted, err = t.insertInbox(row.Session, m.writer(), m, CauseMessage)
	if err != nil {
		return err
	}
	if !inserted {
		row.Duplicate = true
		var there struct {
			ID    int64
			Taken bool
		}
		_, err := t.Row(&there, `SELECT id, turn IS NOT NULL OR superseded AS taken FROM inbox
			WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND revision = ?`,
			m.Route.Channel, m.Route.Account, m.chat(), m.MessageID, m.Revision)
		row.ID, row.Claimed = there.ID, there.Taken
		return err
	}
	files, err := t.attach(row.ID, row.Session, m)
	if err != nil {
		return err
	}
	came, err := t.keepOutputs(*row, m.Outputs)
	if err != nil {
		return err
	}
	if text == "" {
		text = strings.Join(came, "\n")
	}
	answered := true
	if m.Revision > 0 {
		if text, answered, err = t.supersede(m, row.ID); err != nil {
			return err
		}
	}
	if !answered {
		return nil
	}
	e := errand.Event{Type: errand.EventMessage, Key: row.Session, Text: text, Message: m.MessageID, Attached: files}
	if m.Revision > 0 { // an edit may have what came before it
		if e.Attached, err = t.attached(row.ID); err != nil {
			return err
		}
	}
	return t.announce(e)
}

// namesOf stands in the log for a message without words. Who reads it sees what came.
func namesOf(files []NewArtifact) string {
	var names []string
	for _, f := range files {
		names = append(names, "📎 "+f.Name)
	}
	return strings.Join(names, "\n")
}

// supersede lets the edit with this id take the place of the revisions before
// it, and returns its text; false if it is itself out of date.
func (t *tx) supersede(m InboxMessage, id int64) (string, bool, error) {
	var others []struct {
		ID         int64
		Revision   int
		Taken      bool
		Superseded bool
		Deleted    bool
		Place      int64
	}
	err := t.All(&others, `SELECT id, revision, turn IS NOT NULL AS taken, superseded, deleted, COALESCE(place, id) AS place FROM inbox
		WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND id <> ? ORDER BY revision`,
		m.Route.Channel, m.Route.Account, m.chat(), m.MessageID, id)
	if err != nil {
		return "", false, err
	}
	edited, place := false, id
	for _, o := range others {
		switch {
		case o.Deleted: // this was on its way when it was taken back
			return "", false, t.empty(id)
		case o.Revision > m.Revision:
			_, err := t.Exec(`UPDATE inbox SET superseded = TRUE WHERE id = ?`, id)
			return "", false, err
		case o.Taken:
			edited = true
		case !o.Superseded:
			place = o.Place
			if _, err := t.Exec(`UPDATE inbox SET superseded = TRUE WHERE id = ?`, o.ID); err != nil {
				return "", false, err
			}
			if err := t.replaceAttached(o.ID, id); err != nil {
				return "", false, err
			}
		}
	}
	_, err = t.Exec(`UPDATE inbox SET edited = ?, place = ? WHERE id = ?`, edited, place, id)
	return shownText(edited, m.Text), true, err
}

func shownText(edited bool, text string) string {
	if edited {
		return editedMark + text
	}
	return text
}

// TurnOfMessage returns the turn that took a message, its latest revision; ok is false
// while none has.
func (s *Store) TurnOfMessage(ctx context.Context, key errand.SessionKey, messageID string) (owner errand.Owner, turn int, ok bool, err error) {
	var row struct {
		Owner sql.NullString
		Turn  sql.NullInt64
	}
	found, err := s.read(ctx).Row(&row, `SELECT owner, turn FROM inbox WHERE session_key = ? AND message_id = ? AND NOT superseded ORDER BY revision DESC LIMIT 1`, key, messageID)
	if err != nil || !found || !row.Turn.Valid {
		return "", 0, false, err
	}
	return errand.Owner(row.Owner.String), int(row.Turn.Int64), true, nil
}

// MessageEvent returns the id of the event that a message left in the log; 0 if
// there is none.
func (s *Store) MessageEvent(ctx context.Context, key errand.SessionKey, messageID string) (int64, error) {
	var row struct{ ID int64 }
	_, err := s.read(ctx).Row(&row, `SELECT id FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message' ORDER BY id LIMIT 1`, key, messageID)
	return row.ID, err
}
