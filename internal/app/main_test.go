package app_test

import (
	"flag"
	"os"
	"testing"

	"go.temporal.io/sdk/worker"
)

// record makes TestRecord write the histories that workflows/replay_test.go
// replays for ever.
var record = flag.Bool("record", false, "write histories to workflows/testdata/replay")

// atOnce is how many tests run beside each other, unless -parallel says otherwise:
// they wait more than they compute.
const atOnce = "4"

// TestMain turns the workflow cache off where ERRAND_TEST_NOCACHE is set: every
// workflow task then replays its history, and whatever is not deterministic
// shows.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err) // it is a flag of every test, and a number
	}
	flag.Parse()
	if os.Getenv("ERRAND_TEST_NOCACHE") != "" {
		worker.SetStickyWorkflowCacheSize(0)
	}
	os.Exit(m.Run())
}
