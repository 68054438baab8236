package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/tools"
)

// toolAttempts is how often a tool is run that could not be and may be run again.
const toolAttempts = 3

// abandonAfter is how long a tool has to end once its time is over, or the turn has
// been stopped. One that does not is left to itself.
const abandonAfter = 5 * time.Second

// ToolAttemptTime returns how long one attempt at a call may take: the time for which it waits
// for a place, the tool's own time (0: the default), and the time for which its result is kept
// while the store is away.
func ToolAttemptTime(timeout time.Duration) time.Duration {
	return toolPlacePatience + cmp.Or(timeout, tools.DefaultTimeout) + store.KeepOutcome + time.Minute
}

var (
	errInterrupted = errors.New("errand was interrupted while this ran")
	errToolTime    = errors.New("its time is over")
	errToolBroken  = errors.New("it broke down, which is a fault of the tool: errand's log has the place")
)

// An overrunError is that a tool did not end in its time.
type overrunError struct{ limit time.Duration }

func (e *overrunError) Error() string { return fmt.Sprintf("it did not end within %v", e.limit) }

// A toolError is that a tool could not be run. Its message carries nobody's words: it
// goes into Temporal's history.
type toolError struct {
	tool string
	err  error
}

func (e *toolError) Error() string { return "tool " + e.tool + " could not be run" }
func (e *toolError) Unwrap() error { return e.err }

// runTool runs a tool for as long as it may take. Neither a panic of its nor that it
// never returns reaches the worker. InTool of the probe is at its very beginning.
func (a *Activities) runTool(ctx context.Context, tool tools.Tool, call store.Call) (string, error) {
	limit, nonce := cmp.Or(tool.Timeout, tools.DefaultTimeout), call.Nonce
	if nonce != "" {
		call.Nonce = errand.NewNonce() // what the tool finds outside may have the other
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errToolTime)
	defer cancel()
	type outcome struct {
		result string
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		end := outcome{err: errToolBroken} // unless it returns
		defer func() {
			if p := recover(); p != nil {
				a.Logger.Error("a tool broke down", "tool", tool.Name, "agent", call.Agent, "session", call.Session, "stack", string(debug.Stack()))
				a.Logger.Debug("what it broke down with", "tool", tool.Name, "panic", fmt.Sprint(p))
			}
			done <- end
		}()
		a.Probe.At(probe.InTool)
		result, err := tool.Run(ctx, call, json.RawMessage(call.Call.Arguments))
		end = outcome{result, err}
	}()
	var end outcome
	select {
	case end = <-done:
	case <-ctx.Done():
		select {
		case end = <-done:
		case <-time.After(abandonAfter):
			a.Logger.Warn("a tool does not end and was left to itself", "tool", tool.Name, "agent", call.Agent, "session", call.Session)
			end.err = context.Cause(ctx)
		}
	}
	if end.err != nil && errors.Is(context.Cause(ctx), errToolTime) {
		return "", &overrunError{limit}
	}
	return nonce.Reseal(end.result, call.Nonce), end.err
}

// toolFailed decides what becomes of a call whose tool could not be run, or not to its
// end.
func (a *Activities) toolFailed(ctx context.Context, key errand.CallKey, tool tools.Tool, start store.ToolStart, err error) error {
	a.Logger.Debug("a tool could not be run", "tool", tool.Name, "error", err)
	final := errors.As(err, new(*overrunError)) || errors.Is(err, errToolBroken)
	switch {
	case tool.Effect == tools.Once && ctx.Err() != nil:
		return a.commitTool(ctx, key, unknown(errInterrupted, tools.Once))
	case tool.Effect == tools.Once:
		return a.commitTool(ctx, key, unknown(err, tools.Once))
	case ctx.Err() != nil: // the turn was stopped; where the worker ends, another runs it again
		return a.giveBack(ctx, key, ctx.Err())
	case !final && start.Number < toolAttempts:
		return a.giveBack(ctx, key, &toolError{tool.Name, err})
	}
	return a.finishTool(ctx, key, tool, "error: "+err.Error())
}

// giveBack ends an attempt whose worker goes on, or ends gracefully: it does not count as
// one that ended errand.
func (a *Activities) giveBack(ctx context.Context, key errand.CallKey, why error) error {
	if err := a.Store.ReturnTool(context.WithoutCancel(ctx), key); err != nil {
		a.Logger.Warn("a tool call is not given back: it counts as one that ended errand", "error", err)
	}
	return failed(why)
}

// unknown returns the text for the model if the outcome of a call is unknown and errand does
// not start it again.
func unknown(cause error, effect tools.Effect) string {
	why := "it is not started again"
	if effect == tools.Once {
		why = "it must not run twice"
	}
	return fmt.Sprintf("error: outcome unknown: %v, and %s. Check whether it had its effect before you try again.", cause, why)
}
