package store

import (
	"context"
	"time"

	"errand"
)

// How a chat comes to a title that nobody has given it.
const (
	titleFor   = 24 * time.Hour // after its session began; what is older keeps its first words
	mostTitled = 3              // calls for one chat
	titleStep  = -1             // of the turn 0, which there is not
)

// An UntitledChat is a chat for which a model is to find a title.
type UntitledChat struct {
	Session         errand.SessionID
	Key             errand.SessionKey
	Person          errand.PersonID
	Agent           errand.AgentName
	Asked, Answered string // the first words of its person, and the first answer
}

// UntitledChats returns chats of one person each that have begun lately, have an answer, and neither a
// name nor a title, the last active first, at most limit.
func (s *Store) UntitledChats(ctx context.Context, limit int) ([]UntitledChat, error) {
	var list []UntitledChat
	since := micros(s.clock().Add(-titleFor))
	err := s.read(ctx).All(&list, `SELECT session, key, person, agent, asked, answered FROM (SELECT s.id AS session, s.key, s.person, s.agent, s.active,
		COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'message' AND e.text NOT IN ('', ?) ORDER BY e.id LIMIT 1), '') AS asked,
		COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'reply' AND e.text <> '' ORDER BY e.id LIMIT 1), '') AS answered
		FROM sessions s LEFT JOIN chats c ON c.session_key = s.key LEFT JOIN chat_titles m ON m.session_key = s.key
		WHERE s.active >= ? AND s.created >= ? AND s.state <> 'ended' AND s.person NOT IN ('', ?)
		AND COALESCE(c.name, '') = '' AND COALESCE(m.title, '') = '' AND COALESCE(m.calls, 0) < ?) AS found
		WHERE asked <> '' AND answered <> '' ORDER BY active DESC LIMIT ?`, deletedMark, since, since, errand.Everyone, mostTitled, limit)
	return list, err
}

// key of what is reserved for a title: no turn has it.
func (c UntitledChat) step() errand.StepKey {
	return errand.StepKey{Owner: errand.SessionOwner(c.Session), Step: titleStep}
}

func (c UntitledChat) reserved() *StepInput {
	return &StepInput{Key: c.step(), Session: c.Session, Person: c.Person, Agent: c.Agent, Root: turnKey(c.step().Owner, 0)}
}

// BeginTitle counts that a model is asked for the title of a chat, and reserves what that may
// cost. It fails with [ErrPaused] while the installation is paused, and with a *[BudgetError]
// where a budget of the person's has not that much left: that counts too.
func (s *Store) BeginTitle(ctx context.Context, c UntitledChat, amount Amount) error {
	var refused error
	err := s.write(ctx, string(c.Key), func(t *tx) error {
		refused = nil
		if paused, err := paused(t); err != nil || paused {
			if err == nil {
				err = ErrPaused
			}
			return err
		}
		_, err := t.Exec(`INSERT INTO chat_titles (session_key, person, calls) VALUES (?, ?, 1) ON CONFLICT (session_key) DO UPDATE SET calls = chat_titles.calls + 1`, c.Key, c.Person)
		if err != nil {
			return err
		}
		b := c.reserved()
		_, refused, err = t.reserve(b.Key, b.Root, b.Person, amount)
		return err
	})
	if err == nil {
		err = refused
	}
	return err
}

// EndTitle settles what was paid for a title, and keeps it unless it is empty, or the chat has
// other first words by now.
func (s *Store) EndTitle(ctx context.Context, c UntitledChat, title string, usage []errand.Usage) error {
	return s.write(ctx, string(c.Key), func(t *tx) error {
		if err := t.settle(c.reserved(), usage); err != nil || title == "" {
			return err
		}
		_, err := t.Exec(`UPDATE chat_titles SET title = ? WHERE session_key = ?
			AND EXISTS (SELECT 1 FROM sessions WHERE id = ? AND state <> 'ended')
			AND (SELECT e.text FROM events e WHERE e.session_key = chat_titles.session_key AND e.type = 'message' AND e.text NOT IN ('', ?) ORDER BY e.id LIMIT 1) = ?`,
			errand.Cut(title, longestTitle), c.Key, c.Session, deletedMark, c.Asked)
		return err
	})
}

// dropTitle forgets a title that was made of words which are gone now.
func (t *tx) dropTitle(key errand.SessionKey) error {
	_, err := t.Exec(`UPDATE chat_titles SET title = '' WHERE session_key = ? AND title <> ''`, key)
	return err
}
