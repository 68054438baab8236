package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var main = core.Account{Channel: "telegram", Name: "main"}

var connections = map[string]func(*testing.T, Opener){
	"one at a time holds a connection, for as long as it says so": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		lease := func(owner string) bool {
			t.Helper()
			lasts, err := s.Lease(t.Context(), main, owner, 10*time.Second)
			require.NoError(t, err)
			return lasts > 0
		}
		require.True(t, lease("a"))
		require.False(t, lease("b"))
		now = now.Add(9 * time.Second)
		require.True(t, lease("a"), "it renews")
		now = now.Add(9 * time.Second)
		require.False(t, lease("b"), "it was renewed")
		now = now.Add(time.Second)
		require.True(t, lease("b"), "the time of the other is over")
		require.False(t, lease("a"))
		require.NoError(t, s.ReleaseLease(t.Context(), main, "a"), "which is not a's to give back")
		require.False(t, lease("a"))
		require.NoError(t, s.ReleaseLease(t.Context(), main, "b"))
		require.True(t, lease("a"))
		other := core.Account{Channel: "telegram", Name: "other"}
		lasts, err := s.Lease(t.Context(), other, "b", time.Second)
		require.NoError(t, err)
		require.NotZero(t, lasts, "another account is another connection")
	},

	"of many that want a connection at once one gets it": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		got := make(chan string, 16)
		var wg sync.WaitGroup
		for i := range cap(got) {
			wg.Go(func() {
				owner := fmt.Sprint("owner", i)
				if lasts, err := s.Lease(t.Context(), main, owner, time.Minute); err != nil {
					t.Error(err)
				} else if lasts > 0 {
					got <- owner
				}
			})
		}
		wg.Wait()
		require.Len(t, got, 1)
		c, found, err := s.Connection(t.Context(), main)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, <-got, c.Owner)
	},

	"what is said of a connection is its owner's word, while it holds it": func(t *testing.T, open Opener) {
		now := time.Now().UTC().Truncate(time.Microsecond)
		s := open(t, store.Options{Now: func() time.Time { return now }})
		_, found, err := s.Connection(t.Context(), main)
		require.NoError(t, err)
		require.False(t, found)
		note := store.ConnectionNote{State: core.LoggedOut, Detail: "no token", Advice: "set one", Link: "2@secret", Since: now}
		says := func(owner string) bool {
			t.Helper()
			kept, err := s.NoteConnection(t.Context(), main, owner, note)
			require.NoError(t, err)
			return kept
		}
		is := func() store.Connection {
			t.Helper()
			list, err := s.Connections(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 1)
			return list[0]
		}
		require.False(t, says("a"))
		_, err = s.Lease(t.Context(), main, "a", 10*time.Second)
		require.NoError(t, err)
		require.Equal(t, store.Connection{Account: main, Owner: "a", ConnectionNote: store.ConnectionNote{State: core.Connecting, Since: now}}, is())
		require.True(t, says("a"))
		require.False(t, says("b"))
		require.Equal(t, store.Connection{Account: main, Owner: "a", ConnectionNote: note}, is())
		_, err = s.Lease(t.Context(), main, "a", 10*time.Second)
		require.NoError(t, err)
		require.Equal(t, note, is().ConnectionNote, "renewing changes nothing of it")

		now = now.Add(10 * time.Second)
		gone := store.Connection{Account: main, ConnectionNote: store.ConnectionNote{State: core.Connecting, Since: now}}
		require.Equal(t, gone, is(), "nobody knows how it is")
		require.False(t, says("a"))
		_, err = s.Lease(t.Context(), main, "b", 10*time.Second)
		require.NoError(t, err)
		require.Equal(t, store.ConnectionNote{State: core.Connecting, Since: now}, is().ConnectionNote, "the other's word is not b's")
		require.NoError(t, s.ReleaseLease(t.Context(), main, "b"))
		require.Equal(t, gone, is())
	},

	"an account is forgotten when nobody has held its connection for long": func(t *testing.T, open Opener) {
		now := time.Now().UTC().Truncate(time.Microsecond)
		s := open(t, store.Options{Now: func() time.Time { return now }})
		lease := func() {
			t.Helper()
			lasts, err := s.Lease(t.Context(), main, "a", 10*time.Second)
			require.NoError(t, err)
			require.NotZero(t, lasts)
		}
		is := func(want bool, why string) {
			t.Helper()
			_, found, err := s.Connection(t.Context(), main)
			require.NoError(t, err)
			require.Equal(t, want, found, why)
			bots, err := s.Bots(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, bots[main] == "42", why)
		}
		stays := func(why string) {
			t.Helper()
			forgotten, err := s.ForgetConnection(t.Context(), main, time.Minute)
			require.NoError(t, err)
			require.False(t, forgotten, why)
			is(true, why)
		}
		goes := func(why string) {
			t.Helper()
			forgotten, err := s.ForgetConnection(t.Context(), main, time.Minute)
			require.NoError(t, err)
			require.True(t, forgotten, why)
			is(false, why)
		}
		require.NoError(t, s.NoteBot(t.Context(), main, "42"))
		lease()
		handles := func() map[string]core.Account {
			known, err := s.Handles(t.Context(), main.Channel)
			require.NoError(t, err)
			return known
		}
		for _, list := range [][]string{{"Errand_Bot", "42"}, nil} { // that it connects again says nothing new
			_, err := s.NoteConnection(t.Context(), main, "a", store.ConnectionNote{State: core.Connected, Handles: list})
			require.NoError(t, err)
			require.Equal(t, map[string]core.Account{"errand_bot": main, "42": main}, handles())
		}
		for range 20 {
			now = now.Add(9 * time.Second)
			lease()
		}
		stays("it is held")
		now = now.Add(69 * time.Second)
		stays("its time was over less than a minute ago")
		now = now.Add(time.Second)
		goes("its time was over a minute ago")
		require.Empty(t, handles())

		require.NoError(t, s.NoteBot(t.Context(), main, "42"))
		lease()
		require.NoError(t, s.ReleaseLease(t.Context(), main, "a"))
		now = now.Add(59 * time.Second)
		stays("it was given back less than a minute ago")
		now = now.Add(time.Second)
		goes("it was given back a minute ago")
	},
}
