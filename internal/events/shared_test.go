package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/core"
)

// An air carries messages in memory, to all who listen.
type air struct {
	mu        sync.Mutex
	listeners map[chan string]chan error
	refuses   error         // Notify fails
	swallows  bool          // what is sent does not arrive
	takes     time.Duration // how long Notify takes
	batches   [][]string
}

var errCut = errors.New("the connection was cut")

func (a *air) Listen(ctx context.Context, listening func(), receive func(string)) error {
	messages, cut := make(chan string, 10000), make(chan error, 1)
	a.mu.Lock()
	refuses := a.refuses
	if a.listeners == nil {
		a.listeners = map[chan string]chan error{}
	}
	if refuses == nil {
		a.listeners[messages] = cut
	}
	a.mu.Unlock()
	if refuses != nil {
		return refuses
	}
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.listeners, messages)
	}()
	listening()
	for {
		select {
		case m := <-messages:
			receive(m)
		case err := <-cut:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *air) Notify(_ context.Context, messages []string) error {
	time.Sleep(a.takes)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuses != nil {
		return a.refuses
	}
	a.batches = append(a.batches, messages)
	if a.swallows {
		return nil
	}
	for listener := range a.listeners {
		for _, m := range messages {
			listener <- m
		}
	}
	return nil
}

// set changes the air.
func (a *air) set(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
}

// cut ends all listening.
func (a *air) cut() {
	a.set(func() {
		for messages, cut := range a.listeners {
			delete(a.listeners, messages) // what comes from now on does not arrive
			cut <- errCut
		}
	})
}

const longest = 600

func (a *air) process(t *testing.T) *Shared {
	t.Helper()
	s := NewShared(Options{Transport: a, Longest: longest, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(s.Close)
	synctest.Wait()
	if !s.Live() {
		t.Fatal("it is not live")
	}
	return s
}

func got(events <-chan core.Event) (list []string, text string) {
	synctest.Wait()
	for {
		select {
		case e := <-events:
			switch e.Type {
			case core.EventDelta:
				text += e.Text
			case core.EventReset:
				text = ""
			default:
				list = append(list, fmt.Sprintf("%d %s %s %s", e.ID, e.Type, e.Task, e.Text))
			}
		default:
			if synctest.Wait(); len(events) == 0 {
				return list, text
			}
		}
	}
}

func check(t *testing.T, what string, have, want any) {
	t.Helper()
	if fmt.Sprintf("%q", have) != fmt.Sprintf("%q", want) {
		t.Fatalf("%s: %q, want %q", what, have, want)
	}
}

func delta(text string) core.Event {
	return core.Event{Key: "k", Type: core.EventDelta, Session: "s", Turn: 1, Agent: "nikki", Text: text}
}

func reply(id int64) core.Event {
	return core.Event{Key: "k", ID: id, Type: core.EventReply, Session: "s", Turn: 1, Text: "a secret", Message: "m1", Options: []string{"yes"}}
}

// TestShared proves that what one process publishes arrives at the subscribers of
// another: pieces of text whole, in order and once however long they are, durable events
// by their ids and without words, and each to those who follow it only.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here, there := a.process(t), a.process(t)
		own, cancel := here.Subscribe("k")
		defer cancel()
		events, cancel := there.Subscribe("k")
		defer cancel()
		task, cancel := there.SubscribeTask("t-1")
		defer cancel()
		others, cancel := there.Subscribe("other")
		defer cancel()
		watch, cancel := there.Watch()
		defer cancel()

		here.Publish(core.Event{Key: "k", Type: core.EventStep, Session: "s", Turn: 1, Text: "step 1"})
		want := ""
		for i := range 400 {
			piece := fmt.Sprintf("%d \"é\x00<\n", i)
			want += piece
			here.Publish(delta(piece))
			if i%20 == 0 {
				time.Sleep(batchEvery)
				list, text := got(events)
				check(t, "what began", list == nil || slices.Equal(list, []string{"0 step  step 1"}), true)
				check(t, "the text so far", strings.HasPrefix(want, text), true)
				want = strings.TrimPrefix(want, text)
			}
		}
		here.Publish(core.Event{Key: "k", Type: core.EventTask, Task: "t-1", ID: 7, State: core.Completed, Text: "a title"})
		here.Publish(core.Event{Type: core.EventTask, Task: "t-1", State: core.Completed, Text: "in no chat"})
		here.Publish(reply(8))
		list, text := got(events)
		check(t, "the rest of the text", text, want)
		check(t, "what lasts", list, []string{"7 task t-1 ", "8 reply  "})
		list, _ = got(task)
		check(t, "of the task", list, []string{"7 task t-1 ", "0 task t-1 "})
		check(t, "those who follow another or watch", len(others)+len(watch), 0)
		var last core.Event
		for synctest.Wait(); len(own) > 0; synctest.Wait() {
			last = <-own
		}
		check(t, "at home the words are there", last.Text, "a secret")
		for _, batch := range a.batches {
			for _, m := range batch {
				if len(m) > longest || strings.Contains(m, "secret") || strings.Contains(m, "title") || strings.Contains(m, "yes") {
					t.Errorf("sent: %s", m)
				}
			}
		}
	})
}

// TestBatches proves that the first piece of a text goes at once, those that follow
// together, twenty times a second at most, and what lasts at once again.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here := a.process(t)
		time.Sleep(time.Second)
		before := len(a.batches)
		for range 90 {
			here.Publish(delta("x"))
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		check(t, "batches in 90 ms", len(a.batches)-before, 2)
		here.Publish(reply(1))
		synctest.Wait()
		check(t, "batches with the reply", len(a.batches)-before, 3)
		check(t, "messages of the last", len(a.batches[before+2]), 2)

		time.Sleep(time.Second)
		here.Publish(core.Event{Key: "k", Type: core.EventStep, Session: "s", Turn: 2})
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		before = len(a.batches)
		here.Publish(core.Event{Key: "k", Type: core.EventDelta, Session: "s", Turn: 2, Text: "x"})
		synctest.Wait()
		check(t, "batches with the first piece right after its step", len(a.batches)-before, 1)
	})
}

// TestConnectionLost proves that who follows while the connection is lost is told to
// read again when it is back, and has the whole text then, though some of it came
// meanwhile; and that the bus is not live as long as that takes.
func TestConnectionLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here, there := a.process(t), a.process(t)
		events, cancel := there.Subscribe("k")
		defer cancel()
		here.Publish(core.Event{Key: "k", Type: core.EventStep, Session: "s", Turn: 1, Text: "step 1"})
		here.Publish(delta("one, "))
		time.Sleep(batchEvery)
		_, text := got(events)
		check(t, "before", text, "one, ")
		a.cut()
		synctest.Wait()
		check(t, "live", there.Live(), false)
		here.Publish(delta("two, "))
		here.Publish(core.Event{Key: "k", ID: 1, Type: core.EventTask})
		synctest.Wait()
		list, text := got(events)
		check(t, "lost", text, "")
		check(t, "told", list, []string{"0 lag  "})
		time.Sleep(time.Second)
		check(t, "live again", there.Live() && here.Live(), true)
		list, text = got(events)
		check(t, "the whole text", text, "one, two, ")
		check(t, "told again", list, []string{"0 lag  ", "0 step  step 1"})
		here.Publish(delta("three"))
		time.Sleep(batchEvery)
		_, text = got(events)
		check(t, "it goes on", text, "three")
		joined, cancel := there.Join("k")
		defer cancel()
		_, text = got(joined)
		check(t, "who joins", text, "one, two, three")
	})
}

// TestNewcomer proves that a process that starts in the middle knows what goes on in the
// others.
func TestNewcomer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here := a.process(t)
		here.Publish(delta("so far, "))
		there := a.process(t)
		here.Publish(delta("so good"))
		time.Sleep(batchEvery)
		events, cancel := there.Join("k")
		defer cancel()
		_, text := got(events)
		check(t, "who joins", text, "so far, so good")
		here.Publish(reply(1))
		synctest.Wait()
		cancel()
		check(t, "what is over", len(there.open)+len(here.open), 0)
	})
}

// TestNotSent proves that what cannot be sent, or is too much to keep, is made good when
// sending works again: all are told to read again, and have the whole text.
func TestNotSent(t *testing.T) {
	for name, breaks := range map[string]func(*air, *Shared) (mend func()){
		"refused": func(a *air, here *Shared) func() {
			a.set(func() { a.refuses = errors.New("too many notifications in the NOTIFY queue") })
			return func() { a.set(func() { a.refuses = nil }) }
		},
		"too much": func(a *air, here *Shared) func() {
			a.takes = time.Second // a batch is under way
			here.Publish(core.Event{Key: "k", ID: 1})
			synctest.Wait()
			for i := range mostOutgoing / 100 {
				here.Publish(core.Event{Key: core.SessionKey(fmt.Sprint(i)), Type: core.EventNotice, ID: 1, Turn: 1})
			}
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &air{}
				here, there := a.process(t), a.process(t)
				events, cancel := there.Subscribe("k")
				defer cancel()
				own, cancel := here.Subscribe("x")
				defer cancel()
				here.Publish(delta("one, "))
				time.Sleep(batchEvery)
				_, text := got(events)
				check(t, "before", text, "one, ")
				mend := breaks(a, here)
				here.Publish(delta("two, "))
				here.Publish(core.Event{Key: "k", ID: 2, Type: core.EventTask, Task: "t-1"})
				synctest.Wait()
				if name == "refused" {
					check(t, "live", here.Live(), false)
					list, _ := got(own)
					check(t, "those here look themselves", list, []string{"0 lag  "})
				}
				mend()
				time.Sleep(10 * time.Second)
				check(t, "live again", here.Live(), true)
				list, text := got(events)
				check(t, "told", slices.Contains(list, "0 lag  "), true)
				check(t, "the whole text", text, "one, two, ")
				check(t, "kept", len(here.out.messages)+here.out.bytes, 0)
				stats, others := here.Stats(), there.Stats()
				check(t, "counted as not sent", stats.Unsent > 0, name == "refused")
				check(t, "counted", stats.Sent > 2 && others.Received >= stats.Sent-2 && others.Subscribers == 1, true)
			})
		})
	}
}

// TestDown proves that a process starts and works while nothing can be sent or received,
// knows that, and is live when it can.
func TestDown(t *testing.T) {
	for name, breaks := range map[string]func(*air){
		"refused":  func(a *air) { a.refuses = errCut },
		"swallows": func(a *air) { a.swallows = true }, // as a pooler does that keeps no sessions
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &air{}
				breaks(a)
				var log strings.Builder
				s := NewShared(Options{Transport: a, Longest: longest, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				defer s.Close()
				events, cancel := s.Subscribe("k")
				defer cancel()
				s.Publish(reply(1))
				time.Sleep(time.Minute)
				check(t, "live", s.Live(), false)
				list, _ := got(events)
				check(t, "those here receive all the same", list, []string{"1 reply  a secret"})
				a.set(func() { a.refuses, a.swallows = nil, false })
				time.Sleep(time.Minute)
				check(t, "live at last", s.Live(), true)
				if strings.Count(log.String(), "WARN") != 1 || strings.Count(log.String(), "INFO") != 1 {
					t.Errorf("logged:\n%s", log.String())
				}
			})
		})
	}
}

// TestNeverWaits proves that nobody who publishes waits for a transport that stands
// still, and that what waits meanwhile is bounded.
func TestNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here := a.process(t)
		a.takes = time.Hour
		began := time.Now()
		for i := range int64(100_000) {
			here.Publish(delta(strings.Repeat("x", 100)))
			here.Publish(core.Event{Key: "other", ID: i + 1, Type: core.EventTask})
		}
		check(t, "it took", time.Since(began), time.Duration(0))
		here.mu.Lock()
		check(t, "bounded", here.out.bytes <= mostOutgoing, true)
		here.mu.Unlock()
		time.Sleep(2 * time.Hour)
	})
}

// TestClose proves that what was published last is sent before a bus is closed, and that
// it may be published to afterwards.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		here, there := a.process(t), a.process(t)
		events, cancel := there.Subscribe("k")
		defer cancel()
		here.Publish(delta("a"))
		here.Publish(delta("b"))
		here.Close()
		_, text := got(events)
		check(t, "at the others", text, "ab")
		here.Publish(delta("c"))
	})
}

// TestStranger proves that a message that is not understood, of a newer program, has all
// read again, and ends nothing.
func TestStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		there := a.process(t)
		events, cancel := there.Subscribe("k")
		defer cancel()
		for _, m := range []string{`{"f":"x","n":1,"telepathy":{}}`, "", "{", `{"f":"x","k":5}`, `{"f":"x","n":2,"k":"k","e":{"id":3,"type":"reply","new":1}}`} {
			if err := a.Notify(t.Context(), []string{m}); err != nil {
				t.Fatal(err)
			}
		}
		list, _ := got(events)
		check(t, "told", list, []string{"0 lag  ", "3 reply  "})
	})
}

// TestBegunAnew proves that a worker that stood still, and goes on with a reply which
// another has begun anew, does not mix its words into it, and has the say again when it
// begins a step itself.
func TestBegunAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &air{}
		frozen, other, page := a.process(t), a.process(t), a.process(t)
		step := core.Event{Key: "k", Type: core.EventStep, Session: "s", Turn: 1, Agent: "nikki", Text: "step 1"}
		reset := core.Event{Key: "k", Type: core.EventReset, Session: "s", Turn: 1, Agent: "nikki"}
		events, cancel := page.Join("k")
		defer cancel()
		say := func(s *Shared, list ...core.Event) {
			for _, e := range list {
				s.Publish(e)
			}
			time.Sleep(2 * batchEvery) // it has been sent before anybody goes on
		}
		say(frozen, step, delta("Hello, "))
		say(other, step, reset, delta("Good "))
		say(frozen, delta("wor"))
		say(other, delta("evening."))
		say(frozen, delta("ld"), reset)
		_, text := got(events)
		check(t, "who has followed", text, "Good evening.")
		late, cancel := page.Join("k")
		defer cancel()
		_, text = got(late)
		check(t, "who joins", text, "Good evening.")
		say(frozen, step, reset, delta("Hello, world"))
		say(other, delta(" Bye."))
		_, text = got(events)
		check(t, "begun anew once more", text, "Hello, world")
	})
}

// TestConnectionDiesSilently proves that a process notices within 40 s that nothing
// arrives any more, though its connection seems open, and that who follows there is told
// to read again.
func TestConnectionDiesSilently(t *testing.T) {
	for after := time.Millisecond; after < 2*pingEvery; after += 5 * time.Second {
		synctest.Test(t, func(t *testing.T) {
			a := &air{}
			here, there := a.process(t), a.process(t)
			events, cancel := there.Subscribe("k")
			defer cancel()
			time.Sleep(after)
			check(t, "live while nothing is said", there.Live(), true)
			a.set(func() { a.swallows = true })
			here.Publish(reply(1))
			time.Sleep(40 * time.Second)
			list, _ := got(events)
			check(t, "live", there.Live(), false)
			check(t, "told", list, []string{"0 lag  "})
			a.set(func() { a.swallows = false })
			time.Sleep(time.Minute)
			check(t, "live again", there.Live(), true)
			list, _ = got(events)
			check(t, "told again", list, []string{"0 lag  "})
			here.Publish(reply(2))
			list, _ = got(events)
			check(t, "it goes on", list, []string{"2 reply  "})
		})
	}
}
