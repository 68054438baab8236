package store

import (
	"context"

	"errand"
)

// deleted stands in a transcript, in a mark, for words that their writer took back,
// and deletedMark where people read them.
const (
	deleted     = "deleted by the person"
	deletedMark = "(" + deleted + ")"
)

// TakeBack removes the words of a message of a platform, with what came with it,
// for its writer has deleted it there. One that no turn has taken is never
// answered; of one that was taken the answer stays, and the transcript says
// that there was something. False if there is no such message of that person. An
// empty person stands for whoever wrote it: the platform answers for that.
func (s *Store) TakeBack(ctx context.Context, r errand.Route, by errand.PersonID, messageID string) (bool, error) {
	var keys []errand.SessionKey
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
	Person string // who wrote it, in a session that several share
	Owner  string
	Turn   int
	Step   int
	Idx    int // -1: in no transcript
}

func (t *tx) takeBack(r errand.Route, key errand.SessionKey, by errand.PersonID, messageID string) (int, error) {
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
		writer := errand.PersonID(row.Person)
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
		// Nobody goes on with writing down its voice notes, if somebody had begun.
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

// redact takes the words of a row out of the transcript. A summary that was made
// of them goes with them: it is made again of what is there.
func (t *tx) redact(row sentRow) error {
	if row.Owner == "" || row.Idx < 0 {
		return nil
	}
	nonce, err := t.nonceOf(errand.Owner(row.Owner))
	if err != nil {
		return err
	}
	text := nonce.Mark(deleted)
	if row.Person != "" {
		p, err := personWhere(t, `WHERE p.id = ?`, row.Person)
		if err == nil {
			var speaker string
			if speaker, err = t.speaker(errand.PersonID(row.Person), p); err != nil {
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

// empty leaves of a row of the inbox only that it was there: the platform may
// deliver it again.
func (t *tx) empty(id int64) error {
	_, err := t.Exec(`UPDATE inbox SET text = '', note = '', hearing = '', deleted = TRUE, superseded = superseded OR turn IS NULL WHERE id = ?`, id)
	if err != nil {
		return err
	}
	_, err = t.Exec(`DELETE FROM artifacts WHERE inbox = ?`, id)
	return err
}
