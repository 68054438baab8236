package cli

import (
	"testing"

	"errand/internal/cli/clitest"
)

// newFake plays a worker for the commands of this package.
func newFake(t *testing.T) *clitest.FakeWorker { return clitest.NewFakeWorker(t, Run) }
