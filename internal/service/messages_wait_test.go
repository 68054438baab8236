package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/events"
)

type logged struct {
	mu      sync.Mutex // for events, which others write while they are read
	events  []core.Event
	passing chan core.Event
	taken   func() // what comes of a message
	refused error
	blind   bool
	looks   int // how often the log was read
}

func (l *logged) Live() bool { return !l.blind }

func (l *logged) add(e core.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = int64(len(l.events) + 1)
	l.events = append(l.events, e)
}

func (l *logged) AcceptMessage(_ context.Context, _ actor.Actor, _ core.Route, in api.SendMessageInput) (api.MessageReceipt, error) {
	if l.refused != nil {
		return api.MessageReceipt{}, l.refused
	}
	l.add(core.Event{Type: core.EventMessage, Text: in.Body.Text, Message: in.Body.MessageID})
	if l.taken != nil {
		l.taken()
	}
	return api.MessageReceipt{MessageID: in.Body.MessageID}, nil
}

func (l *logged) Events(_ context.Context, _ core.SessionKey, after int64, limit int) ([]core.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looks++
	rest := l.events[min(int(after), len(l.events)):]
	return slices.Clone(rest[:min(len(rest), limit)]), nil
}

func (l *logged) LastEvents(ctx context.Context, key core.SessionKey, _ int64, n int) ([]core.Event, error) {
	l.mu.Lock()
	behind := max(0, len(l.events)-n)
	l.mu.Unlock()
	return l.Events(ctx, key, int64(behind), n)
}

func (l *logged) Subscribe(core.SessionKey) (<-chan core.Event, func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passing = make(chan core.Event, 8)
	return l.passing, func() {}
}

func (*logged) SubscribeLists(core.PersonID) (<-chan events.Lists, func()) { return nil, func() {} }

// pass offers an event to who has subscribed last.
func (l *logged) pass(e core.Event) {
	l.mu.Lock()
	passing := l.passing
	l.mu.Unlock()
	passing <- e
}

func (l *logged) Join(key core.SessionKey) (<-chan core.Event, func()) {
	passing, cancel := l.Subscribe(key)
	l.pass(core.Event{Type: core.EventStep})
	return passing, cancel
}

func (l *logged) MessageEvent(_ context.Context, _ core.SessionKey, id string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Message == id {
			return e.ID, nil
		}
	}
	return 0, nil
}

func (*logged) TurnOfMessage(context.Context, core.SessionKey, string) (core.Owner, int, bool, error) {
	return "", 0, true, nil
}

// messages returns the operations on messages over the log.
func (l *logged) messages() *Messages {
	table := api.Rights()
	return &Messages{Env: &Env{Rights: table}, Log: l, Bus: l, Intake: l}
}

// send sends a message and returns its reply.
func (l *logged) send(ctx context.Context, id string, event func(core.Event) error) (core.Event, error) {
	m := l.messages()
	in := api.SendMessageInput{ChatName: api.ChatName{Chat: "main"}}
	in.Body.MessageID, in.Body.Text = id, "hello"
	c, err := m.accept(ctx, mia, &in)
	if err != nil {
		return core.Event{}, err
	}
	defer c.cancel()
	return m.reply(ctx, c, time.Hour*2, event)
}

var mia = actor.Actor{Person: "p-mia", Role: core.Member}

// TestConverse proves that of a message is told what comes after it, durable and
// passing, in order, until its reply, and nothing of before or after; and how often the
// log is read for what nobody has announced.
func TestConverse(t *testing.T) {
	for name, test := range map[string]struct {
		blind bool
		every time.Duration
	}{"announced": {false, 10 * time.Second}, "not announced": {true, 250 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { converse(t, test.blind, test.every) })
		})
	}
}

func converse(t *testing.T, blind bool, every time.Duration) {
	log := &logged{blind: blind}
	log.add(core.Event{Type: core.EventReply, Text: "before"})
	log.taken = func() { log.pass(core.Event{Type: core.EventDelta, Text: "at once"}) }
	time.AfterFunc(time.Hour, func() { // no subscription tells
		log.add(core.Event{Type: core.EventTask, Text: "task"})
		log.add(core.Event{Type: core.EventReply, Text: "reply"})
		log.add(core.Event{Type: core.EventLate, Text: "after"})
	})
	began := time.Now()
	var notices []string
	reply, err := log.send(t.Context(), "m1", func(e core.Event) error {
		notices = append(notices, e.Text)
		return nil
	})
	if got := strings.Join(notices, ", "); err != nil || got != "at once, task, reply" || reply.Text != "reply" {
		t.Errorf("told %s, then %q, %v", got, reply.Text, err)
	}
	looks := log.looks
	if took := time.Since(began); took > time.Hour+every || looks < int(time.Hour/every) || looks > int(time.Hour/every)+2 {
		t.Errorf("it took %v and %d looks", took, looks)
	}
}

// TestFollowReadsOnce proves that the log is read when it has grown and when something
// was missed, once for all that grew together, and not for what has been read.
func TestFollowReadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logged{}
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		time.AfterFunc(time.Second, func() {
			for range 3 {
				log.add(core.Event{Type: core.EventLate})
			}
			for id := range 3 {
				log.pass(core.Event{ID: int64(id + 1)})
			}
		})
		time.AfterFunc(2*time.Second, func() { log.pass(core.Event{Type: events.Lag}) })
		err := log.follow(ctx, api.EventsInput{After: "0"}, func(core.Event) {})
		if !errors.Is(err, context.DeadlineExceeded) || log.looks != 3 {
			t.Errorf("%d looks, %v", log.looks, err)
		}
	})
}

// TestConverseEnds proves that waiting ends with its time, with a reader that is gone, when the
// message is withdrawn, and with a refusal.
func TestConverseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		deaf := func(core.Event) error { return nil }
		for name, test := range map[string]struct {
			event func(core.Event) error
			want  error
		}{
			"no reply in time": {deaf, context.DeadlineExceeded},
			"no reader":        {func(core.Event) error { return gone }, gone},
		} {
			log := &logged{}
			log.taken = func() { log.add(core.Event{Type: core.EventTask}) }
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := log.send(ctx, "m1", test.event); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
			cancel()
		}
		log := &logged{}
		log.taken = func() {
			log.add(core.Event{Type: core.EventMessage, Message: "m0", Cause: core.Withdrawn})
			log.add(core.Event{Type: core.EventMessage, Message: "m1", Cause: core.Withdrawn})
		}
		if _, err := log.send(t.Context(), "m1", deaf); !isWithdrawn(err) {
			t.Errorf("withdrawn: %v", err)
		}
		log = &logged{refused: gone}
		if _, err := log.send(t.Context(), "m1", deaf); !errors.Is(err, gone) {
			t.Errorf("refused: %v", err)
		}
	})
}

// follow reads a conversation until its end, and returns why it ended.
func (l *logged) follow(ctx context.Context, in api.EventsInput, read func(core.Event)) error {
	in.Chat = "main"
	seq, err := l.messages().follow(ctx, mia, in)
	if err != nil {
		return err
	}
	for e, err := range seq {
		if err != nil {
			return err
		}
		read(e)
	}
	return nil
}

// TestFollow proves that a conversation is read on from an event, or from its latest
// ones, whole where there are more than are read at once.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			from        api.EventID
			first, many int
		}{"after": {"10", 11, 3*eventBatch - 10}, "all": {"0", 1, 3 * eventBatch}, "latest": {"", 3*eventBatch - eventHistory + 1, eventHistory}} {
			log := &logged{}
			for range 3 * eventBatch {
				log.add(core.Event{Type: core.EventNotice})
			}
			next := time.AfterFunc(time.Minute, func() { log.add(core.Event{Type: core.EventLate}) })
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			var lines []int64
			joined := false
			err := log.follow(ctx, api.EventsInput{After: test.from}, func(e core.Event) {
				if e.ID > 0 {
					lines = append(lines, e.ID)
				}
				joined = joined || e.Type == core.EventStep
			})
			cancel()
			next.Stop()
			if !errors.Is(err, context.DeadlineExceeded) || len(lines) != test.many+1 || lines[0] != int64(test.first) || lines[len(lines)-1] != 3*eventBatch+1 || !joined {
				t.Errorf("%s: %d told, %v", name, len(lines), err)
			}
		}
	})
}
