package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/tools"
)

// holdPlace leaves the worker of k one place, which another person has until release.
func (k *thinker) holdPlace() (release func()) {
	k.t.Helper()
	k.change(func(d *Deps) { d.Turns = 1 })
	release, err := k.Thinker.places.Acquire(k.t.Context(), limit.Caller{Person: "bob"}, nil)
	require.NoError(k.t, err)
	return release
}

// waitingStep begins the first step, and returns when it is shown as waiting. end waits for its outcome.
func (k *thinker) waitingStep(ctx context.Context) (end func() (store.StepResult, error)) {
	k.t.Helper()
	events, stop := k.Store.Bus().Subscribe(k.key)
	defer stop()
	var out store.StepResult
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = k.Think(ctx, k.step(1, 1))
	}()
	for e := range events {
		if e.Type == core.EventStep && e.Text == "waiting: errand is busy" {
			break
		}
	}
	return func() (store.StepResult, error) { <-done; return out, err }
}

// TestWaitingStepMakesNoCall proves that nothing is booked for a step whose worker ends while
// it waits for a place, and that a step which has an outcome after its wait calls no model.
func TestWaitingStepMakesNoCall(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	release := k.holdPlace()
	end := k.waitingStep(t.Context())
	other := thinker{t, k.Deps, nil, k.model, k.key, k.id}
	other.change(func(*Deps) {})
	out, _ := other.untilOver(k.step(1, 1), func(int) llmtest.Reply { return llmtest.Text("hi") })
	release()
	same, err := end()
	require.NoError(t, err)
	require.Equal(t, out.Outbox, same.Outbox)
	require.Len(t, k.model.Requests(), 1)
	spent, err := k.Store.Spent(t.Context(), store.SpentBy{Session: k.id})
	require.NoError(t, err)
	require.Equal(t, 1, spent.Calls)
}

// TestWaitingStepReadsAfterItsWait proves that the prompt of a step has what was written while
// it waited for a place.
func TestWaitingStepReadsAfterItsWait(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	release := k.holdPlace()
	end := k.waitingStep(t.Context())
	k.accept("one thing more")
	k.model.Then(llmtest.Text("hi"))
	release()
	_, err := end()
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(k.model.Requests()[0].Messages), "one thing more")
}

// TestCanceledWait proves that a turn which is stopped ends its wait, and that the wait was no
// attempt at the model.
func TestCanceledWait(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	k.holdPlace()
	ctx, cancel := context.WithCancel(t.Context())
	end := k.waitingStep(ctx)
	cancel()
	_, err := end()
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, k.Thinker.places.Waiting("ada"))
	b, err := k.begin(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	require.Equal(t, store.Attempts{Number: 1}, b.Attempts)
}

// crowd has as many calls of ada wait for a place as may.
func (k *thinker) crowd() {
	k.t.Helper()
	k.holdPlace()
	waits := make(chan struct{})
	for range maxWaitingTurns {
		go k.Thinker.places.Acquire(k.t.Context(), limit.Caller{Person: "ada"}, func() { waits <- struct{}{} })
	}
	for range maxWaitingTurns {
		<-waits
	}
}

func requireCrowded(t *testing.T, err error) {
	t.Helper()
	var failure *temporal.ApplicationError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, errCrowdedTurns.Error(), failure.Message())
	require.Equal(t, crowdedTurnsPause, failure.NextRetryDelay())
}

// TestCrowdedSteps proves that a step of a person for whom many calls wait leaves its slot,
// and that this is no attempt at the model.
func TestCrowdedSteps(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	k.accept("hello")
	k.crowd()
	for range badAnswers {
		_, err := k.Think(t.Context(), k.step(1, 1))
		requireCrowded(t, err)
	}
	b, err := k.begin(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	require.Equal(t, store.Attempts{Number: 1}, b.Attempts)
}

// TestCrowdedTools proves that a tool call of a person for whom many calls wait leaves its
// slot, and has not begun.
func TestCrowdedTools(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	k.plans(tools.Tool{Effect: tools.Once, Run: func(context.Context, store.Call, json.RawMessage) (string, error) { return "done", nil }})
	k.crowd()
	requireCrowded(t, k.call())
	k.change(func(d *Deps) { d.Turns = 64 })
	require.NoError(t, k.call())
	require.Equal(t, "done", k.result())
}

// TestToolFailures proves that a tool which cannot be run is given up after its third run,
// whatever Temporal counts as attempts.
func TestToolFailures(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	k.plans(tools.Tool{Effect: tools.ReadOnly, Run: func(context.Context, store.Call, json.RawMessage) (string, error) {
		return "", errors.New("connection reset")
	}})
	for range toolAttempts - 1 {
		require.ErrorContains(t, k.call(), "tool try could not be run")
	}
	require.NoError(t, k.call())
	require.Equal(t, "error: connection reset", k.result())
}
