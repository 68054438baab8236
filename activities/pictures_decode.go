package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/sandbox"
	"errand/internal/store"
)

const (
	// decodingTime is long enough for slow machines. Too large pictures are refused by their
	// header.
	decodingTime = 20 * time.Second
	// slowRest is how long a picture that took longer than that is not decoded again.
	slowRest = 10 * time.Minute
)

// A decoder decodes one picture at a time, because each may need several hundred megabytes of
// memory. The zero value is ready to use.
type decoder struct {
	within time.Duration // default: decodingTime

	once sync.Once
	busy chan struct{}

	mu   sync.Mutex
	slow map[core.ArtifactID]time.Time // when each may be tried again
}

func (d *decoder) acquire(ctx context.Context) (release func(), err error) {
	d.once.Do(func() { d.busy = make(chan struct{}, 1) })
	select {
	case d.busy <- struct{}{}:
		return func() { <-d.busy }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (d *decoder) rests(id core.ArtifactID, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return now.Before(d.slow[id])
}

func (d *decoder) rest(id core.ArtifactID, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.slow == nil {
		d.slow = map[core.ArtifactID]time.Time{}
	}
	for other, until := range d.slow {
		if !now.Before(until) {
			delete(d.slow, other)
		}
	}
	d.slow[id] = now.Add(slowRest)
}

// shrink makes the version of an artifact that models see, and stores it. It does not store a
// timeout, because another worker may be faster. Then a prompt changes once, from the description
// to the picture.
func (i *illustrator) shrink(ctx context.Context, f store.PromptPicture) (store.ShownPicture, error) {
	slow := store.ShownPicture{Artifact: f.Artifact, Fault: prompt.PictureTooSlow}
	if i.decoder.rests(f.Artifact, time.Now()) {
		return slow, nil
	}
	release, err := i.decoder.acquire(ctx)
	if err != nil {
		return store.ShownPicture{}, err
	}
	defer release()
	if i.decoder.rests(f.Artifact, time.Now()) { // it may have failed during the wait
		return slow, nil
	}
	data, err := i.store.ArtifactData(ctx, f.Artifact)
	if err != nil {
		return store.ShownPicture{}, err
	}
	within := i.decoder.within
	if within == 0 {
		within = decodingTime
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	shown, err := i.shrinker.Shrink(limited, f.Type, data)
	out := store.ShownPicture{Artifact: f.Artifact, Type: shown.Type, Width: shown.Width, Height: shown.Height, Data: shown.Data}
	var fault *sandbox.PictureFault
	switch {
	case errors.As(err, &fault):
		out.Fault = fault.Why
	case err != nil && ctx.Err() == nil:
		i.decoder.rest(f.Artifact, time.Now())
		i.logger.Warn("picture not decoded in time and not shown; errand tries again later", "artifact", f.Artifact, "after", slowRest, "error", err)
		return slow, nil
	case err != nil:
		return store.ShownPicture{}, err
	}
	return i.store.KeepPicture(ctx, out)
}
