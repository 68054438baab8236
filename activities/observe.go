package activities

import (
	"strings"
	"time"

	"errand/internal/store"
)

// observeStep skips a step that already had an outcome, because an earlier attempt counted it.
func (t *Thinker) observeStep(began time.Time, input *store.StepInput, out store.StepResult, err error) {
	if input == nil || input.Done != nil || input.Empty != nil {
		return
	}
	outcome := "calls"
	switch {
	case err != nil:
		outcome = "again" // or canceled: Temporal decides
	case out.Failed:
		outcome = "failed"
	case out.Final:
		outcome = "answered"
	}
	t.metrics.Steps.Observe(time.Since(began), string(input.Cause), outcome)
	if err == nil && out.Final {
		t.metrics.Turns.Observe(time.Since(input.Began), string(input.Cause), outcome)
	}
}

func (r *ToolRunner) observeTool(name string, began time.Time, result string, err error) {
	outcome := "ok"
	switch {
	case err != nil:
		outcome = "failed"
	case strings.HasPrefix(result, "error: "):
		outcome = "error"
	}
	r.timing.Observe(time.Since(began), name, outcome)
}
