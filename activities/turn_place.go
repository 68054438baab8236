package activities

import (
	"cmp"
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
	// maxWaitingTurns is how many calls of one person wait here for a place. More of them wait
	// in Temporal, because one person must not use all slots.
	maxWaitingTurns   = TurnSlots / 5
	crowdedTurnsPause = 15 * time.Second

	// toolPlacePatience is how long an attempt at a tool call waits for a place.
	toolPlacePatience = time.Hour
)

var (
	errCrowdedTurns = errors.New("many calls of this person wait for a place")
	errNoToolPlace  = errors.New("no place became free for a tool call")
)

// beginPlaced begins a step and takes a place for it if it is one of a person's turn. Only the
// step knows whose place that is. If no place is free, the step is shown as waiting, its attempt
// is taken back, and it begins again after the wait: what a long wait makes old is not used, and
// a worker that ends in it has made no call. Steps of tasks have a queue of their own. release is
// never nil.
func (a *Activities) beginPlaced(ctx context.Context, in ThinkInput) (b *store.StepInput, release func(), err error) {
	release = func() {}
	b, err = a.beginTranscribed(ctx, in)
	if err != nil || b.Done != nil || b.Empty != nil || b.Task != nil {
		return b, release, err
	}
	caller := turnCaller(b.Person, b.Role)
	if a.turns.Waiting(caller.Person) >= maxWaitingTurns {
		return nil, release, cmp.Or(a.Store.ReturnAttempt(ctx, b), errCrowdedTurns)
	}
	waited := false
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	placed, err := a.turns.Acquire(waiting, caller, func() {
		waited = true
		if err := a.Store.ReturnAttempt(context.WithoutCancel(ctx), b); err != nil {
			cancel(err)
		}
		a.step(b, "doing.waiting")
		b = nil // its transcript is not kept in memory for as long as the wait
	})
	if err != nil {
		a.cancelAbandoned(ctx) // the turn may have been stopped
		return nil, release, cmp.Or(ctx.Err(), err)
	}
	if waited {
		b, err = a.beginTranscribed(ctx, in)
	}
	return b, placed, err
}

// acquireTool waits for a place for a tool call of a person's turn. A tool with a queue of its
// own needs none: that queue limits it. As with steps, only so many calls of one person wait.
func (a *Activities) acquireTool(ctx context.Context, tool tools.Tool, call store.Call) (release func(), err error) {
	if call.Task != nil || tool.Queue != "" {
		return func() {}, nil
	}
	caller := turnCaller(call.Person, call.Origin.Role)
	if a.turns.Waiting(caller.Person) >= maxWaitingTurns {
		return nil, errCrowdedTurns
	}
	ctx, cancel := context.WithTimeoutCause(ctx, toolPlacePatience, errNoToolPlace)
	defer cancel()
	return a.turns.Acquire(ctx, caller, nil)
}

func turnCaller(person errand.PersonID, role errand.Role) limit.Caller {
	return limit.Caller{Person: string(person), Guest: role == errand.Guest}
}
