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

	"errand"
	"errand/internal/events"
)

type logged struct {
	mu      sync.Mutex // for events, which others write while they are read
	events  []errand.Event
	passing chan errand.Event
	taken   func() // what comes of a message
	refused error
	blind   bool
}

func (l *logged) Live() bool { return !l.blind }

func (l *logged) add(e errand.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = int64(len(l.events) + 1)
	l.events = append(l.events, e)
}

func (l *logged) AcceptMessage(_ context.Context, _ Actor, _ errand.Route, m Message) (Accepted, error) {
	if l.refused != nil {
		return Accepted{}, l.refused
	}
	l.add(errand.Event{Type: errand.EventMessage, Text: m.Text, Message: m.ID})
	if l.taken != nil {
		l.taken()
	}
	return Accepted{MessageID: m.ID}, nil
}

func (l *logged) Events(_ context.Context, _ Actor, _ errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.events[min(int(after), len(l.events)):]
	return slices.Clone(rest[:min(len(rest), limit)]), nil
}

func (l *logged) LastEvents(ctx context.Context, by Actor, key errand.SessionKey, n int) ([]errand.Event, error) {
	l.mu.Lock()
	behind := max(0, len(l.events)-n)
	l.mu.Unlock()
	return l.Events(ctx, by, key, int64(behind), n)
}

func (l *logged) Subscribe(context.Context, Actor, errand.SessionKey) (<-chan errand.Event, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passing = make(chan errand.Event, 8)
	return l.passing, func() {}, nil
}

// pass offers an event to who has subscribed last.
func (l *logged) pass(e errand.Event) {
	l.mu.Lock()
	passing := l.passing
	l.mu.Unlock()
	passing <- e
}

func (l *logged) Join(ctx context.Context, by Actor, key errand.SessionKey) (<-chan errand.Event, func(), error) {
	events, cancel, err := l.Subscribe(ctx, by, key)
	l.pass(errand.Event{Type: errand.EventStep})
	return events, cancel, err
}

func (l *logged) MessageEvent(_ context.Context, _ Actor, _ errand.SessionKey, id string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Message == id {
			return e.ID, nil
		}
	}
	return 0, nil
}

func (l *logged) Answers(_ context.Context, _ Actor, e errand.Event, _ errand.SessionKey, _ string) (bool, error) {
	return e.Type == errand.EventReply, nil
}

var mia = Actor{Person: "p-mia", Role: errand.Member}

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
	log.add(errand.Event{Type: errand.EventReply, Text: "before"})
	log.taken = func() { log.pass(errand.Event{Type: errand.EventDelta, Text: "at once"}) }
	v, err := Conversations{Log: log, Intake: log}.Converse(t.Context(), mia, errand.WebRoute("main"), Message{ID: "m1", Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	time.AfterFunc(time.Hour, func() { // no subscription tells
		log.add(errand.Event{Type: errand.EventTask, Text: "task"})
		log.add(errand.Event{Type: errand.EventReply, Text: "reply"})
		log.add(errand.Event{Type: errand.EventLate, Text: "after"})
	})
	began, looks := time.Now(), 0
	var notices []string
	reply, err := v.Reply(t.Context(), func(int) error { looks++; return nil }, func(e errand.Event) error {
		notices = append(notices, e.Text)
		return nil
	})
	if got := strings.Join(notices, ", "); err != nil || got != "at once, task, reply" || reply.Text != "reply" {
		t.Errorf("told %s, then %q, %v", got, reply.Text, err)
	}
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
		looks := 0
		time.AfterFunc(time.Second, func() {
			for range 3 {
				log.add(errand.Event{Type: errand.EventLate})
			}
			for id := range 3 {
				log.pass(errand.Event{ID: int64(id + 1)})
			}
		})
		time.AfterFunc(2*time.Second, func() { log.pass(errand.Event{Type: events.Lag}) })
		err := Conversations{Log: log}.Follow(ctx, mia, "k", Reading{Before: func(int) error { looks++; return nil }}, func(errand.Event) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) || looks != 3 {
			t.Errorf("%d looks, %v", looks, err)
		}
	})
}

// TestConverseEnds proves that waiting ends with its time, with who may not wait any
// longer, with a reader that is gone, and with a refusal.
func TestConverseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		nobody := func(int) error { return nil }
		deaf := func(errand.Event) error { return nil }
		for name, test := range map[string]struct {
			before func(int) error
			tell   func(errand.Event) error
			want   error
		}{
			"no reply in time": {nobody, deaf, context.DeadlineExceeded},
			"logged out":       {func(int) error { return gone }, deaf, gone},
			"no reader":        {nobody, func(errand.Event) error { return gone }, gone},
		} {
			log := &logged{}
			log.taken = func() { log.add(errand.Event{Type: errand.EventTask}) }
			v, err := Conversations{Log: log, Intake: log}.Converse(t.Context(), mia, errand.WebRoute("main"), Message{ID: "m1"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := v.Reply(ctx, test.before, test.tell); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
			cancel()
			v.Close()
		}
		log := &logged{}
		log.taken = func() {
			log.add(errand.Event{Type: errand.EventMessage, Message: "m0", Cause: errand.Withdrawn})
			log.add(errand.Event{Type: errand.EventMessage, Message: "m1", Cause: errand.Withdrawn})
		}
		v, err := Conversations{Log: log, Intake: log}.Converse(t.Context(), mia, errand.WebRoute("main"), Message{ID: "m1"})
		if err != nil {
			t.Fatal(err)
		}
		var withdrawn *Error
		if _, err := v.Reply(t.Context(), nobody, deaf); !errors.As(err, &withdrawn) || withdrawn.Code != CodeWithdrawn {
			t.Errorf("taken back: %v", err)
		}
		v.Close()
		log = &logged{refused: gone}
		if _, err := (Conversations{Log: log, Intake: log}).Converse(t.Context(), mia, errand.WebRoute("main"), Message{}); !errors.Is(err, gone) {
			t.Errorf("refused: %v", err)
		}
	})
}

// TestFollow proves that a conversation is read on from an event, or from its latest
// ones, whole where there are more than are read at once.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			from        Reading
			first, many int
		}{"after": {Reading{After: 10}, 11, 3*batch - 10}, "all": {Reading{}, 1, 3 * batch}, "latest": {Reading{Last: 5}, 3*batch - 4, 5}} {
			log := &logged{}
			for range 3 * batch {
				log.add(errand.Event{Type: errand.EventNotice})
			}
			next := time.AfterFunc(time.Minute, func() { log.add(errand.Event{Type: errand.EventLate}) })
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			var lines []int64
			joined := false
			err := Conversations{Log: log}.Follow(ctx, mia, "k", test.from, func(e errand.Event) error {
				if e.ID > 0 {
					lines = append(lines, e.ID)
				}
				joined = joined || e.Type == errand.EventStep
				return nil
			})
			cancel()
			next.Stop()
			if !errors.Is(err, context.DeadlineExceeded) || len(lines) != test.many+1 || lines[0] != int64(test.first) || lines[len(lines)-1] != 3*batch+1 || !joined {
				t.Errorf("%s: %d told, %v", name, len(lines), err)
			}
		}
	})
}
