package app

import (
	"go.temporal.io/sdk/worker"

	"errand/internal/config"
)

// How many workflows a process keeps loaded, the longest unused ones going first. One
// that is not loaded is replayed from its history when it goes on; one that is takes
// some 90 kB, of which 26 are the stacks of a session's goroutines. The embedded server
// is in the same process, and a machine that has one has few people: as many are loaded
// as can be at work at once, the turns and tasks of all slots with their delegations.
// The SDK's own 10,000 would need more memory than a worker is given in deploy.
const (
	cachedBesideServer = 256
	cachedByWorker     = 2000
)

// LimitCachedWorkflows sets how many workflows the workers of this process keep loaded.
// It is for a program to call, once, before its first Start: the SDK has one cache for the
// whole process, and makes it with the first worker of anybody.
func LimitCachedWorkflows(cfg *config.Config) {
	worker.SetStickyWorkflowCacheSize(cachedWorkflows(cfg))
}

func cachedWorkflows(cfg *config.Config) int {
	if cfg.Temporal.Address == "" {
		return cachedBesideServer
	}
	return cachedByWorker
}
