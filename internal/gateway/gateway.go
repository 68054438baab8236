// Package gateway is the way in: an inbound message becomes a row of the inbox
// and a signal.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/dispatch"
	"errand/internal/metrics"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/workflows"
)

// Deps are what a gateway works with. All but Probe are needed.
type Deps struct {
	Dispatch *dispatch.Dispatcher
	Store    *store.Store
	Roster   *agents.Roster
	Logger   *slog.Logger
	Rights   *rights.Table // default: as shipped
	// Busy is the busy mode of conversations of which nobody has set another;
	// default: as workflows have it.
	Busy workflows.BusyMode
	// Texts is what errand says itself; default: as shipped. Language is that of
	// people who have not said otherwise; default: English.
	Texts    *texts.Catalog
	Language string
	// Sticky lets conversations be with other agents than the primary; StickyFor
	// is for how long, where the agent does not say.
	Sticky    bool
	StickyFor time.Duration
	// Shared reports whether the people of a group chat share one session;
	// default: each has their own.
	Shared func(errand.Route) bool
	// Models are the names of the configured models by their keys, as people
	// know them; one that is missing goes by its key.
	Models map[string]string
	// Health is what is known of whether the models answer; nil: nothing.
	Health ModelHealth
	// Access says who gets in, by channel, or by "channel/account"; default: those
	// who are known, and whoever is approved.
	Access map[string]Access
	Rates  Rates
	// Accounts are ours on platforms, with their agents, in the order of the file.
	Accounts agents.Accounts
	// Sends reports whether what is told on an account can be sent from here; default:
	// on those of Accounts.
	Sends func(errand.Account) bool
	// PairCode asks a platform for a code that links an account when it is typed
	// into the phone with a number; nil: there are none.
	PairCode func(ctx context.Context, a errand.Account, phone string) (string, error)
	// Owner is who cannot be removed: whoever sits at the machine.
	Owner errand.PersonID
	Now   func() time.Time // the clock; default: time.Now
	// Zone is where the times are that people read; default: UTC.
	Zone *time.Location
	// MessageBytes is the longest message that is accepted.
	MessageBytes int
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
	// Tools names what the agent of a session may call for somebody with a role; nil:
	// nobody knows.
	Tools func(s store.Session, person errand.Role) []string
	// Commands counts commands by name, HandOvers the agents that people have chosen,
	// by from, to and cause; nil: nobody counts.
	Commands, HandOvers *metrics.Counter
	// Probe, if set, is called at the points where a crash is worth trying.
	Probe func(point string)
}

// A Gateway accepts messages and commands. It is safe for concurrent use.
type Gateway struct {
	Deps
	pace      *pacer
	tries     *tries
	downloads *downloads
}

// New checks that deps are complete.
func New(deps Deps) (*Gateway, error) {
	switch {
	case deps.Dispatch == nil:
		return nil, errors.New("gateway: no dispatcher")
	case deps.Store == nil:
		return nil, errors.New("gateway: no store")
	case deps.Roster == nil:
		return nil, errors.New("gateway: no roster")
	case deps.Logger == nil:
		return nil, errors.New("gateway: no logger")
	}
	if deps.Rights == nil {
		deps.Rights = rights.Default()
	}
	if deps.Texts == nil {
		var err error
		if deps.Texts, err = texts.New(nil); err != nil {
			return nil, fmt.Errorf("gateway: %w", err)
		}
	}
	if deps.Sends == nil {
		deps.Sends = deps.Accounts.Has
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Zone == nil {
		deps.Zone = time.UTC
	}
	if deps.MessageBytes == 0 {
		deps.MessageBytes = 64 << 10
	}
	if deps.Probe == nil {
		deps.Probe = func(string) {}
	}
	if deps.Busy == "" {
		deps.Busy = workflows.Settings{}.WithDefaults().Busy
	}
	if deps.Downloads == 0 {
		deps.Downloads = defaultDownloads
	}
	if deps.Fetching == 0 {
		deps.Fetching = defaultFetching
	}
	return &Gateway{deps, newPacer(deps.Now), &tries{}, newDownloads(deps.Downloads)}, nil
}
