package service

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/rights"
)

// MaxMessageFiles is how many files a message may bring.
const MaxMessageFiles = 10

// A Message is what somebody says by a door.
type Message struct {
	ID    string // with the same one it is accepted once; empty: one is drawn
	Text  string // may be empty where there are files or outputs
	Files []SentFile

	Tools   *errand.ClientTools   // what the program offers that says it; nil: nothing
	Outputs []errand.ClientOutput // of calls that an earlier turn has ended with
}

// A SentFile is a file that a message brings by a door.
type SentFile struct {
	Name string // claimed
	Data []byte
}

// An Accepted is what became of a message.
type Accepted struct {
	MessageID string
	Duplicate bool // it was accepted before
	// Answer is errand's own, to a command. HasMessage says that a message followed
	// the command, which an agent answers.
	Answer     string
	HasMessage bool
}

// An Intake accepts messages: durably, once it returns.
type Intake interface {
	AcceptMessage(ctx context.Context, by Actor, route errand.Route, m Message) (Accepted, error)
}

// Converse accepts a message of somebody in a chat, and follows what comes of it, see
// [Conversations.Converse].
func (s *Service) Converse(ctx context.Context, by Actor, route errand.Route, m Message) (*Conversation, error) {
	if err := s.may(by, rights.MessagesSend); err != nil {
		return nil, err
	}
	return Conversations{Log: s, Intake: s.Intake}.Converse(ctx, by, route, m)
}

// Follow reads a conversation as it goes on, see [Conversations.Follow].
func (s *Service) Follow(ctx context.Context, by Actor, key errand.SessionKey, r Reading, send func(errand.Event) error) error {
	if err := s.follows(by, key); err != nil {
		return err
	}
	return Conversations{Log: s, Intake: s.Intake}.Follow(ctx, by, key, r, send)
}

// An EventLog is what goes on in conversations; *[Service] is the one in production.
type EventLog interface {
	Events(ctx context.Context, by Actor, key errand.SessionKey, after int64, limit int) ([]errand.Event, error)
	LastEvents(ctx context.Context, by Actor, key errand.SessionKey, n int) ([]errand.Event, error)
	Join(ctx context.Context, by Actor, key errand.SessionKey) (events <-chan errand.Event, cancel func(), err error)
	Subscribe(ctx context.Context, by Actor, key errand.SessionKey) (events <-chan errand.Event, cancel func(), err error)
	MessageEvent(ctx context.Context, by Actor, key errand.SessionKey, messageID string) (int64, error)
	Answers(ctx context.Context, by Actor, e errand.Event, key errand.SessionKey, messageID string) (bool, error)
	// Live reports whether those who subscribe hear of whatever comes to the log.
	Live() bool
}

// Conversations are how every door talks: over a log and an intake.
type Conversations struct {
	Log    EventLog
	Intake Intake
	// Poll is how often the log is read though nobody has said that there is more;
	// default 10 s. BlindPoll is that while it is not live; default 250 ms.
	Poll, BlindPoll time.Duration
}

// A Reading says how the events of a conversation are read.
type Reading struct {
	After int64 // those after this one
	Last  int   // if not 0: the newest so many, and what comes
	// Before is called before every look at the log is told, with how many events that
	// has: at least once in every Poll. An error ends the reading. Here it is seen
	// whether who reads still may. Nil: nothing is.
	Before func(events int) error
}

// batch is how many events are read at once.
const batch = 200

// Follow tells the events of a conversation until ctx is done or send fails, and
// returns why. Durable events are read from the log, so that none is missed or told
// twice. Passing ones are told as they come, and first of all what goes on already.
func (c Conversations) Follow(ctx context.Context, by Actor, key errand.SessionKey, r Reading, send func(errand.Event) error) error {
	passing, cancel, err := c.Log.Join(ctx, by, key)
	if err != nil {
		return err
	}
	defer cancel()
	return c.followJoined(ctx, by, key, r, passing, send)
}

func (c Conversations) followJoined(ctx context.Context, by Actor, key errand.SessionKey, r Reading, passing <-chan errand.Event, send func(errand.Event) error) error {
	poll := time.NewTimer(0)
	defer poll.Stop()
	last, latest := r.After, r.Last > 0
	for {
		var list []errand.Event
		var err error
		if latest {
			list, err = c.Log.LastEvents(ctx, by, key, r.Last)
		} else {
			list, err = c.Log.Events(ctx, by, key, last, batch)
		}
		if err != nil {
			return err
		}
		if r.Before != nil {
			if err := r.Before(len(list)); err != nil {
				return err
			}
		}
		for _, e := range list {
			last = e.ID
			if err := send(e); err != nil {
				return err
			}
		}
		if !latest && len(list) == batch {
			continue
		}
		latest = false
		poll.Reset(c.poll())
		if err := wait(ctx, last, passing, poll.C, send); err != nil {
			return err
		}
	}
}

func (c Conversations) poll() time.Duration {
	if !c.Log.Live() {
		return cmp.Or(c.BlindPoll, 250*time.Millisecond)
	}
	return cmp.Or(c.Poll, 10*time.Second)
}

// wait returns when the log may have grown behind its event with id last. Passing events
// are told at once.
func wait(ctx context.Context, last int64, passing <-chan errand.Event, poll <-chan time.Time, send func(errand.Event) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll:
			return nil
		case e := <-passing:
			switch e.Type {
			case errand.EventDelta, errand.EventReset, errand.EventStep:
				if err := send(e); err != nil {
					return err
				}
			default: // a durable event, or word that some were missed
				if e.ID == 0 || e.ID > last {
					return nil
				}
			}
		}
	}
}

// A Conversation is a message that was accepted, and what comes of it.
type Conversation struct {
	Accepted
	c       Conversations
	by      Actor
	key     errand.SessionKey
	passing <-chan errand.Event
	cancel  func()
}

// Converse accepts a message. Whoever asks closes the conversation; the reply comes to
// the log all the same.
func (c Conversations) Converse(ctx context.Context, by Actor, route errand.Route, m Message) (*Conversation, error) {
	key := errand.NewSessionKey(route, by.Person)
	passing, cancel, err := c.Log.Subscribe(ctx, by, key) // first: what comes of it may come at once
	if err != nil {
		return nil, err
	}
	got, err := c.Intake.AcceptMessage(ctx, by, route, m)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Conversation{got, c, by, key, passing, cancel}, nil
}

// Close ends the conversation for whoever asked.
func (v *Conversation) Close() { v.cancel() }

// CodeWithdrawn is why there is no reply to a message that was taken back before an agent had
// begun with it.
const CodeWithdrawn = "withdrawn"

// errReplied ends a reading.
var errReplied = errors.New("replied")

// Reply tells the events after the message until its reply, and returns that: an
// answer, a question, or word that there is none. Before is as of a [Reading].
func (v *Conversation) Reply(ctx context.Context, before func(events int) error, send func(errand.Event) error) (reply errand.Event, err error) {
	after, err := v.c.Log.MessageEvent(ctx, v.by, v.key, v.MessageID)
	if err != nil {
		return reply, err
	}
	err = v.c.followJoined(ctx, v.by, v.key, Reading{After: after, Before: before}, v.passing, func(e errand.Event) error {
		if e.Type == errand.EventMessage {
			if e.Cause == errand.Withdrawn && e.Message == v.MessageID {
				return Refuse(KindConflict, CodeWithdrawn, "refusal.taken_back")
			}
			return nil
		}
		if err := send(e); err != nil || e.ID == 0 {
			return err
		}
		answers, err := v.c.Log.Answers(ctx, v.by, e, v.key, v.MessageID)
		if err == nil && answers {
			reply, err = e, errReplied
		}
		return err
	})
	if errors.Is(err, errReplied) {
		return reply, nil
	}
	return reply, err
}
