// Package gateway is the way in: an inbound message becomes a row of the inbox
// and a signal.
package gateway

import (
	"time"

	"errand"
	"errand/internal/metrics"
	"errand/internal/service"
)

// Options are how messages come in. The zero value is as shipped.
type Options struct {
	// Shared reports whether the people of a group chat share one session;
	// default: each has their own.
	Shared func(errand.Route) bool
	Rates  Rates
	// AttachmentBytes is how much a message may bring besides its text, all
	// together; 0: nothing. Hears says that voice notes are written down, each that
	// is no longer than VoiceLength; 0: however long.
	AttachmentBytes int64
	Hears           bool
	VoiceLength     time.Duration
	// Downloads is how many messages that bring something are taken at once by
	// each account; default 8. Fetching is how long what one of them brings may
	// take, all of it and in all attempts; default a minute. Then it is taken
	// without.
	Downloads int
	Fetching  time.Duration
	// Commands counts commands by name; nil: nobody counts.
	Commands *metrics.Counter
	// Probe, if set, is called at the points where a crash is worth trying.
	Probe func(point string)
}

// Deps are what a gateway works with: those of the service, and its own options.
type Deps struct {
	service.Deps
	Options
}

// A Gateway accepts messages and commands. It is safe for concurrent use.
type Gateway struct {
	*service.Service
	Options
	pace      *pacer
	tries     *tries
	downloads *downloads
}

// New makes a gateway with a service of its own.
func New(deps Deps) (*Gateway, error) {
	s, err := service.New(deps.Deps)
	if err != nil {
		return nil, err
	}
	o := deps.Options
	if o.Probe == nil {
		o.Probe = func(string) {}
	}
	if o.Downloads == 0 {
		o.Downloads = defaultDownloads
	}
	if o.Fetching == 0 {
		o.Fetching = defaultFetching
	}
	return &Gateway{s, o, newPacer(s.Now), &tries{}, newDownloads(o.Downloads)}, nil
}
