// Package gateway is the way in: an inbound message becomes a row of the inbox
// and a signal. It is the one user of the Temporal client besides the worker,
// and so carries out what activities ask of other workflows.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/activities"
	"errand/internal/agents"
	"errand/internal/metrics"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/workflows"
)

// Deps are what a gateway works with. All but Probe are needed.
type Deps struct {
	Client   client.Client
	Store    *store.Store
	Roster   *agents.Roster
	Logger   *slog.Logger
	Settings workflows.Settings
	Rights   *rights.Table // default: as shipped
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
	Zone   *time.Location
	Upkeep Upkeep
	// Namespace is that of Client; default "default".
	Namespace string
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
	waker     *waker
}

var _ activities.Sessions = (*Gateway)(nil)

// New checks that deps are complete.
func New(deps Deps) (*Gateway, error) {
	switch {
	case deps.Client == nil:
		return nil, errors.New("gateway: no Temporal client")
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
	if deps.Namespace == "" {
		deps.Namespace = client.DefaultNamespace
	}
	if deps.Probe == nil {
		deps.Probe = func(string) {}
	}
	deps.Settings = deps.Settings.WithDefaults()
	if deps.Downloads == 0 {
		deps.Downloads = defaultDownloads
	}
	if deps.Fetching == 0 {
		deps.Fetching = defaultFetching
	}
	return &Gateway{deps, newPacer(deps.Now), &tries{}, newDownloads(deps.Downloads), newWaker()}, nil
}

// WakeSession tells a session that its inbox has a row.
func (g *Gateway) WakeSession(ctx context.Context, key errand.SessionKey, row int64) error {
	return g.signalSession(ctx, key, workflows.SignalMessage, workflows.MessageSignal{Row: row})
}

// TaskFinished tells whoever delegated t that its outcome is in the store: the
// sub-agent that joins it, or the session of its origin, which is started if it
// does not run.
func (g *Gateway) TaskFinished(ctx context.Context, t errand.Task) error {
	sig := workflows.TaskFinishedSignal{Task: t.ID}
	if _, _, ok := t.Caller.Owner.Task(); ok {
		err := g.Client.SignalWorkflow(ctx, string(t.Caller.Owner), "", workflows.SignalTaskFinished, sig)
		if isNotFound(err) {
			// The sub-agent is gone, and its own task with it: nobody waits.
			g.Logger.Warn("task finished and nobody waits for it", "task", t.ID)
			return nil
		}
		return err
	}
	if t.Origin.SessionKey == "" {
		return nil
	}
	return g.signalSession(ctx, t.Origin.SessionKey, workflows.SignalTaskFinished, sig)
}

// StopTask cancels the workflow of a task whose row is closed.
func (g *Gateway) StopTask(ctx context.Context, id errand.TaskID) error {
	err := g.Client.CancelWorkflow(ctx, string(id), "")
	if isNotFound(err) {
		return nil
	}
	return err
}

// startTask starts the Delegation of a task that no workflow delegated.
func (g *Gateway) startTask(ctx context.Context, t errand.Task) error {
	in := workflows.NewDelegationInput(g.Store.ID(), t, g.Settings)
	opts := client.StartWorkflowOptions{
		ID: string(t.ID), TaskQueue: workflows.TaskQueue, StaticSummary: in.Summary(), WorkflowTaskTimeout: g.Settings.TaskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		Priority:              workflows.ForTask(t.Origin.Person),
	}
	if g.Settings.Attributes {
		opts.TypedSearchAttributes = in.SearchAttributes()
	}
	_, err := g.Client.ExecuteWorkflow(ctx, opts, workflows.Delegation, in)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	return err
}

func (g *Gateway) signalSession(ctx context.Context, key errand.SessionKey, signal string, arg any) error {
	opts, in := g.session(key)
	_, err := g.Client.SignalWithStartWorkflow(ctx, string(key), signal, arg, opts, workflows.Session, in)
	if err != nil {
		return fmt.Errorf("signal %s to session: %w", signal, err)
	}
	return nil
}

// session is how the Session workflow of key is started.
func (g *Gateway) session(key errand.SessionKey) (client.StartWorkflowOptions, workflows.SessionInput) {
	route, person, err := key.Parse()
	if err != nil {
		// Keys are made by NewSessionKey; a damaged one still has a workflow.
		g.Logger.Warn("session key not understood", "session", key, "error", err)
	}
	return client.StartWorkflowOptions{
		ID: string(key), TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: g.Settings.TaskTimeout,
		StaticSummary: fmt.Sprintf("%s on %s, chat %s", person, route.Channel, route.Chat),
		Priority:      temporal.Priority{PriorityKey: workflows.ForPeople},
	}, workflows.SessionInput{Store: g.Store.ID(), Key: key, Settings: g.Settings}
}

func isNotFound(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
