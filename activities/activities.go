// Package activities carries out what workflows ask for: model calls, tools,
// deliveries, and what the store has to note of them. An activity takes ids, reads
// and writes the store, and calls models, tools and platforms.
//
// Every activity may run again after a crash. What it must not do twice it does
// under a key that the store keeps: a step, a call, a row of the outbox.
package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"errand"
	"errand/internal/agents"
	"errand/internal/limit"
	"errand/internal/llm"
	"errand/internal/metrics"
	"errand/internal/picture"
	"errand/internal/probe"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/tools"
	"errand/internal/webhook"
	"errand/notifiers"
)

// A Model answers a request; *llm.Client is the one in production.
type Model interface {
	Complete(ctx context.Context, req llm.Request, stream func(llm.Delta)) (llm.Response, error)
}

// Sessions reaches the workflows of an installation; package dispatch implements
// it. All methods may be called again with the same arguments.
type Sessions interface {
	// StartTask starts the workflow of a task, unless it has one. waited says that
	// somebody sits and waits for what comes of it.
	StartTask(ctx context.Context, t errand.Task, waited bool) error
	// TaskFinished tells whoever delegated the task that its outcome is in the
	// store. It is an error if that could not be made sure.
	TaskFinished(context.Context, errand.Task) error
	// ShowTaskState has Temporal's list show whether an open task waits for a person.
	ShowTaskState(context.Context, errand.TaskID) error
	// WakeOutbox sees to it that the outbox of a chat is being delivered.
	WakeOutbox(context.Context, errand.Route) error
	// StopTask cancels the workflow of a task whose row is closed.
	StopTask(context.Context, errand.TaskID) error
	// WakeSession tells a session that its inbox has a row, and starts it if it
	// does not run.
	WakeSession(ctx context.Context, key errand.SessionKey, row int64) error
	// StartWebhooks has programs told what is due to them of a task.
	StartWebhooks(context.Context, errand.Task) error
}

// Deps are what activities work with. All are needed that have no default.
type Deps struct {
	Store     *store.Store
	Model     Model
	Roster    *agents.Roster
	Tools     *tools.Set
	Sessions  Sessions
	Histories Histories
	Notifiers *notifiers.Router
	// Peers are where remote agents work.
	Peers map[errand.AgentName]Peer
	// Coding has coding agents work; nil: there are none.
	Coding CodingAgents
	// Accounts are ours on platforms, with their agents.
	Accounts agents.Accounts
	// Webhooks send what programs are told; default: to the public internet only.
	Webhooks Webhooks
	// Browsers are told of what comes while no page is open; nil: none is.
	Browsers Browsers
	// Pushes word what clients of A2A are told; nil: they are told nothing.
	Pushes Pushes
	// Connections are the live connections; default: there are none.
	Connections Connections
	// Admits reports whether an account of ours would take what a person writes to
	// it; default: each does.
	Admits      func(context.Context, errand.Account, errand.PersonID) (bool, error)
	Logger      *slog.Logger
	Transcriber Transcriber // nil: nothing that is said is written down
	Pictures    picture.Shrinker
	Rights      *rights.Table  // default: as shipped
	Texts       *texts.Catalog // default: as shipped
	Language    string         // of people who have chosen none
	Zone        *time.Location // of times that do not name theirs; default UTC
	// Sticky lets conversations be handed over to agents other than the primary.
	Sticky bool
	// StickyFor is how long a conversation stays with an agent after its last
	// reply, where the agent does not say.
	StickyFor time.Duration
	// BeginWithLast lets new sessions begin with the agent that their person talked
	// with last, and not with the primary agent.
	BeginWithLast bool
	// Turns is how many steps and tool calls of people's turns run at once; default 64.
	Turns int
	// Window is how many messages of the transcript a prompt begins with.
	Window int
	// MaxDepth is how deep delegations may nest.
	MaxDepth int
	// Pairs bounds how often two agents ask each other; nil: nothing does.
	Pairs Pairs
	// Procedures are those that agents can have carried out, too.
	Procedures []errand.Procedure
	// QuestionPace says when people are reminded of a question, and when it expires.
	// Default: [store.DefaultQuestionPace].
	QuestionPace store.QuestionPace
	// TrustPromises tells a reply that promises work in the background as it is, whether
	// there is any or not.
	TrustPromises bool
	// Approvals are the rules by which tools wait for a yes; default: what each asks for
	// itself.
	Approvals tools.Approvals
	Metrics   metrics.Metrics // default: nothing is counted
	// Settings are what workflows run with; sessions get them when they begin and when
	// they go on.
	Settings Settings
	// Policy is for how long what is over is kept.
	Policy store.Policy
	// Probe, if set, is called at the points where a crash is worth trying.
	Probe probe.Func
}

// Activities are the activities of one worker.
type Activities struct {
	Deps
	semaphores *accountSemaphores
	turns      *limit.FairSemaphore
	warned     atomic.Int64 // when work of another store was last warned of, in Unix seconds

	rules    sync.Map     // *stepRules by rulesOf, each made once for the tools there are
	rendered atomic.Int64 // prompts

	abandoned sync.Mutex // held while abandoned answers are canceled
	decoder   decoder
	sizes     pictureSizes
}

// New checks that deps are complete.
func New(deps Deps) (*Activities, error) {
	switch {
	case deps.Store == nil:
		return nil, errors.New("activities: no store")
	case deps.Model == nil:
		return nil, errors.New("activities: no model")
	case deps.Roster == nil:
		return nil, errors.New("activities: no roster")
	case deps.Tools == nil:
		return nil, errors.New("activities: no tools")
	case deps.Sessions == nil:
		return nil, errors.New("activities: no sessions")
	case deps.Histories == nil:
		return nil, errors.New("activities: no histories")
	case deps.Notifiers == nil:
		return nil, errors.New("activities: no notifiers")
	case deps.Logger == nil:
		return nil, errors.New("activities: no logger")
	}
	if deps.Rights == nil {
		deps.Rights = rights.Default()
	}
	if deps.Texts == nil {
		catalog, err := texts.New(nil)
		if err != nil {
			return nil, fmt.Errorf("activities: %w", err)
		}
		deps.Texts = catalog
	}
	deps.Settings = deps.Settings.WithDefaults()
	if deps.Window == 0 {
		deps.Window = 60
	}
	if deps.MaxDepth == 0 {
		deps.MaxDepth = 3
	}
	if deps.QuestionPace.ExpireAfter == 0 {
		deps.QuestionPace = store.DefaultQuestionPace()
	}
	if deps.Zone == nil {
		deps.Zone = time.UTC
	}
	if deps.Webhooks == nil {
		sender, err := webhook.New(nil)
		if err != nil {
			return nil, err
		}
		deps.Webhooks = sender
	}
	if deps.Connections == nil {
		deps.Connections = noConnections{}
	}
	return &Activities{Deps: deps, semaphores: newAccountSemaphores(), turns: limit.NewFairSemaphore(cmp.Or(deps.Turns, 64))}, nil
}

// at refuses work that was begun on another store. It may be tried again: the
// worker with the right one may be starting.
func (a *Activities) at(id string) error {
	if id == a.Store.ID() {
		return nil
	}
	a.warnWrongStore(id)
	return failed(store.ErrWrongStore)
}

// warnWrongStore says, once a minute at most, that work of another store comes to
// this worker: it is answered by nobody until a worker of that store is there.
func (a *Activities) warnWrongStore(id string) {
	now, last := time.Now().Unix(), a.warned.Load()
	if now-last < 60 || !a.warned.CompareAndSwap(last, now) {
		return
	}
	a.Logger.Warn("work of another store is on this worker's queue and is not done: start a worker of that store in a namespace of its own, or terminate its workflows", "store", id, "own", a.Store.ID())
}

// beatEvery is how often an activity tells Temporal that it is alive; the
// timeout is in workflows/options.go.
const beatEvery = 3 * time.Second

// beat reports on a timer, not by progress: a model may be silent for long and
// a stream may send a thousand tokens a second.
func beat(ctx context.Context) (stop func()) {
	return beatWith(ctx, func() []any { return nil })
}

// beatWith is beat with details, asked for at each heartbeat. Whoever calls an activity
// without Temporal has nobody to tell: the SDK panics there, after the first three seconds.
func beatWith(ctx context.Context, details func() []any) (stop func()) {
	if !activity.IsActivity(ctx) {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx, details()...)
			}
		}
	}()
	return func() { close(done) }
}
