package web

import (
	"context"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/service"
)

// uploads limits memory: errand holds several copies of a message's data until it accepts the
// message.
type uploads struct {
	wait time.Duration // how long a request waits for memory before it is refused

	all       *limit.Semaphore[struct{}] // in bytes
	perPerson *limit.Semaphore[core.PersonID]
}

// newUploads has room for three bodies of maximum size, one per person.
func newUploads() *uploads {
	return &uploads{wait: 10 * time.Second,
		all: limit.NewSemaphore[struct{}](3 * api.MaxMessage), perPerson: limit.NewSemaphore[core.PersonID](api.MaxMessage)}
}

// acquire waits for memory. A person with large requests does not block others.
func (u *uploads) acquire(ctx context.Context, person core.PersonID, size int64) (release func(), err error) {
	brief, cancel := context.WithTimeout(ctx, u.wait)
	defer cancel()
	own, err := u.perPerson.AcquireN(brief, person, size)
	if err != nil {
		return nil, noRoom(ctx)
	}
	all, err := u.all.AcquireN(brief, struct{}{}, size)
	if err != nil {
		own()
		return nil, noRoom(ctx)
	}
	return func() { all(); own() }, nil
}

func noRoom(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	const seconds = 10
	return service.TooMany("no_room", seconds*time.Second, "refusal.no_room", "seconds", seconds)
}
