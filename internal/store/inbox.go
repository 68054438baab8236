package store

import (
	"cmp"
	"context"
	"database/sql"
	"strings"

	"errand/internal/core"
)

// An InboxMessage is a message as a channel received it, checked by package intake.
type InboxMessage struct {
	Route     core.Route
	Person    core.PersonID
	Shared    bool // everyone in this chat shares the session
	Group     bool // other people read the chat
	Role      core.Role
	MessageID string // the platform's; with Route and Revision it makes the row unique
	Revision  int    // 0: the original; each edit has the next number
	ReplyTo   string
	Text      string
	// Replaces is the id of the person's last message, which this message replaces: see replaceTurn.
	// Without a Text, this message gets the text of the replaced one.
	Replaces string
	// Attached are stored with the message, in the same transaction.
	Attached []NewArtifact
	// Forwarded means that Person forwarded a message. From is its author, if the platform
	// names one.
	Forwarded bool
	From      string
	// Note is a note from errand to the agent, in lines.
	Note string
	// Answer is errand's answer to the command that preceded Text; empty: there was no command.
	Answer string
	// Tools are the tools that the sending program offers; nil: none. Outputs are the outputs
	// of calls that ended an earlier turn.
	Tools   *core.ClientTools
	Outputs []core.ClientOutput
}

// An InboxRow is an accepted message.
type InboxRow struct {
	ID        int64
	Session   core.SessionKey
	Duplicate bool // the row existed already
	// Claimed is set for a duplicate if a turn has taken the row or none will: its session
	// needs no signal.
	Claimed bool
}

// editedMark precedes a late edit where people read it. Agents read a mark with their nonce.
const editedMark = "(edited) "

// Accept stores m: once it returns, the message will be answered. For a message and revision that
// is stored already, it returns the existing row as a Duplicate.
//
// An edit of a message that no turn has taken replaces it. A later edit becomes a message of its
// own, marked as edited. A revision that is older than a stored one is stored and never answered.
//
// It fails with a *[BudgetError] if the attachments exceed a budget of the day, with
// ErrNoSuchCall if m has an output for a call that waits for none, and with ErrNotFound or
// ErrNotLast if m cannot replace the message m.Replaces. In these cases it stores nothing.
func (s *Store) Accept(ctx context.Context, m InboxMessage) (InboxRow, error) {
	row := InboxRow{Session: m.Session()}
	err := s.write(ctx, string(row.Session), func(t *tx) error { return t.accept(m, &row) })
	return row, err
}

// Has reports whether m is in the inbox. If it is, the caller need not prepare it again.
func (s *Store) Has(ctx context.Context, m InboxMessage) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND revision = ?`,
		m.Route.Channel, m.Route.Account, m.chat(), m.MessageID, m.Revision)
}

// Came reports whether any revision of a platform's message is in the inbox.
func (s *Store) Came(ctx context.Context, r core.Route, messageID string) (bool, error) {
	var one int
	return s.read(ctx).Value(&one, `SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? LIMIT 1`,
		r.Channel, r.Account, r.Chat, messageID)
}

// CommandAnswer returns the answer to the command in a message; seen is false if this revision
// had no command. carried reports whether any revision had one: an edit of an executed command
// has no answer of its own.
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

// NoteCommand records that the command in m was executed and that its answer is m's text. No
// turn takes the row. No turn will take earlier revisions of the message either.
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
func (m InboxMessage) Session() core.SessionKey {
	if m.Shared {
		return core.NewSessionKey(m.Route, core.Everyone)
	}
	return core.NewSessionKey(m.Route, m.Person)
}

// writer returns the person who wrote m if the session is shared, else an empty id.
func (m InboxMessage) writer() core.PersonID {
	if m.Shared {
		return m.Person
	}
	return ""
}

func (m InboxMessage) chat() string { return inboxChat(m.Route, m.Session()) }

// inboxChat is the chat within which a message id is unique. A platform draws ids per chat; on the
// page and the API each person draws their own.
func inboxChat(r core.Route, key core.SessionKey) string {
	if r.Channel == core.ChannelWeb {
		return string(key)
	}
	return r.Chat
}

// causeCommand is the cause of a row that only records an executed command.
const causeCommand Cause = "command"

// insertInbox inserts m once. writer is empty if the conversation already names the person.
func (t *tx) insertInbox(key core.SessionKey, writer core.PersonID, m InboxMessage, cause Cause) (id int64, inserted bool, err error) {
	superseded := cause == causeCommand // no turn takes a command
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
	var replaced lastTurn
	if m.Replaces != "" {
		if replaced, err = t.replaceTurn(m, *row); err != nil {
			return err
		}
		if files, err = t.attached(row.ID); err != nil {
			return err
		}
	}
	text, answered := cmp.Or(m.Text, replaced.Text, namesOf(files), strings.Join(came, "\n")), true
	if m.Revision > 0 {
		if text, answered, err = t.supersede(m, row.ID); err != nil {
			return err
		}
	}
	if !answered {
		return nil
	}
	e := core.Event{Type: core.EventMessage, Key: row.Session, Session: core.SessionID(replaced.Owner), Turn: replaced.Turn,
		Text: text, Message: m.MessageID, Attached: files}
	if m.Revision > 0 { // an edit may inherit earlier attachments
		if e.Attached, err = t.attached(row.ID); err != nil {
			return err
		}
	}
	return t.announce(e)
}

func namesOf(files []core.AttachedFile) string {
	var names []string
	for _, f := range files {
		names = append(names, "📎 "+f.Name)
	}
	return strings.Join(names, "\n")
}

// supersede replaces earlier revisions with the edit. It returns false if the edit itself is
// outdated.
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
		case o.Deleted: // the message was deleted before this edit came
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

// TurnOfMessage returns the turn that took the latest revision of a message; ok is false if
// none has.
func (s *Store) TurnOfMessage(ctx context.Context, key core.SessionKey, messageID string) (owner core.Owner, turn int, ok bool, err error) {
	var row struct {
		Owner sql.NullString
		Turn  sql.NullInt64
	}
	found, err := s.read(ctx).Row(&row, `SELECT owner, turn FROM inbox WHERE session_key = ? AND message_id = ? AND NOT superseded ORDER BY revision DESC LIMIT 1`, key, messageID)
	if err != nil || !found || !row.Turn.Valid {
		return "", 0, false, err
	}
	return core.Owner(row.Owner.String), int(row.Turn.Int64), true, nil
}

// MessageEvent returns the id of a message's event in the log; 0: none.
func (s *Store) MessageEvent(ctx context.Context, key core.SessionKey, messageID string) (int64, error) {
	var row struct{ ID int64 }
	_, err := s.read(ctx).Row(&row, `SELECT id FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message' ORDER BY id LIMIT 1`, key, messageID)
	return row.ID, err
}
