// Package app is the assembly of a whole installation: the Temporal server, its Web UI, the store,
// the agents and the pages. It constructs, starts and stops them. [Main] is its command line. Only
// this package may import every other one; there are no registries.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"errand/activities"
	"errand/internal/commands"
	"errand/internal/config"
	"errand/internal/doors/a2aserver"
	"errand/internal/doors/web"
	"errand/internal/elect"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/presence"
	"errand/internal/probe"
	"errand/internal/remote/acpclient"
	"errand/internal/remote/mcpclient"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/reconcile"
	"errand/internal/temporal/wire"
	"errand/internal/tools"
	"errand/internal/tools/code"
	webtools "errand/internal/tools/web"
	"errand/notifiers"
)

// Options configure an installation. Only Config is required.
type Options struct {
	Config  *config.Config
	Version string
	Out     io.Writer // output for a person at the terminal; default: none
	Logger  *slog.Logger
	// Unattended means that Out is stored and others may read it, such as a service's log. It then
	// gets no login links.
	Unattended bool
	// Notifiers, if set, adds notifiers.
	Notifiers func(*notifiers.Router)
	// Model, if set, replaces the configured models.
	Model activities.Model
	// Transcriber, if set, replaces the configured ones.
	Transcriber activities.Transcriber
	// Tools, if set, adds tools.
	Tools func(*tools.Set) error
	// Probe, if set, is called at the points at which tests simulate a crash.
	Probe probe.Func
	// StopTimeout is how long Stop waits for running steps; default 30 s.
	StopTimeout time.Duration
	// Program is the path of this program, for jobs in a process of their own: to read PDFs and
	// web pages, to run JavaScript and to decode pictures (internal/sandbox). If it is empty, the
	// program decodes pictures in this process and does none of the others.
	Program string
	// TakeOver claims the store and the Temporal namespace even if they belonged to another
	// installation, unless a worker of that one is alive.
	TakeOver bool
	// Clock is the clock of this machine; default: time.Now.
	Clock func() time.Time
	// Migrations, if set, replaces those of the store. It is for tests.
	Migrations fs.FS
	// Settings, if set, changes the settings of the workflows.
	Settings func(*wire.Settings)
}

// An App is a running installation.
type App struct {
	Service    *service.Service
	Intake     *intake.Intake
	Commands   *commands.Runner
	Dispatch   *dispatch.Dispatcher
	Reconciler *reconcile.Reconciler
	Store      *store.Store
	MCP        *mcpclient.Servers
	Client     client.Client
	Address    string // of the HTTP server, "127.0.0.1:8080"

	log         *slog.Logger
	key         string // the owner's key
	owner       string // name of this process in leases
	connections connections
	acts        *activities.Activities
	attempts    *activities.Attempts
	liveness    activities.Liveness
	crowdWarned sync.Map // set of logged warnings: [core.CrowdedAgent] as text
	a2a         *a2aserver.Server
	webTools    webtools.Options
	skills      []tools.Tool
	coding      *acpclient.Agents // nil: none are configured
	presence    *presence.Presence
	titles      *background.ChatNamer    // nil: the first words of a chat are its title
	code        code.Found               // how programs are run
	models      *background.ModelChecker // nil: Options.Model is used
	llm         *llm.Client              // nil: Options.Model is used
	pauses      *pauses                  // nil: no other worker shares the providers' limits
	hooks       map[string]http.Handler  // handlers for calls from platforms, by path
	metrics     *telemetry.Metrics
	slots       config.Slots
	workers     queueWorkers
	web         atomic.Pointer[web.Server] // nil until the server runs

	lifecycle
	whatsappPart
}

// Start starts an installation and prints its addresses to Options.Out. The caller ends it with
// Stop.
func Start(ctx context.Context, o Options) (*App, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = slog.New(newDiscreet(o.Logger.Handler()))
	if o.StopTimeout == 0 {
		o.StopTimeout = 30 * time.Second
	}
	if o.Version != "" {
		// Without it the SDK would hash the whole program to name the build, first in the embedded server.
		worker.SetBinaryChecksum(o.Version)
	}
	a := &App{log: o.Logger, owner: ownerName(), metrics: telemetry.New(o.Version), slots: o.Config.Slots, hooks: map[string]http.Handler{}, lifecycle: lifecycle{failed: make(chan error, 1)}}
	if err := a.start(ctx, o); err != nil {
		a.Stop(ctx)
		return nil, err
	}
	return a, nil
}

func (a *App) start(ctx context.Context, o Options) error {
	cfg := o.Config
	fmt.Fprintf(o.Out, "errand %s is starting; its data is in %s\n", o.Version, cfg.Data)
	listener, err := listen(cfg)
	if err != nil {
		return err
	}
	a.Address = listener.Addr().String()
	a.stopWith(func(context.Context) { listener.Close() })
	if err := a.lock(cfg); err != nil {
		return err
	}
	if a.key, err = ownerKey(cfg); err != nil {
		return err
	}
	if err := a.openStore(ctx, o); err != nil {
		return err
	}
	embedded, err := a.connect(ctx, o)
	if err != nil {
		return err
	}
	if err := a.claim(ctx, o, embedded); err != nil {
		return err
	}
	settings := settingsOf(cfg)
	settings.Attributes = a.searchAttributes(ctx, cfg)
	if embedded {
		// Temporal repeats a workflow task of a dead worker only after this time. The embedded
		// server is in the same process, so a short time is enough.
		settings.TaskTimeout = 2 * time.Second
	}
	if o.Settings != nil {
		o.Settings(&settings)
	}
	acts, err := a.build(o, settings)
	if err != nil {
		return err
	}
	a.acts = acts
	a.workers = queueWorkers{client: a.Client, acts: acts, attempts: a.attempts, stopTimeout: o.StopTimeout, parts: &a.lifecycle}
	a.startPresence()
	a.startPushes()
	a.shareLimits()
	a.startMCP() // before the workers, so that it stops after them
	a.startCoding(cfg)
	a.runUntilStop(a.attempts.Run)
	if err := a.startWorkers(o); err != nil {
		return err
	}
	if err := a.startDelivery(o); err != nil {
		return err
	}
	if err := a.startWebhooks(o); err != nil {
		return err
	}
	if err := a.startConnections(o); err != nil {
		return err
	}
	if err := a.serve(listener, o); err != nil {
		return err
	}
	a.watch()
	a.nameChats()
	a.schedule()
	a.printBanner(ctx, o, embedded)
	a.checkModels(o)
	return nil
}

// listen opens the port first, so that a second worker on the machine fails at once.
func listen(cfg *config.Config) (net.Listener, error) {
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("serve pages on %s: %w (another errand may be running: --port-offset 10 shifts all ports)", cfg.Listen, err)
	}
	return l, nil
}

func (a *App) serve(listener net.Listener, o Options) error {
	server, err := a.newServer(o)
	if err != nil {
		return err
	}
	a.web.Store(server)
	a.runUntilStop(func(ctx context.Context) { // its pending requests need the store
		if err := server.Serve(ctx, listener); err != nil && !errors.Is(err, context.Canceled) {
			a.fail(fmt.Errorf("serve pages: %w", err))
		}
	})
	return nil
}

// watch stops after the reconciler has returned its lease.
func (a *App) watch() { a.runUntilStop(a.Reconciler.Run) }

// nameChats runs in one worker at a time, because models may be slow. It stops after the cost of a
// running call is stored.
func (a *App) nameChats() {
	if a.titles == nil {
		return
	}
	a.runUntilStop((&elect.Elector{Leases: a.Store, Of: store.Duty("titles"), Owner: a.owner, Do: a.titles.Run, Logger: a.log}).Run)
}

// schedule does not delay the start: a new Temporal server needs a while, and errand can run
// without maintenance for a day.
func (a *App) schedule() {
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() { keepScheduled(ctx, a.Dispatch.EnsureSchedules, a.Dispatch.RestoreSchedules, a.log) })
	a.stopWith(func(context.Context) { cancel() })
}

// scheduleAgain is the wait after a failure, scheduleEvery between checks of the schedule.
const (
	scheduleAgain = 10 * time.Second
	scheduleEvery = 10 * time.Minute
)

// keepScheduled calls ensure until it succeeds, and then restore at intervals.
func keepScheduled(ctx context.Context, ensure, restore func(context.Context) error, log *slog.Logger) {
	failing := false
	for {
		wait, err := scheduleEvery, ensure(ctx)
		switch {
		case err == nil:
			ensure, failing = restore, false
		case ctx.Err() != nil:
			return
		case !failing: // log once while Temporal is unreachable
			log.Warn("maintenance and backups not scheduled; errand will try again", "error", err)
			failing = true
			fallthrough
		default:
			wait = scheduleAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
