package cli

import (
	"testing"

	"errand/internal/test/clitest"
)

// newFake plays a worker for the commands of this package.
func newFake(t *testing.T) *clitest.FakeWorker { return clitest.NewFakeWorker(t, Run) }

// alone runs a command without a worker.
func alone(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return clitest.Alone(t, Run, "", args...)
}
