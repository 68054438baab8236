//go:build !nodevserver

package devserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
)

// TestNoVersionCheck proves that the server does not report itself to version-info.temporal.io.
func TestNoVersionCheck(t *testing.T) {
	t.Setenv("TEMPORAL_VERSION_CHECK_DISABLED", "")
	settings := dynamicconfig.NewCollection(tuning(Options{}), log.NewNoopLogger())
	require.False(t, dynamicconfig.EnableServerVersionCheck.Get(settings)())
}
