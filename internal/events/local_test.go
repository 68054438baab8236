package events

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

func TestLocal(t *testing.T) {
	t.Run("a slow subscriber loses passing events first and is told of durable ones", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Subscribe("k")
		require.Equal(t, Stats{Subscribers: 1}, h.Stats())
		for range 10 * subscriberBuffer {
			h.Publish(core.Event{Key: "k", Type: core.EventDelta})
		}
		for sub := range h.byKey["k"] {
			require.Equal(t, subscriberBuffer/2, len(sub.events))
		}
		for i := range 10 * subscriberBuffer {
			h.Publish(core.Event{Key: "k", Type: core.EventReply, ID: int64(i + 1)})
		}
		var last core.Event
		for e := range events {
			if last = e; e.Type == Lag {
				cancel()
				cancel()
			}
		}
		require.Equal(t, core.Event{Key: "k", Type: Lag}, last)
		// Half of the buffer took deltas, the rest replies.
		require.Equal(t, Stats{Lost: 20*subscriberBuffer - subscriberBuffer}, h.Stats())
		h.Publish(core.Event{Key: "k"})
		require.Empty(t, h.byKey)
	})
	t.Run("a subscriber sees its own key only, from anywhere", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Subscribe("k")
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				h.Publish(core.Event{Key: "k", ID: 1})
				h.Publish(core.Event{Key: "other", ID: 1})
			})
		}
		wg.Wait()
		for range 10 {
			require.Equal(t, core.SessionKey("k"), (<-events).Key)
		}
		cancel()
		for e := range events {
			t.Errorf("%+v came too", e)
		}
	})
	t.Run("who joins in the middle is told what goes on", func(t *testing.T) {
		h := NewLocal()
		step := core.Event{Key: "k", Type: core.EventStep, Session: "s", Turn: 1, Text: "step 1"}
		report := core.Event{Key: "k", Type: core.EventStep, Task: "t-1", Text: "step 4"}
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
			h.Publish(core.Event{Key: "k", Type: core.EventDelta, Session: "s", Turn: turn, Text: text})
		}
		h.Publish(step)
		h.Publish(report)
		send(1, "so ")
		send(1, "far")
		joins("step step 1", "step step 4", "reset ", "delta so far")
		h.Publish(core.Event{Key: "k", Type: core.EventReset, Turn: 1})
		send(1, "anew")
		h.Publish(core.Event{Key: "k", Type: core.EventMessage, ID: 1, Text: "and another thing"})
		h.Publish(core.Event{Key: "k", Type: core.EventLate, ID: 2, Task: "t-9", State: core.Completed})
		joins("step step 1", "step step 4", "reset ", "delta anew")
		h.Publish(core.Event{Key: "k", Type: core.EventReply, ID: 3, Session: "s", Turn: 1, Text: "anew"})
		joins("step step 4")
		h.Publish(core.Event{Key: "k", Type: core.EventTask, ID: 4, Task: "t-1", State: core.Completed})
		joins()
		send(2, "one")
		send(3, "another")
		joins("reset ", "delta another")
		h.Publish(core.Event{Key: "k", Type: core.EventNotice, ID: 5, Session: "s", Turn: 3})
		require.Empty(t, h.open)
		h = NewLocal()
		send(5, "interrupted")
		send(6, "the next")
		send(5, " and still on its way")
		h.Publish(core.Event{Key: "k", Type: core.EventReset, Session: "s", Turn: 5})
		send(6, " answer")
		joins("reset ", "delta the next answer")
	})
	t.Run("what has gone silent is not told any more", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := NewLocal()
			h.Publish(core.Event{Key: "k", Type: core.EventDelta, Turn: 1, Text: "never ended here"})
			time.Sleep(staleOpen + time.Second)
			events, cancel := h.Join("k")
			cancel()
			require.Empty(t, events)
			for i := range mostOpen {
				h.Publish(core.Event{Key: core.SessionKey(strconv.Itoa(i)), Type: core.EventDelta, Turn: 1, Text: "x"})
			}
			require.Len(t, h.open, mostOpen)
		})
	})
	t.Run("a watcher sees what lasts, and the steps, of all keys", func(t *testing.T) {
		h := NewLocal()
		events, cancel := h.Watch()
		h.Publish(core.Event{Key: "k", ID: 1})
		h.Publish(core.Event{Key: "other", Type: core.EventStep})
		h.Publish(core.Event{Key: "other", Type: core.EventDelta})
		cancel()
		cancel()
		h.Publish(core.Event{Key: "k", ID: 2})
		var keys []core.SessionKey
		for e := range events {
			keys = append(keys, e.Key)
		}
		require.Equal(t, []core.SessionKey{"k", "other"}, keys)
	})
}
