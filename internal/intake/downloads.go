package intake

import (
	"context"
	"sync"
	"time"

	"errand"
)

const (
	// defaultDownloads is how many messages with files come in at once by an account.
	defaultDownloads = 8
	// defaultFetching is how long the files of a message are waited for, all
	// together and however often it is received: those behind it are waiting.
	defaultFetching = time.Minute
)

// downloads holds a place for each message that brings something, until it is
// committed. Each account has its own: what is slow on one is not waited for on
// another.
type downloads struct {
	most int

	mu     sync.Mutex
	places map[errand.Account]chan struct{}
}

func newDownloads(most int) *downloads {
	return &downloads{most: most, places: map[errand.Account]chan struct{}{}}
}

// enter waits for a place, for as long as ctx lasts; done gives it back.
func (d *downloads) enter(ctx context.Context, r errand.Route) (done func(), err error) {
	places := d.of(r.At())
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *downloads) of(a errand.Account) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	places := d.places[a]
	if places == nil {
		places = make(chan struct{}, d.most)
		d.places[a] = places
	}
	return places
}
