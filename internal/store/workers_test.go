package store_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
	"errand/internal/test/storetest"
)

// While a worker is alive, no worker of another Temporal enters, not even to take
// over; two embedded ones are two, though their addresses are the same. When it is
// gone, the next may.
func TestTwoTemporalsOnOneStore(t *testing.T) {
	address := os.Getenv("ERRAND_TEST_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set")
	}
	database := storetest.Schema(t, address)
	open := func() *store.Store {
		s, err := store.Open(t.Context(), store.Options{PostgreSQL: database})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	one, two := open(), open()
	first := store.Place{Claim: "1", Address: "127.0.0.1:7233", Namespace: "default", Embedded: true}
	second := first
	second.Claim = "2"
	a := store.Worker{ID: "a", Home: "a", TTL: time.Hour}
	b := store.Worker{ID: "b", Home: "b", TTL: time.Hour}

	_, err := one.RegisterWorker(t.Context(), a, first, false)
	require.NoError(t, err)
	for _, takeOver := range []bool{false, true} {
		_, err = two.RegisterWorker(t.Context(), b, second, takeOver)
		var taken *store.PlaceInUseError
		require.ErrorAs(t, err, &taken)
		require.Equal(t, "a", taken.Worker)
		require.Equal(t, first, taken.Place)
	}
	alive, err := two.Workers(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"a": true}, alive)

	a.TTL = -time.Second // it renews no more
	_, err = one.RenewWorker(t.Context(), a, first)
	require.NoError(t, err)
	from, err := two.RegisterWorker(t.Context(), b, second, false)
	require.NoError(t, err)
	require.Equal(t, first, from)
	_, err = one.RenewWorker(t.Context(), a, first)
	require.ErrorIs(t, err, store.ErrPlaceLost, "it hears of it when it comes back")

	// A cluster with a new database: its workers come one by one, all alive.
	cluster := store.Place{Claim: "3", Address: "temporal:7233", Namespace: "errand"}
	require.NoError(t, two.DeregisterWorker(t.Context(), "b"))
	a.TTL = time.Hour
	_, err = one.RegisterWorker(t.Context(), a, cluster, true)
	require.NoError(t, err)
	fresh := cluster
	fresh.Claim = "4"
	_, err = two.RegisterWorker(t.Context(), b, fresh, false)
	require.NoError(t, err)
	_, err = one.RegisterWorker(t.Context(), a, fresh, false)
	require.NoError(t, err)
}
