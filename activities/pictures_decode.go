package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"errand"
	"errand/internal/picture"
	"errand/internal/store"
)

const (
	// decodingTime is how long a picture is decoded. What takes long by its nature is
	// refused by its header: this is for machines that are slow, or busy.
	decodingTime = 20 * time.Second
	// slowRest is how long a picture that took longer is not tried again.
	slowRest = 10 * time.Minute
)

// A decoder has one picture decoded at a time, for it may need some hundred megabytes.
// The zero value is ready.
type decoder struct {
	within time.Duration // default: decodingTime

	once sync.Once
	busy chan struct{}

	mu   sync.Mutex
	slow map[errand.ArtifactID]time.Time // until when they are not tried again
}

// acquire waits for its turn, and returns how to release it.
func (d *decoder) acquire(ctx context.Context) (release func(), err error) {
	d.once.Do(func() { d.busy = make(chan struct{}, 1) })
	select {
	case d.busy <- struct{}{}:
		return func() { <-d.busy }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// rests reports whether a picture took too long a while ago.
func (d *decoder) rests(id errand.ArtifactID, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return now.Before(d.slow[id])
}

// rest has a picture not tried again for a while.
func (d *decoder) rest(id errand.ArtifactID, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.slow == nil {
		d.slow = map[errand.ArtifactID]time.Time{}
	}
	for other, until := range d.slow {
		if !now.Before(until) {
			delete(d.slow, other)
		}
	}
	d.slow[id] = now.Add(slowRest)
}

// shrink makes of an artifact what models are shown, and keeps it. That it took too long
// is not kept, for another time, or another worker, may be faster. The words for it are
// always the same, and a picture that is kept stays: so a prompt changes once at most,
// from the words to the picture.
func (a *Activities) shrink(ctx context.Context, f store.PromptPicture) (store.ShownPicture, error) {
	slow := store.ShownPicture{Artifact: f.Artifact, Fault: tooSlow}
	if a.decoder.rests(f.Artifact, time.Now()) {
		return slow, nil
	}
	release, err := a.decoder.acquire(ctx)
	if err != nil {
		return store.ShownPicture{}, err
	}
	defer release()
	if a.decoder.rests(f.Artifact, time.Now()) { // since it was waited
		return slow, nil
	}
	data, err := a.Store.ArtifactData(ctx, f.Artifact)
	if err != nil {
		return store.ShownPicture{}, err
	}
	within := a.decoder.within
	if within == 0 {
		within = decodingTime
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	shown, err := a.Pictures.Shrink(limited, f.Type, data)
	out := store.ShownPicture{Artifact: f.Artifact, Type: shown.Type, Width: shown.Width, Height: shown.Height, Data: shown.Data}
	var fault *picture.Fault
	switch {
	case errors.As(err, &fault):
		out.Fault = fault.Why
	case err != nil && ctx.Err() == nil:
		a.decoder.rest(f.Artifact, time.Now())
		a.Logger.Warn("a picture could not be decoded in time and is not shown; it is tried again later", "artifact", f.Artifact, "after", slowRest, "error", err)
		return slow, nil
	case err != nil:
		return store.ShownPicture{}, err
	}
	return a.Store.KeepPicture(ctx, out)
}
