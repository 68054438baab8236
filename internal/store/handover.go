package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand"
)

func (b *stepBegin) setPerson(id errand.PersonID) error {
	if id == "" || id == errand.Everyone {
		b.isFor(id, nil)
		return nil
	}
	p, err := personWhere(b, `WHERE p.id = ?`, id)
	switch {
	case errors.Is(err, ErrNotFound):
		b.isFor(id, nil)
	case err != nil:
		return err
	default:
		b.isFor(id, &p)
	}
	return nil
}

// isFor says for whom the step is. Whoever has been removed, for whom p is nil,
// may do no more than a stranger.
func (b *stepBegin) isFor(id errand.PersonID, p *Person) {
	switch {
	case id == "" || id == errand.Everyone:
		p = &Person{Role: errand.MasterAdmin} // nobody's: what it was given counts, and who writes
	case p == nil:
		p = &Person{Role: errand.Guest}
	}
	b.person, b.out.Person, b.out.Language, b.out.TimeZone = *p, id, p.Language, p.TimeZone
}

func (t *tx) putInCharge(session errand.Owner, agent errand.AgentName, stickFor time.Duration) error {
	if err := t.withdraw(`owner = ? AND kind = 'proposal'`, session); err != nil {
		return err
	}
	_, err := t.Exec(`UPDATE sessions SET agent = ?, sticky_until = ?, proposal = '' WHERE id = ?`, agent, t.until(stickFor), session)
	return err
}

func (t *tx) until(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return t.now + d.Microseconds()
}

// lastUsed remembers with whom a person talked last.
func (t *tx) lastUsed(person errand.PersonID, agent errand.AgentName) error {
	_, err := t.Exec(`UPDATE people SET last_agent = ? WHERE id = ?`, agent, person)
	return err
}

// backToPrimary forgets with whom a person talked last, if they leave that agent for the
// primary one: their next session begins with that.
func (t *tx) backToPrimary(person errand.PersonID, left errand.AgentName) error {
	_, err := t.Exec(`UPDATE people SET last_agent = '' WHERE id = ? AND last_agent = ?`, person, left)
	return err
}

func (t *tx) announceHandOver(b *StepInput, notice string) error {
	if notice == "" {
		return nil
	}
	_, err := t.enqueue(errand.Notification{
		Key: fmt.Sprintf("handover:%s:%s", b.Key, b.Agent), Route: b.Route, Session: b.SessionKey, Agent: b.Agent,
		Event: errand.EventNotice, Text: notice,
	}, b.Key.Owner, b.Key.Turn)
	if err != nil {
		return err
	}
	// Without the number of the turn: it is not the end of one.
	return t.announce(errand.Event{Type: errand.EventNotice, Key: b.SessionKey, Session: b.Session, Agent: b.Agent, Text: notice})
}

// handOver is the hand-over that a step asks for, unless the person has chosen
// with whom to talk while it thought.
func (c *commit) handOver(index int, callID string) error {
	h := c.in.HandOver
	answer := func(text string) error {
		return c.insertMessage(c.key.Owner, errand.Message{
			Turn: c.key.Turn, Step: c.key.Step, Index: index, Speaker: errand.FromTool, Text: text, CallID: callID,
		})
	}
	var now string
	if _, err := c.Value(&now, `SELECT agent FROM sessions WHERE id = ?`, c.key.Owner); err != nil {
		return err
	}
	if agent := errand.AgentName(now); agent != c.stepIn.Agent {
		return answer("Nothing was handed over: meanwhile the person has chosen to talk with " + agent.Display() + ".")
	}
	if err := c.putInCharge(c.key.Owner, h.To, h.StickFor); err != nil {
		return err
	}
	err := c.backToPrimary(c.stepIn.Person, c.stepIn.Agent)
	if h.StickFor > 0 {
		err = c.lastUsed(c.stepIn.Person, h.To)
	}
	if err != nil {
		return err
	}
	c.result.Agent = h.To
	next := *c.stepIn
	next.Agent = h.To
	if err := c.announceHandOver(&next, h.Notice); err != nil {
		return err
	}
	return answer(h.Result)
}

// stay keeps the session with its agent for a while longer, or writes down what
// the reply proposes; not where the person has chosen another agent meanwhile.
func (c *commit) stay() error {
	if c.stepIn.Task != nil || c.in.Failed || c.in.StickFor <= 0 && c.in.Propose == "" {
		return nil
	}
	if c.stepIn.asked { // what was proposed before is not the last word any more
		if err := c.withdraw(`owner = ? AND kind = 'proposal'`, c.key.Owner); err != nil {
			return err
		}
	}
	_, err := c.Exec(`UPDATE sessions SET sticky_until = ?, proposal = ? WHERE id = ? AND agent = ?`, c.until(c.in.StickFor), c.in.Propose, c.key.Owner, c.stepIn.Agent)
	return err
}

// HandOver puts agent in charge of the current session of key, which is made
// where there is none. stickFor 0: it stays, as the primary agent does.
func (s *Store) HandOver(ctx context.Context, key errand.SessionKey, agent errand.AgentName, stickFor time.Duration) error {
	return s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if err != nil {
			return err
		}
		if !found {
			if row, err = t.newSession(key, agent, SessionSuspended, ""); err != nil {
				return err
			}
		}
		if err := t.putInCharge(errand.Owner(row.ID), agent, stickFor); err != nil {
			return err
		}
		if stickFor <= 0 {
			return t.backToPrimary(errand.PersonID(row.Person), errand.AgentName(row.Agent))
		}
		return t.lastUsed(errand.PersonID(row.Person), agent)
	})
}
