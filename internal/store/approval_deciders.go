package store

import (
	"context"
	"strconv"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A Decider is somebody who decides about an approval that whoever asked for the work does
// not answer, and who is written to of it in a chat of their own.
type Decider struct {
	Person errand.PersonID
	Key    errand.SessionKey // of that chat
	Route  errand.Route      // likewise
	// Text is what they read, in their language, and Options the answers in it.
	Text    string
	Options []string
	Lapsed  string // what they read when it ends without a decision
}

// PrivateChats returns the conversations that a person has alone with errand, the last used
// first, at most limit.
func (s *Store) PrivateChats(ctx context.Context, person errand.PersonID, limit int) ([]Session, error) {
	list, err := s.sessionsWhere(ctx, `person = ? AND NOT in_group ORDER BY active DESC LIMIT ?`, person, limit)
	private := list[:0]
	for _, session := range list {
		if !session.Group && !session.Key.Shared() {
			private = append(private, session)
		}
	}
	return private, err
}

func (t *tx) askDeciders(q errand.Question, deciders []Decider) error {
	for _, d := range deciders {
		n, err := t.Exec(`INSERT INTO approval_deciders (question, person, session_key, channel, account, chat, thread, lapsed) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			q.ID, d.Person, d.Key, d.Route.Channel, d.Route.Account, d.Route.Chat, d.Route.Thread, d.Lapsed)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		if err := t.showDecider(q, deciderKey(q, d.Person, "asked"), d); err != nil {
			return err
		}
	}
	return nil
}

func deciderKey(q errand.Question, person errand.PersonID, what string) string {
	return "question:" + string(q.ID) + ":" + what + ":" + string(person)
}

func (t *tx) showDecider(q errand.Question, key string, d Decider) error {
	q.Key, q.Route, q.Session, q.Task, q.Options = d.Key, d.Route, "", "", d.Options
	return t.show(q, key, d.Text)
}

// Deciders returns who was written to of an approval, without words.
func (s *Store) Deciders(ctx context.Context, id errand.QuestionID) ([]Decider, error) {
	return decidersOf(s.read(ctx), id)
}

func decidersOf(q sqldb.Querier, id errand.QuestionID) ([]Decider, error) {
	var rows []struct{ Person, SessionKey, Channel, Account, Chat, Thread, Lapsed string }
	err := q.All(&rows, `SELECT person, session_key, channel, account, chat, thread, lapsed FROM approval_deciders WHERE question = ? ORDER BY person`, id)
	list := make([]Decider, len(rows))
	for i, r := range rows {
		list[i] = Decider{Person: errand.PersonID(r.Person), Key: errand.SessionKey(r.SessionKey), Lapsed: r.Lapsed,
			Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}}
	}
	return list, err
}

// notifyDeciders has those who were written to of an approval know that it is over. texts is
// what each of them reads of a decision; who has none reads that there was none, unless
// they have made it themselves on that channel. What has not been sent to them is not any more.
func (t *tx) notifyDeciders(q errand.Question, texts map[errand.PersonID]string) error {
	if q.Kind != errand.AsksApproval {
		return nil
	}
	list, err := decidersOf(t, q.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	var reminded int
	if _, err := t.Value(&reminded, `SELECT reminded FROM questions WHERE id = ?`, q.ID); err != nil {
		return err
	}
	for _, d := range list {
		keys := []any{deciderKey(q, d.Person, "asked")}
		for i := range reminded {
			keys = append(keys, deciderKey(q, d.Person, strconv.Itoa(i+1)))
		}
		n, err := t.Exec(`UPDATE outbox SET state = 'dismissed' WHERE state = 'pending' AND key IN (`+sqldb.Placeholders(len(keys))+`)`, keys...)
		if err != nil {
			return err
		}
		if n > 0 {
			t.changed("", events.Deliveries)
		}
		text := d.Lapsed
		if q.AnsweredBy != "" {
			text = texts[d.Person]
		}
		var one int
		seen, err := t.Value(&one, `SELECT 1 FROM outbox WHERE key = ? AND state <> 'dismissed'`, deciderKey(q, d.Person, "asked"))
		if err != nil || !seen || text == "" {
			if err != nil {
				return err
			}
			continue
		}
		over := q
		over.Key, over.Route, over.Session, over.Task = d.Key, d.Route, "", ""
		if err := t.announceOf(over, "over:"+string(d.Person), text); err != nil {
			return err
		}
	}
	return nil
}
