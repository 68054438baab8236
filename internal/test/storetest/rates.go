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
	"so many are counted in a minute, and in the next one again": func(t *testing.T, open Opener) {
		now := monday
		s := open(t, store.Options{Now: func() time.Time { return now }})
		ada, all := limit.PerMinute("ada", 3), limit.PerMinute("all", 4)
		count := func(buckets ...limit.Bucket) (string, time.Duration) {
			t.Helper()
			asked, err := s.RateWait(t.Context(), buckets)
			require.NoError(t, err)
			full, wait, err := s.CountRates(t.Context(), buckets)
			require.NoError(t, err)
			require.Equal(t, asked, wait)
			return full, wait
		}
		passes := func(buckets ...limit.Bucket) {
			t.Helper()
			_, wait := count(buckets...)
			require.Zero(t, wait)
		}
		passes(ada, all)
		now = now.Add(20 * time.Second)
		passes(ada, all)
		passes(ada, all)
		full, wait := count(all, ada)
		require.Equal(t, "ada", full)
		require.Equal(t, 40*time.Second, wait)
		passes(all)
		full, wait = count(all)
		require.Equal(t, "all", full, "what was refused counts nowhere")
		require.Equal(t, 40*time.Second, wait)
		require.NoError(t, s.ForgetRates(t.Context()))
		_, wait = count(ada)
		require.NotZero(t, wait, "a counter whose minute goes on is not forgotten")
		now = now.Add(40 * time.Second)
		for range 3 {
			passes(ada)
		}
		_, wait = count(ada)
		require.Equal(t, time.Minute, wait)
		now = now.Add(time.Hour)
		require.NoError(t, s.ForgetRates(t.Context()))
		passes(ada, all)
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
		require.Less(t, counted.n, 30, "a caller who is known to be too fast costs the store nothing")
		now = now.Add(time.Hour)
		require.Equal(t, 640, through(2000, account))
	},
}

// countedRows count how often they are asked.
type countedRows struct {
	limit.Rows
	n int
}

func (c *countedRows) CountRates(ctx context.Context, buckets []limit.Bucket) (string, time.Duration, error) {
	c.n++
	return c.Rows.CountRates(ctx, buckets)
}
