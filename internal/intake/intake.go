// Package intake is the way in: it identifies who a message is from, admits them,
// limits how much they send, and accepts it: a row of the inbox, and a signal to its
// session. It hands commands to package commands.
//
// The commit of the row is the acceptance; only then the sender gets an answer. The same
// message again finds its row, and changes it only while no turn has claimed it. An edit
// replaces such a message, and a deletion removes its text. A forwarded message is never
// a command or consent.
//
// Messages that come while a turn runs follow the busy mode of their session: collect
// (together they are the next turn), steer (the next step takes them), queue (one turn
// each) or interrupt (the running turn is closed).
package intake

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/commands"
	"errand/internal/limit"
	"errand/internal/probe"
	"errand/internal/service"
	"errand/internal/store"
)

// Options are how messages come in. The zero value is as shipped.
type Options struct {
	// Shared reports whether the people of a group chat share one session;
	// default: each has their own.
	Shared func(errand.Route) bool
	Rates  Rates
	// RateRows, if set, count the rates for all workers of the installation.
	RateRows limit.Rows
	// AttachmentBytes is how much a message may bring besides its text, all
	// together; 0: nothing. Transcribes says that voice notes are written down, each that
	// is no longer than VoiceLength; 0: however long.
	AttachmentBytes int64
	Transcribes     bool
	VoiceLength     time.Duration
	// Downloads is how many messages that bring something are taken at once by
	// each account; default 8. Fetching is how long what one of them brings may
	// take, all of it and in all attempts; default a minute. Then it is taken
	// without.
	Downloads int
	Fetching  time.Duration
	// Probe, if set, is called at the points where a crash is worth trying.
	Probe probe.Func
}

const (
	// defaultDownloads is how many messages with files come in at once by an account:
	// what is slow on one is not waited for on another.
	defaultDownloads = 8
	// defaultFetching is how long the files of a message are waited for, all
	// together and however often it is received: those behind it are waiting.
	defaultFetching = time.Minute
)

// An Intake accepts messages and commands. It is safe for concurrent use.
type Intake struct {
	service   *service.Service
	commands  *commands.Runner
	options   Options
	limiter   *limit.Limiter
	downloads *limit.Semaphore[errand.Account] // messages with files, until they are committed
	attempts  *fetchAttempts
}

// New returns what takes in messages for s, and has c carry out the commands.
func New(s *service.Service, c *commands.Runner, o Options) *Intake {
	if o.Downloads == 0 {
		o.Downloads = defaultDownloads
	}
	if o.Fetching == 0 {
		o.Fetching = defaultFetching
	}
	return &Intake{s, c, o, &limit.Limiter{Now: s.Now, Rows: o.RateRows, Logger: s.Logger}, limit.NewSemaphore[errand.Account](o.Downloads), &fetchAttempts{}}
}

// AttachmentBytes is how much a message may bring besides its text, all together.
func (i *Intake) AttachmentBytes() int64 { return i.options.AttachmentBytes }

// Suggest returns what the sender of in may mean who has typed a command and the
// beginning of a word behind it. Whoever is not known is suggested nothing.
func (i *Intake) Suggest(ctx context.Context, in Inbound, command, prefix string) ([]commands.Suggestion, error) {
	p, err := i.service.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	by := service.ActorFor(p)
	return i.commands.Suggest(ctx, by, i.row(message{Inbound: in, by: by}).Session(), command, prefix)
}

// A Cursor is how far the messages of a chat have come in.
type Cursor = store.Cursor

// Cursors returns how far each chat of an account has come in, see
// [store.Store.Cursors].
func (i *Intake) Cursors(ctx context.Context, channel, account string) ([]Cursor, error) {
	return i.service.Store.Cursors(ctx, channel, account)
}
