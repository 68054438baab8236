package store

import (
	"context"
	"fmt"
	"slices"

	"errand"
)

// How far a voice note is.
const (
	awaitsTranscription = "unheard" // it is to be written down before a turn takes the message
	transcribed         = "heard"   // its words are the message's text
)

func (m InboxMessage) transcriptionState() string {
	if slices.ContainsFunc(m.Attached, func(a NewArtifact) bool { return a.Voice }) {
		return awaitsTranscription
	}
	return ""
}

// A VoiceMessage is a message with voice notes that are to be written down.
type VoiceMessage struct {
	Row       int64
	Route     errand.Route
	MessageID string
	Person    errand.PersonID
	Words     bool // it has text besides
	Notes     []Artifact
}

// Untranscribed returns the messages of a conversation that no turn has taken and
// whose voice notes are not written down, the oldest first, at most limit.
func (s *Store) Untranscribed(ctx context.Context, key errand.SessionKey, limit int) ([]VoiceMessage, error) {
	var rows []struct {
		ID        int64
		MessageID string
		Person    string
		Text      string
	}
	q := s.read(ctx)
	err := q.All(&rows, `SELECT id, message_id, person, text FROM inbox
		WHERE session_key = ? AND hearing = 'unheard' AND turn IS NULL AND NOT superseded ORDER BY id LIMIT ?`, key, limit)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	route, whose, err := key.Parse()
	if err != nil {
		return nil, err
	}
	list := make([]VoiceMessage, len(rows))
	for i, r := range rows {
		list[i] = VoiceMessage{Row: r.ID, Route: route, MessageID: r.MessageID, Person: errand.PersonID(r.Person), Words: r.Text != ""}
		if r.Person == "" {
			list[i].Person = whose
		}
		if list[i].Notes, err = artifactsWhere(q, `inbox = ? AND voice ORDER BY idx`, r.ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// SaveTranscription makes what was said the text of a message, in front of what was
// written. It changes nothing if somebody was faster, or a turn has taken it. h,
// if there is one, is settled.
func (s *Store) SaveTranscription(ctx context.Context, key errand.SessionKey, row int64, words string, h *Transcription) error {
	return s.write(ctx, string(key), func(t *tx) error {
		if err := t.endTranscription(h); err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE inbox SET hearing = 'heard', text = ? || CASE WHEN text = '' THEN '' ELSE ? || text END
			WHERE id = ? AND hearing = 'unheard' AND turn IS NULL AND NOT superseded`, words, "\n", row)
		if err != nil || n == 0 {
			return err
		}
		_, err = t.Exec(`UPDATE events SET text = (SELECT CASE WHEN edited THEN ? ELSE '' END || text FROM inbox WHERE id = ?) WHERE session_key = ? AND type = 'message' AND message_id <> ''
			AND message_id = (SELECT message_id FROM inbox WHERE id = ?) AND created = (SELECT created FROM inbox WHERE id = ?)`, editedMark, row, key, row, row)
		return err
	})
}

// FailTranscription gives up on the voice notes of a message. One with text besides is
// answered for that, and the agent reads note; of any other the person is told
// answer, and no turn takes it. The recording is kept, with session. notified is
// false if nobody has to be called for the answer. h, if there is one, is settled.
func (s *Store) FailTranscription(ctx context.Context, session errand.SessionID, m VoiceMessage, note string, answer errand.Notification, h *Transcription) (notified bool, err error) {
	key := answer.Session
	err = s.write(ctx, string(key), func(t *tx) error {
		notified = false
		if err := t.endTranscription(h); err != nil {
			return err
		}
		n, err := t.Exec(`UPDATE inbox SET hearing = '', superseded = (text = ''), note = CASE WHEN note = '' THEN ? ELSE note || ? END
			WHERE id = ? AND hearing = 'unheard' AND turn IS NULL AND NOT superseded`, note, "\n"+note, m.Row)
		if err != nil || n == 0 || m.Words {
			return err
		}
		if _, err := t.Exec(`UPDATE artifacts SET session = ? WHERE inbox = ?`, session, m.Row); err != nil {
			return err
		}
		rows, err := t.enqueue(answer, errand.SessionOwner(session), 0)
		if err != nil {
			return err
		}
		notified = len(rows) > 0
		return t.announce(errand.Event{Type: errand.EventNotice, Key: key, Session: session, Text: answer.Text})
	})
	if err != nil {
		return false, fmt.Errorf("give up on a voice note: %w", err)
	}
	return notified, nil
}

// A Transcription is what writing down the voice notes of one message may cost: reserved
// as a model call is.
type Transcription struct {
	Usage []errand.Usage // of the calls that were answered

	key   errand.SessionKey
	begun *StepInput // as far as a budget needs it
}

// BeginTranscription reserves what it may cost to write down m for a step: once for
// every attempt. It fails as [Store.BeginStep] does while the installation is
// paused, after the turn or the session has ended, and with a *[BudgetError]
// where a budget has not that much left.
func (s *Store) BeginTranscription(ctx context.Context, step errand.StepKey, key errand.SessionKey, m VoiceMessage, amount Amount) (*Transcription, error) {
	// Steps are above 0, rows too: a message has a reservation of its own.
	own := errand.StepKey{Owner: step.Owner, Turn: step.Turn, Step: -int(m.Row)}
	h := &Transcription{key: key, begun: &StepInput{Key: own, Person: m.Person}}
	var refused error
	err := s.write(ctx, string(key), func(t *tx) (err error) {
		if err := t.mayTranscribe(h.begun, step); err != nil {
			return err
		}
		_, refused, err = t.reserve(own, h.begun.Root, m.Person, amount)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// mayTranscribe refuses to begin a transcription where a step may not begin, and finds out to
// what it counts.
func (t *tx) mayTranscribe(b *StepInput, step errand.StepKey) error {
	if paused, err := paused(t); err != nil || paused {
		if err == nil {
			err = ErrPaused
		}
		return err
	}
	turn, found, err := turnOf(t, step.Owner, step.Turn)
	switch {
	case err != nil:
		return err
	case found && !turn.Open:
		return fmt.Errorf("turn %d of %s: %w", step.Turn, step.Owner, ErrClosed)
	}
	b.Root = turnKey(step.Owner, step.Turn)
	if found {
		b.Root = turn.Root
	}
	var session struct{ ID, Agent, State string }
	if _, err := t.Row(&session, `SELECT id, agent, state FROM sessions WHERE id = ?`, step.Owner); err != nil {
		return err
	}
	if session.State == SessionEnded {
		return fmt.Errorf("session %s: %w", session.ID, ErrEnded)
	}
	b.Session, b.Agent = errand.SessionID(session.ID), errand.AgentName(session.Agent)
	return nil
}

// EndTranscription settles a transcription that came to nothing: what was paid is recorded,
// and the rest given back.
func (s *Store) EndTranscription(ctx context.Context, h *Transcription) error {
	return s.write(ctx, string(h.key), func(t *tx) error { return t.endTranscription(h) })
}

func (t *tx) endTranscription(h *Transcription) error {
	if h == nil {
		return nil
	}
	return t.settle(h.begun, h.Usage)
}
