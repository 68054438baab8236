package store

import (
	"context"
	"fmt"
	"slices"

	"errand/internal/core"
)

const (
	awaitsTranscription = "unheard" // waits for its transcript; no turn takes the message before
	transcribed         = "heard"   // the text includes the transcript
)

func (m InboxMessage) transcriptionState() string {
	if slices.ContainsFunc(m.Attached, func(a NewArtifact) bool { return a.Voice }) {
		return awaitsTranscription
	}
	return ""
}

// A VoiceMessage is a message with voice notes that wait for their transcripts.
type VoiceMessage struct {
	Row       int64
	Route     core.Route
	MessageID string
	Person    core.PersonID
	Words     bool // it has text, too
	Notes     []core.Artifact
}

// Untranscribed returns messages with voice notes that wait for their transcripts and that no
// turn has taken, oldest first.
func (s *Store) Untranscribed(ctx context.Context, key core.SessionKey, limit int) ([]VoiceMessage, error) {
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
		list[i] = VoiceMessage{Row: r.ID, Route: route, MessageID: r.MessageID, Person: core.PersonID(r.Person), Words: r.Text != ""}
		if r.Person == "" {
			list[i].Person = whose
		}
		if list[i].Notes, err = artifactsWhere(q, `inbox = ? AND voice ORDER BY idx`, r.ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// SaveTranscription puts a transcript before the text of a message. It changes nothing if
// another worker was faster or a turn has taken the message. It settles h, unless h is nil.
func (s *Store) SaveTranscription(ctx context.Context, key core.SessionKey, row int64, words string, h *Transcription) error {
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

// FailTranscription gives up on the voice notes of a message. If the message has text, the
// agent reads note with it. Otherwise errand sends answer to the person, and no turn takes the
// message. The recording stays with session. notified is false if there is nothing to send. It
// settles h, unless h is nil.
func (s *Store) FailTranscription(ctx context.Context, session core.SessionID, m VoiceMessage, note string, answer core.Notification, h *Transcription) (notified bool, err error) {
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
		rows, err := t.enqueue(answer, core.SessionOwner(session), 0)
		if err != nil {
			return err
		}
		notified = len(rows) > 0
		return t.announce(core.Event{Type: core.EventNotice, Key: key, Session: session, Text: answer.Text})
	})
	if err != nil {
		return false, fmt.Errorf("give up on a voice note: %w", err)
	}
	return notified, nil
}

// A Transcription is a reservation for transcribing the voice notes of one message, like that
// of a model call.
type Transcription struct {
	Usage []core.Usage // of the calls that succeeded

	key   core.SessionKey
	begun *StepInput // the fields that a budget needs
}

// BeginTranscription reserves the cost of m's transcription for a step, once for all attempts.
// Like [Store.BeginStep], it fails while the installation is paused, after the turn or the
// session has ended, and with a *[BudgetError].
func (s *Store) BeginTranscription(ctx context.Context, step core.StepKey, key core.SessionKey, m VoiceMessage, amount Amount) (*Transcription, error) {
	// Real steps are positive, so the negated row id gives each message its own reservation.
	own := core.StepKey{Owner: step.Owner, Turn: step.Turn, Step: -int(m.Row)}
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

func (t *tx) mayTranscribe(b *StepInput, step core.StepKey) error {
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
	b.Session, b.Agent = core.SessionID(session.ID), core.AgentName(session.Agent)
	return nil
}

// EndTranscription settles a transcription without a result: it books the cost and releases the
// rest.
func (s *Store) EndTranscription(ctx context.Context, h *Transcription) error {
	return s.write(ctx, string(h.key), func(t *tx) error { return t.endTranscription(h) })
}

func (t *tx) endTranscription(h *Transcription) error {
	if h == nil {
		return nil
	}
	return t.settle(h.begun, h.Usage)
}
