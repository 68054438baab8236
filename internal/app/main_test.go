package app_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"

	"errand/internal/cli"
	"errand/internal/test/paralleltest"
	"errand/internal/test/sim/coding"
	simmcp "errand/internal/test/sim/mcp"
)

var record = flag.Bool("record", false, "write histories to workflows/testdata/replay")

// TestMain turns the workflow cache off where ERRAND_TEST_NOCACHE is set: every
// workflow task then replays its history, and whatever is not deterministic
// shows.
func TestMain(m *testing.M) {
	if simmcp.Main() || coding.Main() { // the program that a test starts
		return
	}
	if name, plays, _ := strings.Cut(playsErrand, "="); os.Getenv(name) == plays {
		os.Exit(cli.Main(os.Args[1:]))
	}
	paralleltest.Set(4)
	if os.Getenv("ERRAND_TEST_NOCACHE") != "" {
		worker.SetStickyWorkflowCacheSize(0)
	}
	os.Exit(m.Run())
}
