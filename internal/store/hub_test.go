package store

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
)

func TestHub(t *testing.T) {
	t.Run("a slow subscriber loses passing events first and is told of durable ones", func(t *testing.T) {
		h := NewHub()
		events, cancel := h.Subscribe("k")
		for range 10 * subscriberBuffer {
			h.Publish(errand.Event{Key: "k", Type: errand.EventDelta})
		}
		require.Len(t, events, subscriberBuffer/2)
		for i := range 10 * subscriberBuffer {
			h.Publish(errand.Event{Key: "k", Type: errand.EventReply, ID: int64(i + 1)})
		}
		cancel()
		cancel()
		var last errand.Event
		for e := range events {
			last = e
		}
		require.Equal(t, errand.Event{Key: "k", Type: EventLag}, last)
		h.Publish(errand.Event{Key: "k"})
		require.Empty(t, h.subs)
	})
	t.Run("a subscriber sees its own key only, from anywhere", func(t *testing.T) {
		h := NewHub()
		events, cancel := h.Subscribe("k")
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				h.Publish(errand.Event{Key: "k", ID: 1})
				h.Publish(errand.Event{Key: "other", ID: 1})
			})
		}
		wg.Wait()
		cancel()
		n := 0
		for e := range events {
			require.Equal(t, errand.SessionKey("k"), e.Key)
			n++
		}
		require.Equal(t, 10, n)
	})
	t.Run("a watcher sees what lasts, and the steps, of all keys", func(t *testing.T) {
		h := NewHub()
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
