package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/limit"
	"errand/internal/store"
)

var rates = map[string]func(*testing.T, Opener){
	"a burst of tokens is taken at once, and then one each interval": func(t *testing.T, open Opener) {
		now := monday
		s := open(t, store.Options{Now: func() time.Time { return now }})
		ada, all := limit.PerMinute("ada", 3), limit.PerMinute("all", 6)
		take := func(takes ...limit.Take) time.Duration {
			t.Helper()
			asked, err := s.AwaitTokens(t.Context(), takes)
			require.NoError(t, err)
			wait, err := s.TakeTokens(t.Context(), takes)
			require.NoError(t, err)
			require.Equal(t, max(asked, 0), wait, "what would be taken is what is taken")
			return wait
		}
		one := func(b limit.Bucket) limit.Take { return limit.Take{Bucket: b, N: 1} }
		for range 3 {
			require.Zero(t, take(one(ada), one(all)))
		}
		require.Equal(t, 20*time.Second, take(one(all), one(ada)))
		require.Zero(t, take(limit.Take{Bucket: all, N: 3}), "of what was refused nothing was taken")
		require.Equal(t, 10*time.Second, take(one(all)))
		now = now.Add(10 * time.Second)
		require.Equal(t, 10*time.Second, take(one(ada)))
		require.Zero(t, take(one(all)))
		require.NoError(t, s.ReturnTokens(t.Context(), []limit.Take{one(all), one(ada)}))
		require.Zero(t, take(one(ada), one(all)), "what was given back")
		now = now.Add(time.Hour)
		for range 3 {
			require.Zero(t, take(one(ada)))
		}
		require.NotZero(t, take(one(ada)), "a bucket holds no more than its burst")
		require.NoError(t, s.ForgetRates(t.Context()))
		require.NotZero(t, take(one(ada)), "one that is not full is not forgotten")
		now = now.Add(time.Hour)
		require.NoError(t, s.ForgetRates(t.Context()))
		require.Zero(t, take(one(ada)))
	},

	"the processes of an installation let through together what one would": func(t *testing.T, open Opener) {
		now := monday
		clock := func() time.Time { return now }
		s := open(t, store.Options{Now: clock})
		counted := &countedRows{Rows: s}
		workers := []*limit.Limiter{{Now: clock, Rows: counted}, {Now: clock, Rows: counted}, {Now: clock, Rows: counted}}
		through := func(n int, buckets ...limit.Bucket) (passed int) {
			for i := range n {
				if workers[i%len(workers)].Allow(&limit.Tokens{}, buckets...) == 0 {
					passed++
				}
			}
			return passed
		}
		ada, account := limit.PerMinute("ada", 10), limit.PerMinute("account", 640)
		require.Equal(t, 10, through(40, ada))
		counted.n = 0
		require.Zero(t, through(1000, ada))
		require.Zero(t, counted.n, "whoever is known to be too fast costs the store nothing")
		now = now.Add(30 * time.Second)
		require.Equal(t, 5, through(40, ada), "half a minute later")
		now = now.Add(time.Hour)
		counted.n = 0
		require.InDelta(t, 640, through(2000, account), 0.1, "a bucket of many, all of it")
		require.Less(t, counted.n, 640/10, "which is not written for each of them")

		var taken limit.Tokens
		bob := limit.PerMinute("bob", 1)
		require.Zero(t, workers[0].Allow(&taken, bob))
		require.NotZero(t, workers[1].Wait(bob))
		workers[0].Refund(&taken)
		require.Zero(t, workers[1].Allow(&taken, bob), "what one gives back another may take")
	},
}

// countedRows count how often they are asked.
type countedRows struct {
	limit.Rows
	n int
}

func (c *countedRows) TakeTokens(ctx context.Context, takes []limit.Take) (time.Duration, error) {
	c.n++
	return c.Rows.TakeTokens(ctx, takes)
}
