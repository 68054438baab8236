package app

import (
	"go.temporal.io/sdk/worker"

	"errand/internal/config"
)

// A workflow that is not cached is replayed from its history; a cached one takes about 90 kB. With
// the embedded server, the cache holds as many workflows as can run at once. The SDK's default of
// 10,000 would need more memory than a worker gets in deploy.
const (
	cachedBesideServer = 256
	cachedByWorker     = 2000
)

// LimitCachedWorkflows sets how many workflows this process caches. A program calls it once, before
// its first Start: the SDK has one cache per process and creates it with the first worker.
func LimitCachedWorkflows(cfg *config.Config) {
	worker.SetStickyWorkflowCacheSize(cachedWorkflows(cfg))
}

func cachedWorkflows(cfg *config.Config) int {
	if cfg.Temporal.Address == "" {
		return cachedBesideServer
	}
	return cachedByWorker
}
