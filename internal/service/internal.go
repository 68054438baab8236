package service

import (
	"errand/internal/core"
	"errand/internal/limit"
)

// Internal does the work that errand starts by itself. It has no actor and checks no rights.
type Internal struct {
	*Deps
	tasks     *Tasks
	questions *Questions
	limiter   *limit.Limiter
	polls     *limit.Semaphore[core.AgentName] // limits polls of each peer
}
