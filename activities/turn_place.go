package activities

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/limit"
	"errand/internal/store"
	"errand/internal/tools"
)

const (
	// TurnSlots is how many steps and tool calls of people's turns a worker takes from
	// Temporal at least. Most of them wait for one of the worker's places.
	TurnSlots = 1000
	// maxWaitingSteps is how many steps of one person wait here for a place. More of them wait
	// in Temporal, because one person must not use all slots.
	maxWaitingSteps  = TurnSlots / 5
	crowdedStepPause = 5 * time.Second

	// toolPlacePatience is how long an attempt at a tool call waits for a place.
	toolPlacePatience = time.Hour
)

var (
	errCrowdedTurns = errors.New("many steps of this person wait for a place")
	errNoToolPlace  = errors.New("no place became free for a tool call")
)

// acquireStep waits for a place for a step of a person's turn. A step that waits is shown as
// waiting. Steps of tasks have a queue of their own.
func (a *Activities) acquireStep(ctx context.Context, b *store.StepInput) (release func(), err error) {
	if b.Task != nil {
		return func() {}, nil
	}
	if a.turns.Waiting(string(b.Person)) >= maxWaitingSteps {
		return nil, errCrowdedTurns
	}
	return a.turns.Acquire(ctx, turnCaller(b.Person, b.Role), func() { a.step(b, "doing.waiting") })
}

// stepNotPlaced ends an attempt at a step that had no place. It cost nothing.
func (a *Activities) stepNotPlaced(ctx context.Context, in ThinkInput, b *store.StepInput, err error) (store.StepResult, error) {
	if !errors.Is(err, errCrowdedTurns) {
		return a.unanswered(ctx, in, b, nil, err) // ctx has ended
	}
	if err := a.Store.CountAttempt(ctx, store.FailedAttempt{Step: b}); err != nil {
		return store.StepResult{}, failed(err)
	}
	return store.StepResult{}, again(err, crowdedStepPause)
}

// acquireTool waits for a place for a tool call of a person's turn. A tool with a queue of its
// own needs none: that queue limits it.
func (a *Activities) acquireTool(ctx context.Context, tool tools.Tool, call store.Call) (release func(), err error) {
	if call.Task != nil || tool.Queue != "" {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, toolPlacePatience, errNoToolPlace)
	defer cancel()
	return a.turns.Acquire(ctx, turnCaller(call.Person, call.Origin.Role), nil)
}

func turnCaller(person errand.PersonID, role errand.Role) limit.Caller {
	return limit.Caller{Person: string(person), Guest: role == errand.Guest}
}
