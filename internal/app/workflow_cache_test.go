package app

import (
	"testing"

	"errand/internal/config"
)

// TestCachedWorkflows proves that beside the embedded server all that can be at work at
// once stay loaded, by the default slots: a session for each turn; a session, a delegation
// and a sub-agent for each task, of which the session is the same for some. The numbers
// are what docs/benchmarks.md and docs/workers.md have measured.
func TestCachedWorkflows(t *testing.T) {
	cfg, err := config.Load(config.Sources{Env: func(string) string { return "" }, Tools: ToolNames(), Flags: config.Flags{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := cachedWorkflows(cfg); got != 256 || got < cfg.Slots.Turns+3*cfg.Slots.Tasks {
		t.Errorf("%d are loaded beside the server, with %d turns and %d tasks at once", got, cfg.Slots.Turns, cfg.Slots.Tasks)
	}
	cfg.Temporal.Address = "temporal:7233"
	if got := cachedWorkflows(cfg); got != 2000 {
		t.Errorf("a worker of a cluster has %d", got)
	}
}
