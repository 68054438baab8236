package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/tools"
)

const (
	// TurnSlots is the minimum number of steps and tool calls of people's turns that a worker takes
	// from Temporal. Most of them wait for one of the worker's places.
	TurnSlots = 1000
	// maxWaitingTurns is how many calls of one person wait here for a place. The others wait in
	// Temporal, because one person must not use all slots.
	maxWaitingTurns   = TurnSlots / 5
	crowdedTurnsPause = 15 * time.Second

	toolPlacePatience = time.Hour
)

var (
	errCrowdedTurns = errors.New("many calls of this person wait for a place")
	errNoToolPlace  = errors.New("no place became free for a tool call")
)

// beginPlaced begins a step and acquires a place if the step belongs to a person's turn. Only a
// step that has begun knows its person. If no place is free, the step is shown as waiting and its
// attempt is taken back. After the wait it begins again, so that it uses no stale input, and a
// worker that dies during the wait has made no call. Steps of tasks have their own queue. release
// is never nil.
func (t *Thinker) beginPlaced(ctx context.Context, in wire.ThinkInput) (b *store.StepInput, release func(), err error) {
	release = func() {}
	b, err = t.beginTranscribed(ctx, in)
	if err != nil || b.Done != nil || b.Empty != nil || b.Task != nil {
		return b, release, err
	}
	caller := turnCaller(b.Person, b.Role)
	if t.places.Waiting(caller.Person) >= maxWaitingTurns {
		return nil, release, cmp.Or(t.store.ReturnAttempt(ctx, b), errCrowdedTurns)
	}
	waited := false
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	placed, err := t.places.Acquire(waiting, caller, func() {
		waited = true
		if err := t.store.ReturnAttempt(context.WithoutCancel(ctx), b); err != nil {
			cancel(err)
		}
		t.step(b, "doing.waiting")
		b = nil // do not keep its transcript in memory during the wait
	})
	if err != nil {
		t.responses.cancelAbandoned(ctx) // the turn may have been stopped
		return nil, release, cmp.Or(ctx.Err(), err)
	}
	if waited {
		b, err = t.beginTranscribed(ctx, in)
	}
	return b, placed, err
}

// acquireTool waits for a place for a tool call of a person's turn. A tool with its own queue needs
// no place, because the queue limits it. As with steps, only maxWaitingTurns calls of one person
// wait here.
func (r *ToolRunner) acquireTool(ctx context.Context, tool tools.Tool, call store.Call) (release func(), err error) {
	if call.Task != nil || tool.Queue != "" {
		return func() {}, nil
	}
	caller := turnCaller(call.Person, call.Origin.Role)
	if r.places.Waiting(caller.Person) >= maxWaitingTurns {
		return nil, errCrowdedTurns
	}
	ctx, cancel := context.WithTimeoutCause(ctx, toolPlacePatience, errNoToolPlace)
	defer cancel()
	return r.places.Acquire(ctx, caller, nil)
}

func turnCaller(person core.PersonID, role core.Role) limit.Caller {
	return limit.Caller{Person: string(person), Guest: role == core.Guest}
}
