package sqldb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// TestClockOfPostgreSQL proves that a process whose clock is wrong goes by PostgreSQL's
// from when it has read that for the first time.
func TestClockOfPostgreSQL(t *testing.T) {
	at := address(t)
	for _, wrong := range []time.Duration{2 * time.Minute, -2 * time.Minute} {
		d := open(t, sqldb.Options{PostgreSQL: at, Local: func() time.Time { return time.Now().Add(wrong) }})
		_, err := d.ServerTime(d.Read(t.Context()))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), d.Now(), 30*time.Second)
		require.NoError(t, d.Write(t.Context(), "", func(tx *sqldb.Tx) error {
			require.WithinDuration(t, time.Now(), tx.Began, 30*time.Second)
			return nil
		}))
	}
}
