package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/tools"
)

const toolAttempts = 3

// abandonAfter is how long errand waits for a canceled tool before it leaves the tool's goroutine
// behind.
const abandonAfter = 5 * time.Second

// ToolAttemptTime returns the limit of one attempt at a call: the wait for a place, the tool's own
// timeout (0: the default), and the time to store the result while the store fails.
func ToolAttemptTime(timeout time.Duration) time.Duration {
	return toolPlacePatience + cmp.Or(timeout, tools.DefaultTimeout) + store.KeepOutcome + time.Minute
}

var (
	errInterrupted = errors.New("errand was interrupted while this ran")
	errToolTime    = errors.New("its time is over")
	errToolBroken  = errors.New("it broke down, which is a fault of the tool: errand's log has the place")
)

type overrunError struct{ limit time.Duration }

func (e *overrunError) Error() string { return fmt.Sprintf("it did not end within %v", e.limit) }

// The message of a toolError has no words from outside, because it goes into Temporal's history.
type toolError struct {
	tool string
	err  error
}

func (e *toolError) Error() string { return "tool " + e.tool + " could not be run" }
func (e *toolError) Unwrap() error { return e.err }

// runTool runs a tool within its timeout. It protects the worker from a tool that panics or never
// returns. The probe's point InTool is at the very beginning of the call.
func (r *ToolRunner) runTool(ctx context.Context, tool tools.Tool, call store.Call) (string, error) {
	limit, nonce := cmp.Or(tool.Timeout, tools.DefaultTimeout), call.Nonce
	if nonce != "" {
		call.Nonce = core.NewNonce() // texts that the tool reads outside may contain the old nonce
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errToolTime)
	defer cancel()
	type outcome struct {
		result string
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		end := outcome{err: errToolBroken} // stays if the tool panics
		defer func() {
			if p := recover(); p != nil {
				r.logger.Error("tool panicked", "tool", tool.Name, "agent", call.Agent, "session", call.Session, "stack", string(debug.Stack()))
				r.logger.Debug("panic", "tool", tool.Name, "panic", fmt.Sprint(p))
			}
			done <- end
		}()
		r.probe.At(probe.InTool)
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
			r.logger.Warn("tool does not end; errand left it running", "tool", tool.Name, "agent", call.Agent, "session", call.Session)
			end.err = context.Cause(ctx)
		}
	}
	if end.err != nil && errors.Is(context.Cause(ctx), errToolTime) {
		return "", &overrunError{limit}
	}
	return prompt.Reseal(nonce, end.result, call.Nonce), end.err
}

func (r *ToolRunner) toolFailed(ctx context.Context, key core.CallKey, tool tools.Tool, start store.ToolStart, err error) error {
	r.logger.Debug("cannot run a tool", "tool", tool.Name, "error", err)
	final := errors.As(err, new(*overrunError)) || errors.Is(err, errToolBroken)
	switch {
	case tool.Effect == tools.Once && ctx.Err() != nil:
		return r.commitTool(ctx, key, prompt.OutcomeUnknown(errInterrupted, true))
	case tool.Effect == tools.Once:
		return r.commitTool(ctx, key, prompt.OutcomeUnknown(err, true))
	case ctx.Err() != nil: // the turn was stopped or the worker ends; in the second case another worker runs the call again
		return r.giveBack(ctx, key, ctx.Err())
	case !final && start.Number < toolAttempts:
		return r.giveBack(ctx, key, &toolError{tool.Name, err})
	}
	return r.finishTool(ctx, key, tool, "error: "+err.Error())
}

func (r *ToolRunner) giveBack(ctx context.Context, key core.CallKey, why error) error {
	if err := r.store.ReturnTool(context.WithoutCancel(ctx), key); err != nil {
		r.logger.Warn("tool call not released; it counts as one that stopped errand", "error", err)
	}
	return failed(why)
}
