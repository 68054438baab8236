package web

import (
	"context"
	"time"

	"errand"
	"errand/internal/limit"
	"errand/internal/service"
)

// uploads bound what large bodies take of a worker: until a message is accepted, what it
// brings is in memory several times over. Who they are from is known, and that they may.
type uploads struct {
	wait   time.Duration // how long one waits for room before it is refused
	arrive time.Duration // how long one may take to arrive

	all       *limit.Semaphore[struct{}] // of bytes
	perPerson *limit.Semaphore[errand.PersonID]
}

// newUploads returns those of a worker: three of the largest bodies at once, of three people.
func newUploads() *uploads {
	return &uploads{wait: 10 * time.Second, arrive: 5 * time.Minute,
		all: limit.NewSemaphore[struct{}](3 * maxFiles), perPerson: limit.NewSemaphore[errand.PersonID](maxFiles)}
}

// acquire waits until there is room for so many bytes of a person. Who has much under way
// waits for that, and keeps nobody else waiting meanwhile.
func (u *uploads) acquire(ctx context.Context, person errand.PersonID, size int64) (release func(), err error) {
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
