package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
)

var (
	cluster  = store.Place{Claim: "c1", Address: "temporal:7233", Namespace: "errand"}
	embedded = store.Place{Claim: "e1", Address: "127.0.0.1:7233", Namespace: "default", Embedded: true}
)

func worker(id string) store.Worker {
	return store.Worker{ID: id, Home: "home of " + id, TTL: 30 * time.Second}
}

// workers is the part of the suite about who works on a store, by which Temporal.
var workers = map[string]func(*testing.T, Opener){
	"workers of one place are as many as they like": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		from, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		require.Zero(t, from)
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, false)
		require.NoError(t, err)
		require.NoError(t, s.RenewWorker(t.Context(), worker("a"), cluster))
		alive, err := s.Workers(t.Context())
		require.NoError(t, err)
		require.True(t, alive["a"] && alive["b"], "%v", alive)
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		alive, err = s.Workers(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"b": true}, alive)
	},

	"who had the data folder before is gone": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		before, now := worker("before"), worker("now")
		now.Home = before.Home
		_, err := s.RegisterWorker(t.Context(), before, embedded, false)
		require.NoError(t, err)
		_, err = s.RegisterWorker(t.Context(), now, embedded, false)
		require.NoError(t, err)
		alive, err := s.Workers(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"now": true}, alive)
	},

	"a place whose database was lost goes on": func(t *testing.T, open Opener) {
		for _, old := range []store.Place{cluster, embedded} {
			s := open(t, store.Options{})
			fresh := old
			fresh.Claim = "fresh"
			_, err := s.RegisterWorker(t.Context(), worker("a"), old, false)
			require.NoError(t, err)
			require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
			from, err := s.RegisterWorker(t.Context(), worker("a2"), fresh, false)
			require.NoError(t, err)
			require.Equal(t, old, from, "it is said")
			require.ErrorIs(t, s.RenewWorker(t.Context(), worker("a"), old), store.ErrPlaceLost)
		}
	},

	"another place is entered only to take over": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		_, err := s.RegisterWorker(t.Context(), worker("a"), embedded, false)
		require.NoError(t, err)
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, false)
		var moved *store.PlaceMovedError
		require.ErrorAs(t, err, &moved)
		require.Equal(t, embedded, moved.Place)
		require.NoError(t, s.RenewWorker(t.Context(), worker("a"), embedded), "nothing has changed")
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, true)
		require.NoError(t, err)
		_, err = s.RegisterWorker(t.Context(), worker("b2"), cluster, false)
		require.NoError(t, err)
	},
}
