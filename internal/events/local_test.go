package events

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
)

func TestLocal(t *testing.T) {
	t.Run("a slow subscriber loses passing events first and is told of durable ones", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Subscribe("k")
		require.Equal(t, Stats{Subscribers: 1}, h.Stats())
		for range 10 * subscriberBuffer {
			h.Publish(errand.Event{Key: "k", Type: errand.EventDelta})
		}
		for sub := range h.byKey["k"] {
			require.Equal(t, subscriberBuffer/2, len(sub.events))
		}
		for i := range 10 * subscriberBuffer {
			h.Publish(errand.Event{Key: "k", Type: errand.EventReply, ID: int64(i + 1)})
		}
		var last errand.Event
		for e := range events {
			if last = e; e.Type == Lag {
				cancel()
				cancel()
			}
		}
		require.Equal(t, errand.Event{Key: "k", Type: Lag}, last)
		// Half of the buffer took deltas, the rest replies.
		require.Equal(t, Stats{Lost: 20*subscriberBuffer - subscriberBuffer}, h.Stats())
		h.Publish(errand.Event{Key: "k"})
		require.Empty(t, h.byKey)
	})
	t.Run("a subscriber sees its own key only, from anywhere", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Subscribe("k")
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				h.Publish(errand.Event{Key: "k", ID: 1})
				h.Publish(errand.Event{Key: "other", ID: 1})
			})
		}
		wg.Wait()
		for range 10 {
			require.Equal(t, errand.SessionKey("k"), (<-events).Key)
		}
		cancel()
		for e := range events {
			t.Errorf("%+v came too", e)
		}
	})
	t.Run("who joins in the middle is told what goes on", func(t *testing.T) {
		h := NewLocal()
		step := errand.Event{Key: "k", Type: errand.EventStep, Session: "s", Turn: 1, Text: "step 1"}
		report := errand.Event{Key: "k", Type: errand.EventStep, Task: "t-1", Text: "step 4"}
		joins := func(want ...string) {
			t.Helper()
			events, cancel := h.Join("k")
			cancel()
			var got []string
			for e := range events {
				got = append(got, string(e.Type)+" "+e.Text)
			}
			require.Equal(t, want, got)
		}
		send := func(turn int, text string) {
			h.Publish(errand.Event{Key: "k", Type: errand.EventDelta, Session: "s", Turn: turn, Text: text})
		}
		h.Publish(step)
		h.Publish(report)
		send(1, "so ")
		send(1, "far")
		joins("step step 1", "step step 4", "reset ", "delta so far")
		h.Publish(errand.Event{Key: "k", Type: errand.EventReset, Turn: 1})
		send(1, "anew")
		h.Publish(errand.Event{Key: "k", Type: errand.EventMessage, ID: 1, Text: "and another thing"})
		h.Publish(errand.Event{Key: "k", Type: errand.EventLate, ID: 2, Task: "t-9", State: errand.Completed})
		joins("step step 1", "step step 4", "reset ", "delta anew")
		h.Publish(errand.Event{Key: "k", Type: errand.EventReply, ID: 3, Session: "s", Turn: 1, Text: "anew"})
		joins("step step 4")
		h.Publish(errand.Event{Key: "k", Type: errand.EventTask, ID: 4, Task: "t-1", State: errand.Completed})
		joins()
		send(2, "one")
		send(3, "another")
		joins("reset ", "delta another")
		h.Publish(errand.Event{Key: "k", Type: errand.EventNotice, ID: 5, Session: "s", Turn: 3})
		require.Empty(t, h.open)
		h = NewLocal()
		send(5, "interrupted")
		send(6, "the next")
		send(5, " and still on its way")
		h.Publish(errand.Event{Key: "k", Type: errand.EventReset, Session: "s", Turn: 5})
		send(6, " answer")
		joins("reset ", "delta the next answer")
	})
	t.Run("what has gone silent is not told any more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := NewLocal()
			h.Publish(errand.Event{Key: "k", Type: errand.EventDelta, Turn: 1, Text: "never ended here"})
			time.Sleep(staleOpen + time.Second)
			events, cancel := h.Join("k")
			cancel()
			require.Empty(t, events)
			for i := range mostOpen {
				h.Publish(errand.Event{Key: errand.SessionKey(strconv.Itoa(i)), Type: errand.EventDelta, Turn: 1, Text: "x"})
			}
			require.Len(t, h.open, mostOpen)
		})
	})
	t.Run("a watcher sees what lasts, and the steps, of all keys", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Watch()
		h.Publish(errand.Event{Key: "k", ID: 1})
		h.Publish(errand.Event{Key: "other", Type: errand.EventStep})
		h.Publish(errand.Event{Key: "other", Type: errand.EventDelta})
		cancel()
		cancel()
		h.Publish(errand.Event{Key: "k", ID: 2})
		var keys []errand.SessionKey
		for e := range events {
			keys = append(keys, e.Key)
		}
		require.Equal(t, []errand.SessionKey{"k", "other"}, keys)
	})
}
