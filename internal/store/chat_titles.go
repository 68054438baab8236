package store

import (
	"context"
	"time"

	"errand/internal/core"
)

const (
	titleFor   = 24 * time.Hour // since its session began; older chats keep their first words as title
	mostTitled = 3              // model calls for one chat
	titleStep  = -1             // the step of title reservations, in turn 0, which no session has
)

// An UntitledChat is a chat that needs a title from a model.
type UntitledChat struct {
	Session         core.SessionID
	Key             core.SessionKey
	Person          core.PersonID
	Agent           core.AgentName
	Asked, Answered string // the person's first words, and the first answer
}

// UntitledChats returns at most limit recent chats of single people that have an answer but
// neither a name nor a title, the most recently active first.
func (s *Store) UntitledChats(ctx context.Context, limit int) ([]UntitledChat, error) {
	var list []UntitledChat
	since := micros(s.clock().Add(-titleFor))
	err := s.read(ctx).All(&list, `SELECT session, key, person, agent, asked, answered FROM (SELECT s.id AS session, s.key, s.person, s.agent, s.active,
		COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'message' AND e.text NOT IN ('', ?) ORDER BY e.id LIMIT 1), '') AS asked,
		COALESCE((SELECT e.text FROM events e WHERE e.session_key = s.key AND e.type = 'reply' AND e.text <> '' ORDER BY e.id LIMIT 1), '') AS answered
		FROM sessions s LEFT JOIN chats c ON c.session_key = s.key LEFT JOIN chat_titles m ON m.session_key = s.key
		WHERE s.active >= ? AND s.created >= ? AND s.state <> 'ended' AND s.person NOT IN ('', ?)
		AND COALESCE(c.name, '') = '' AND COALESCE(m.title, '') = '' AND COALESCE(m.calls, 0) < ?) AS found
		WHERE asked <> '' AND answered <> '' ORDER BY active DESC LIMIT ?`, deletedMark, since, since, core.Everyone, mostTitled, limit)
	return list, err
}

func (c UntitledChat) step() core.StepKey {
	return core.StepKey{Owner: core.SessionOwner(c.Session), Step: titleStep}
}

func (c UntitledChat) reserved() *StepInput {
	return &StepInput{Key: c.step(), Session: c.Session, Person: c.Person, Agent: c.Agent, Root: turnKey(c.step().Owner, 0)}
}

// BeginTitle counts a model call for the title of a chat and reserves its cost. It fails with
// [ErrPaused] while the installation is paused, and with a *[BudgetError] if a budget of the
// person has too little left. A call refused by a budget counts too.
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

// EndTitle settles the cost of a title. It stores the title unless it is empty, the session has
// ended, or the chat's first words have changed.
func (s *Store) EndTitle(ctx context.Context, c UntitledChat, title string, usage []core.Usage) error {
	return s.write(ctx, string(c.Key), func(t *tx) error {
		if err := t.settle(c.reserved(), usage); err != nil || title == "" {
			return err
		}
		_, err := t.Exec(`UPDATE chat_titles SET title = ? WHERE session_key = ?
			AND EXISTS (SELECT 1 FROM sessions WHERE id = ? AND state <> 'ended')
			AND (SELECT e.text FROM events e WHERE e.session_key = chat_titles.session_key AND e.type = 'message' AND e.text NOT IN ('', ?) ORDER BY e.id LIMIT 1) = ?`,
			core.Cut(title, longestTitle), c.Key, c.Session, deletedMark, c.Asked)
		return err
	})
}

func (t *tx) dropTitle(key core.SessionKey) error {
	_, err := t.Exec(`UPDATE chat_titles SET title = '' WHERE session_key = ? AND title <> ''`, key)
	return err
}
