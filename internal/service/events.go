package service

import (
	"cmp"
	"context"
	"iter"
	"math"
	"strconv"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

const (
	eventBatch   = 200 // events that are read at once
	eventHistory = 200 // events with which a stream begins
)

func (m *Messages) follow(ctx context.Context, by actor.Actor, in api.EventsInput) (iter.Seq2[core.Event, error], error) {
	key, err := m.readKey(by, in)
	if err != nil {
		return nil, err
	}
	from := reading{}
	if after := cmp.Or(in.LastEventID, in.After); after == "" {
		from.last = eventHistory
	} else if from.after, err = eventID("after", after, 0); err != nil {
		return nil, err
	}
	return func(yield func(core.Event, error) bool) {
		passing, cancel := m.Bus.Join(key)
		defer cancel()
		err := m.followJoined(ctx, key, from, passing, func(e core.Event) error {
			m.localize(by, &e)
			return sent(yield(e, nil))
		})
		if err != errReaderGone {
			yield(core.Event{}, err)
		}
	}, nil
}

func (m *Messages) listEvents(ctx context.Context, by actor.Actor, in api.EventsInput) ([]core.Event, error) {
	key, err := m.readKey(by, in)
	if err != nil {
		return nil, err
	}
	if in.Before == "" {
		after, err := eventID("after", cmp.Or(in.After, "0"), 0)
		if err != nil {
			return nil, err
		}
		return m.localized(by)(m.Log.Events(ctx, key, after, in.Limit))
	}
	before, err := eventID("before", in.Before, 1)
	if err != nil {
		return nil, err
	}
	return m.localized(by)(m.Log.LastEvents(ctx, key, before, in.Limit))
}

// localize translates errand's own notices into the language of the reader.
func (e *Env) localize(by actor.Actor, event *core.Event) {
	if event.Type == core.EventNotice && event.Text == store.TurnStopped {
		event.Text = e.Texts.For(by.Reads, by.Language).Localize("stop.turn")
	}
}

func (e *Env) localized(by actor.Actor) func([]core.Event, error) ([]core.Event, error) {
	return func(list []core.Event, err error) ([]core.Event, error) {
		for i := range list {
			e.localize(by, &list[i])
		}
		return list, err
	}
}

func (m *Messages) readKey(by actor.Actor, in api.EventsInput) (core.SessionKey, error) {
	key, err := webKey(in.Chat, cmp.Or(in.Person, by.Person))
	if err == nil {
		err = m.reads(by, key)
	}
	return key, err
}

func eventID(name string, id api.EventID, least int64) (int64, error) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < least {
		return 0, badRequest(name, "an event id must be a number from %d", least)
	}
	return n, nil
}

func (m *Messages) messageEvent(ctx context.Context, by actor.Actor, in api.MessageEventInput) (int64, error) {
	key, err := webKey(in.Chat, by.Person)
	if err != nil {
		return 0, err
	}
	return m.Log.MessageEvent(ctx, key, in.Message)
}

func (m *Messages) getReply(ctx context.Context, by actor.Actor, in api.GetReplyInput) (none core.Event, err error) {
	key, err := webKey(in.Chat, by.Person)
	if err != nil {
		return none, err
	}
	for after := in.After; ; {
		list, err := m.Log.Events(ctx, key, after, eventBatch)
		if err != nil || len(list) == 0 {
			return none, err
		}
		for _, e := range list {
			if err := in.Event(e); err != nil {
				return none, err
			}
			if answers, err := m.answers(ctx, e, key, in.Message); err != nil || answers {
				return e, err
			}
		}
		after = list[len(list)-1].ID
	}
}

// A reading selects the events to read first: those after an id or, if last is not 0, the latest.
type reading struct {
	after int64
	last  int
}

// followJoined sends the events of a conversation until ctx is done or send fails, and returns why.
// It reads each durable event once, from the log, and forwards passing events as the bus announces
// them.
func (m *Messages) followJoined(ctx context.Context, key core.SessionKey, from reading, passing <-chan core.Event, send func(core.Event) error) error {
	poll := time.NewTimer(0)
	defer poll.Stop()
	last, latest := from.after, from.last > 0
	for {
		var list []core.Event
		var err error
		if latest {
			list, err = m.Log.LastEvents(ctx, key, math.MaxInt64, from.last)
		} else {
			list, err = m.Log.Events(ctx, key, last, eventBatch)
		}
		if err != nil {
			return err
		}
		for _, e := range list {
			last = e.ID
			if err := send(e); err != nil {
				return err
			}
		}
		if !latest && len(list) == eventBatch {
			continue
		}
		latest = false
		poll.Reset(m.poll())
		if err := awaitEvent(ctx, last, passing, poll.C, send); err != nil {
			return err
		}
	}
}

func (m *Messages) poll() time.Duration {
	live := m.Bus.Live()
	if live {
		return cmp.Or(m.Poll, pollEvery(live))
	}
	return cmp.Or(m.BlindPoll, pollEvery(live))
}

// pollEvery is how often to read rows whose changes the bus announces.
func pollEvery(live bool) time.Duration {
	if live {
		return 10 * time.Second
	}
	return 250 * time.Millisecond
}

// awaitEvent returns when the log may have an event after last. It forwards passing events at once.
func awaitEvent(ctx context.Context, last int64, passing <-chan core.Event, poll <-chan time.Time, send func(core.Event) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll:
			return nil
		case e := <-passing:
			switch e.Type {
			case core.EventDelta, core.EventReset, core.EventStep:
				if err := send(e); err != nil {
					return err
				}
			default: // a durable event, or a sign that the bus dropped some
				if e.ID == 0 || e.ID > last {
					return nil
				}
			}
		}
	}
}
