package sqldb_test

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// listen listens until the test ends; over says why it ended before.
func listen(t *testing.T, n *sqldb.Notices) (received <-chan string, over <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	on, notices, ended := make(chan struct{}), make(chan string, 1000), make(chan error, 1)
	go func() { ended <- n.Listen(ctx, func() { close(on) }, func(s string) { notices <- s }) }()
	t.Cleanup(cancel)
	select {
	case <-on:
	case err := <-ended:
		t.Fatal(err)
	}
	return notices, ended
}

// TestNotices proves that what one process sends is received by all that listen to its
// channel, whole and in order, and by no others; that what is too long is refused as a
// whole; and that the end of a connection ends the listening.
func TestNotices(t *testing.T) {
	at := address(t)
	here, there := open(t, sqldb.Options{PostgreSQL: at}), open(t, sqldb.Options{PostgreSQL: at})
	channel := "errand_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	one, _ := listen(t, here.Notices(channel))
	two, lost := listen(t, there.Notices(channel))
	other, _ := listen(t, there.Notices(channel+"x"))

	longest := strings.Repeat("ü", (sqldb.MaxNotice-1)/2) + "."
	sent := []string{"a", `"it's"; --`, longest, "b"}
	require.NoError(t, here.Notices(channel).Notify(t.Context(), sent))
	for _, received := range []<-chan string{one, two} {
		for _, want := range sent {
			require.Equal(t, want, <-received)
		}
	}
	require.Error(t, here.Notices(channel).Notify(t.Context(), []string{"c", longest + "."}))
	require.NoError(t, here.Notices(channel).Notify(t.Context(), []string{"d"}))
	require.Equal(t, "d", <-one, "c was not sent")
	require.Equal(t, "d", <-two)
	require.Empty(t, other)

	admin, err := sql.Open("pgx", at)
	require.NoError(t, err)
	defer admin.Close()
	_, err = admin.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1`, `LISTEN "`+channel+`"`)
	require.NoError(t, err)
	require.ErrorContains(t, <-lost, "test: PostgreSQL database")
}
