// Package intake is the way in: it identifies and admits the sender of a message, limits their
// rate, stores the message in the inbox, and signals its session. It passes commands to package
// commands.
//
// A message is accepted when its row is committed; only then the sender gets an answer. A repeated
// message finds its row, and changes it only until a turn has claimed it. An edit replaces such a
// message, and a deletion removes its text. A forwarded message is never a command or consent.
//
// Messages that arrive while a turn runs follow the busy mode of their session: collect (together
// they are the next turn), steer (the next step reads them), queue (one turn each) or interrupt
// (the running turn is closed).
package intake

import (
	"context"
	"errors"
	"time"

	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/ops"
	"errand/internal/probe"
	"errand/internal/service"
	"errand/internal/store"
)

// Options configure an Intake. The zero value accepts no files.
type Options struct {
	// Shared reports whether the people of a group chat share one session; default: no.
	Shared func(core.Route) bool
	// AttachmentBytes limits all files of a message together; 0: errand accepts none. Transcribes
	// means that errand transcribes voice notes up to VoiceLength (0: any).
	AttachmentBytes int64
	Transcribes     bool
	VoiceLength     time.Duration
	// Downloads is how many messages with files an account handles at once; default 8. Fetching is
	// the time for the files of a message, over all attempts; default a minute. After that errand
	// accepts the message without the missing files.
	Downloads int
	Fetching  time.Duration
	// Probe, if set, is called at the points where tests simulate a crash.
	Probe probe.Func
}

const (
	// defaultDownloads is per account, so that a slow one does not delay another.
	defaultDownloads = 8
	// defaultFetching is short, because later messages wait.
	defaultFetching = time.Minute
)

// Deps are what an Intake works with. All are required.
type Deps struct {
	*service.Env
	Runner   *ops.Runner
	Commands Commands
	Internal Internal
	Sessions Sessions
	Roster   *agents.Roster
	Access   service.AccessRules
	Accounts agents.Accounts
	// MessageBytes is the maximum length of a text.
	MessageBytes int
}

// DepsOf returns what the intake of a service works with.
func DepsOf(s *service.Service, c Commands) Deps {
	return Deps{Env: s.Env, Runner: s.Runner, Commands: c, Internal: s.Internal, Sessions: s.Dispatch,
		Roster: s.Roster, Access: s.Access, Accounts: s.Accounts, MessageBytes: s.MessageBytes}
}

// Commands run slash commands; [commands.Runner] in production.
type Commands interface {
	Run(context.Context, commands.Request) (commands.Result, error)
	Suggest(ctx context.Context, by actor.Actor, key core.SessionKey, command, prefix string) ([]commands.Suggestion, error)
}

// Internal is what errand does by itself; [service.Internal] in production.
type Internal interface {
	WakeOutbox(context.Context, core.Route)
	NoteCommand(context.Context, store.InboxMessage) error
	CommandAnswer(context.Context, store.InboxMessage) (answer string, seen, carried bool, err error)
}

// Sessions tells a session of a new message; [dispatch.Dispatcher] in production.
type Sessions interface {
	PromptlyWakeSession(ctx context.Context, key core.SessionKey, row int64) error
}

// An Intake accepts messages and commands. It is safe for concurrent use.
type Intake struct {
	*Limiter
	deps      Deps
	options   Options
	downloads *limit.Semaphore[core.Account] // limits messages with files that are not committed yet
	attempts  *fetchAttempts
}

// New returns an intake that counts messages with l.
func New(d Deps, l *Limiter, o Options) *Intake {
	if o.Downloads == 0 {
		o.Downloads = defaultDownloads
	}
	if o.Fetching == 0 {
		o.Fetching = defaultFetching
	}
	return &Intake{l, d, o, limit.NewSemaphore[core.Account](o.Downloads), &fetchAttempts{}}
}

// AttachmentBytes returns the maximum size of all files of a message together.
func (i *Intake) AttachmentBytes() int64 { return i.options.AttachmentBytes }

// Suggest returns completions for a command's argument; none for unknown senders.
func (i *Intake) Suggest(ctx context.Context, in Inbound, command, prefix string) ([]commands.Suggestion, error) {
	p, err := i.deps.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	by := service.ActorFor(p)
	return i.deps.Commands.Suggest(ctx, by, i.row(message{Inbound: in, by: by}).Session(), command, prefix)
}

// A Cursor is the position in a chat up to which its messages have arrived.
type Cursor = store.Cursor

// Cursors returns the cursor of each chat of an account, see [store.Store.Cursors].
func (i *Intake) Cursors(ctx context.Context, channel, account string) ([]Cursor, error) {
	return i.deps.Store.Cursors(ctx, channel, account)
}
