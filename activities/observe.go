package activities

import (
	"errors"
	"strings"
	"time"

	"errand/internal/store"
	"errand/notifiers"
)

// observeStep counts a step that is over, and the turn that ended with it. One that
// had its outcome already was counted by the attempt before.
func (a *Activities) observeStep(began time.Time, input *store.StepInput, out store.StepResult, err error) {
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
	a.Metrics.Steps.Observe(time.Since(began), string(input.Cause), outcome)
	if err == nil && out.Final {
		a.Metrics.Turns.Observe(time.Since(input.Began), string(input.Cause), outcome)
	}
}

// observeTool counts a run of a tool. What the model is told is an error of its own.
func (a *Activities) observeTool(name string, began time.Time, result string, err error) {
	outcome := "ok"
	switch {
	case err != nil:
		outcome = "failed"
	case strings.HasPrefix(result, "error: "):
		outcome = "error"
	}
	a.Metrics.ToolCalls.Observe(time.Since(began), name, outcome)
}

func (a *Activities) observeDelivery(channel string, began time.Time, err error) {
	outcome := "sent"
	var send *notifiers.SendError
	switch {
	case err == nil:
	case !errors.As(err, &send) || send.Outcome == notifiers.Unknown:
		outcome = "unknown"
	case send.Outcome == notifiers.Refused:
		outcome = "refused"
	default:
		outcome = "not_sent"
	}
	a.Metrics.Deliveries.Observe(time.Since(began), channel, outcome)
}
