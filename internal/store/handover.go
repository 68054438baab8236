package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/internal/core"
)

func (b *stepBegin) setPerson(id core.PersonID) error {
	if id == "" || id == core.Everyone {
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

// isFor sets the person of the step. A removed person has p nil and gets the rights of a guest.
func (b *stepBegin) isFor(id core.PersonID, p *core.Person) {
	switch {
	case id == "" || id == core.Everyone:
		p = &core.Person{Role: core.MasterAdmin} // the task's and the writer's roles are the limit
	case p == nil:
		p = &core.Person{Role: core.Guest}
	}
	b.person, b.out.Person, b.out.Language, b.out.TimeZone = *p, id, p.Language, p.TimeZone
}

func (t *tx) putInCharge(session core.Owner, agent core.AgentName, stickFor time.Duration) error {
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

func (t *tx) lastUsed(person core.PersonID, agent core.AgentName) error {
	_, err := t.Exec(`UPDATE people SET last_agent = ? WHERE id = ?`, agent, person)
	return err
}

func (t *tx) backToPrimary(person core.PersonID, left core.AgentName) error {
	_, err := t.Exec(`UPDATE people SET last_agent = '' WHERE id = ? AND last_agent = ?`, person, left)
	return err
}

func (t *tx) announceHandOver(b *StepInput, notice string) error {
	if notice == "" {
		return nil
	}
	_, err := t.enqueue(core.Notification{
		Key: fmt.Sprintf("handover:%s:%s", b.Key, b.Agent), Route: b.Route, Session: b.SessionKey, Agent: b.Agent,
		Event: core.EventNotice, Text: notice,
	}, b.Key.Owner, b.Key.Turn)
	if err != nil {
		return err
	}
	// Without the number of the turn, because the turn goes on.
	return t.announce(core.Event{Type: core.EventNotice, Key: b.SessionKey, Session: b.Session, Agent: b.Agent, Text: notice})
}

// handOver hands over as the step asks, unless the person has chosen another agent meanwhile.
func (c *commit) handOver(index int, callID string) error {
	h := c.in.HandOver
	answer := func(text string) error {
		return c.insertMessage(c.key.Owner, core.Message{
			Turn: c.key.Turn, Step: c.key.Step, Index: index, Speaker: core.FromTool, Text: text, CallID: callID,
		})
	}
	var now string
	if _, err := c.Value(&now, `SELECT agent FROM sessions WHERE id = ?`, c.key.Owner); err != nil {
		return err
	}
	if agent := core.AgentName(now); agent != c.stepIn.Agent {
		return answer("Nothing was handed over: the user has since chosen to talk with " + agent.Display() + ".")
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

// stay extends the time that the session keeps its agent, and stores the reply's proposal. It
// does nothing if the person has chosen another agent meanwhile.
func (c *commit) stay() error {
	if c.stepIn.Task != nil || c.in.Failed || c.in.StickFor <= 0 && c.in.Propose == "" {
		return nil
	}
	if c.stepIn.asked { // the new reply replaces an earlier proposal
		if err := c.withdraw(`owner = ? AND kind = 'proposal'`, c.key.Owner); err != nil {
			return err
		}
	}
	_, err := c.Exec(`UPDATE sessions SET sticky_until = ?, proposal = ? WHERE id = ? AND agent = ?`, c.until(c.in.StickFor), c.in.Propose, c.key.Owner, c.stepIn.Agent)
	return err
}

// HandOver puts agent in charge of the current session of key. If there is no session, it
// creates one. stickFor 0 means without end, as for the primary agent.
func (s *Store) HandOver(ctx context.Context, key core.SessionKey, agent core.AgentName, stickFor time.Duration) error {
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
		if err := t.putInCharge(core.Owner(row.ID), agent, stickFor); err != nil {
			return err
		}
		if stickFor <= 0 {
			return t.backToPrimary(core.PersonID(row.Person), core.AgentName(row.Agent))
		}
		return t.lastUsed(core.PersonID(row.Person), agent)
	})
}
