package store

import (
	"context"

	"errand/internal/core"
)

// deleted replaces deleted words in transcripts; deletedMark replaces them in logs.
const (
	deleted     = "deleted by the user"
	deletedMark = "(" + deleted + ")"
)

// TakeBack deletes the words and attachments of a message that its writer has deleted on the
// platform. If no turn has taken the message, it is never answered. Otherwise the answer stays, and
// the transcript says that a message was deleted. It returns false if there is no such message of
// that person. An empty person means any writer: then the platform vouches for the deletion.
func (s *Store) TakeBack(ctx context.Context, r core.Route, by core.PersonID, messageID string) (bool, error) {
	var keys []core.SessionKey
	err := s.read(ctx).All(&keys, `SELECT DISTINCT session_key FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ?`,
		r.Channel, r.Account, r.Chat, messageID)
	if err != nil {
		return false, err
	}
	removed := false
	for _, key := range keys {
		err := s.write(ctx, string(key), func(t *tx) error {
			n, err := t.takeBack(r, key, by, messageID)
			removed = removed || n > 0
			return err
		})
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

type sentRow struct {
	ID     int64
	Person string // the writer, in a shared session
	Owner  string
	Turn   int
	Step   int
	Idx    int // -1: not in a transcript
}

func (t *tx) takeBack(r core.Route, key core.SessionKey, by core.PersonID, messageID string) (int, error) {
	var rows []sentRow
	err := t.All(&rows, `SELECT id, person, COALESCE(owner, '') AS owner, COALESCE(turn, 0) AS turn, COALESCE(step, 0) AS step, COALESCE(idx, -1) AS idx
		FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND session_key = ? AND cause = 'message' AND NOT deleted`,
		r.Channel, r.Account, r.Chat, messageID, key)
	if err != nil {
		return 0, err
	}
	_, whose, err := key.Parse()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, row := range rows {
		writer := core.PersonID(row.Person)
		if writer == "" {
			writer = whose
		}
		if by != "" && writer != by {
			continue
		}
		n++
		if err := t.redact(row); err != nil {
			return 0, err
		}
		if err := t.empty(row.ID); err != nil {
			return 0, err
		}
		// This cancels the transcription of its voice notes, if one has begun.
		err := t.release(`step = ? AND owner IN (SELECT id FROM sessions WHERE key = ? AND state <> 'ended')`, -row.ID, key)
		if err != nil {
			return 0, err
		}
	}
	if n == 0 {
		return 0, nil
	}
	if err := t.noteDeleted(); err != nil {
		return 0, err
	}
	if err := t.dropTitle(key); err != nil {
		return 0, err
	}
	_, err = t.Exec(`UPDATE events SET text = ?, attached = '' WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message'`, deletedMark, key, messageID)
	return n, err
}

// redact also deletes summaries that may contain the words. The next step makes new ones.
func (t *tx) redact(row sentRow) error {
	if row.Owner == "" || row.Idx < 0 {
		return nil
	}
	nonce, err := t.nonceOf(core.Owner(row.Owner))
	if err != nil {
		return err
	}
	text := nonce.Mark(deleted)
	if row.Person != "" {
		p, err := personWhere(t, `WHERE p.id = ?`, row.Person)
		if err == nil {
			var speaker string
			if speaker, err = t.speaker(core.PersonID(row.Person), p); err != nil {
				return err
			}
			text = speakerLine(speaker, text)
		}
	}
	_, err = t.Exec(`UPDATE messages SET text = ? WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, text, row.Owner, row.Turn, row.Step-1, row.Idx)
	if err != nil {
		return err
	}
	_, err = t.Exec(`DELETE FROM summaries WHERE owner = ? AND (turn, step) >= (?, ?)`, row.Owner, row.Turn, row.Step-1)
	return err
}

// empty keeps the row, because the platform may deliver the message again.
func (t *tx) empty(id int64) error {
	_, err := t.Exec(`UPDATE inbox SET text = '', note = '', hearing = '', deleted = TRUE, superseded = superseded OR turn IS NULL WHERE id = ?`, id)
	if err != nil {
		return err
	}
	_, err = t.Exec(`DELETE FROM artifacts WHERE inbox = ?`, id)
	return err
}
