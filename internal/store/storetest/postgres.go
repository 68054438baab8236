package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// Schema makes an empty schema in the PostgreSQL database at address and returns
// the address with which it is the whole database. It goes with the test.
func Schema(t testing.TB, address string) string {
	t.Helper()
	whole, drop, err := sqldb.MakeSchema(t.Context(), address, "errand")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, drop(context.WithoutCancel(t.Context()))) })
	return whole
}
