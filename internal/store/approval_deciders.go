package store

import (
	"context"
	"strconv"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A Decider may decide about another person's approval, and is asked in a private chat.
type Decider struct {
	Person core.PersonID
	Key    core.SessionKey // of the decider's chat
	Route  core.Route
	// Text is the question in the decider's language, and Options are its answers.
	Text    string
	Options []string
	Lapsed  string // the notice if the approval ends without a decision
}

// PrivateChats returns at most limit conversations that a person has alone with errand, the
// most recently used first.
func (s *Store) PrivateChats(ctx context.Context, person core.PersonID, limit int) ([]core.Session, error) {
	list, err := sessionsWhere(s.read(ctx), `person = ? AND NOT in_group ORDER BY active DESC LIMIT ?`, person, limit)
	private := list[:0]
	for _, session := range list {
		if !session.Group && !session.Key.Shared() {
			private = append(private, session)
		}
	}
	return private, err
}

func (t *tx) askDeciders(q core.Question, deciders []Decider) error {
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

func deciderKey(q core.Question, person core.PersonID, what string) string {
	return "question:" + string(q.ID) + ":" + what + ":" + string(person)
}

func (t *tx) showDecider(q core.Question, key string, d Decider) error {
	q.Key, q.Route, q.Session, q.Task, q.Options = d.Key, d.Route, "", "", d.Options
	return t.show(q, key, d.Text)
}

// Deciders returns the people who were asked to decide about an approval. Text, Options and
// Lapsed may be empty.
func (s *Store) Deciders(ctx context.Context, id core.QuestionID) ([]Decider, error) {
	return decidersOf(s.read(ctx), id)
}

func decidersOf(q sqldb.Querier, id core.QuestionID) ([]Decider, error) {
	var rows []struct{ Person, SessionKey, Channel, Account, Chat, Thread, Lapsed string }
	err := q.All(&rows, `SELECT person, session_key, channel, account, chat, thread, lapsed FROM approval_deciders WHERE question = ? ORDER BY person`, id)
	list := make([]Decider, len(rows))
	for i, r := range rows {
		list[i] = Decider{Person: core.PersonID(r.Person), Key: core.SessionKey(r.SessionKey), Lapsed: r.Lapsed,
			Route: core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}}
	}
	return list, err
}

// notifyDeciders notifies the deciders who read the request that the approval is over, and
// dismisses requests that were not sent yet. texts has each decider's text about a decision;
// deciders without a text get no notice.
func (t *tx) notifyDeciders(q core.Question, texts map[core.PersonID]string) error {
	if q.Kind != core.AsksApproval {
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
