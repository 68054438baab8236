// Package app wires a whole installation together, starts it, and ends it. It alone
// may import every other package; nothing is registered anywhere else.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"

	"errand/activities"
	"errand/internal/a2aserver"
	"errand/internal/acpclient"
	"errand/internal/commands"
	"errand/internal/config"
	"errand/internal/dispatch"
	"errand/internal/elect"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/mcpclient"
	"errand/internal/metrics"
	"errand/internal/modelcheck"
	"errand/internal/presence"
	"errand/internal/probe"
	"errand/internal/reconcile"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/titles"
	"errand/internal/tools"
	"errand/internal/tools/code"
	webtools "errand/internal/tools/web"
	"errand/internal/web"
	"errand/notifiers"
	"errand/workflows"
)

// Options are what an installation is made of. Only Config is needed.
type Options struct {
	Config  *config.Config
	Version string
	Out     io.Writer // what a person at the terminal reads; default: nothing
	Logger  *slog.Logger
	// Unattended: Out is kept and read by others, as a service's log is. No link
	// that lets somebody in is printed there.
	Unattended bool
	// Notifiers, if set, adds platforms.
	Notifiers func(*notifiers.Router)
	// Model, if set, is used instead of the configured models.
	Model activities.Model
	// Transcriber, if set, are used instead of the configured ones.
	Transcriber activities.Transcriber
	// Tools, if set, adds tools.
	Tools func(*tools.Set) error
	// Probe, if set, is called at the points where a crash is worth trying.
	Probe probe.Func
	// StopTimeout is how long Stop lets steps under way finish; default 30 s.
	StopTimeout time.Duration
	// Program is the path of this program, where it calls itself: to read PDFs and web
	// pages, to run JavaScript and to decode pictures (internal/doctext, internal/quickjs,
	// internal/picture). Empty: it does not; pictures it decodes in this process.
	Program string
	// TakeOver claims the store and the Temporal namespace for each other even if
	// they belonged to others before, unless one of those is alive.
	TakeOver bool
	// Clock is this machine's; default: time.Now.
	Clock func() time.Time
	// Settings, if set, changes the workflows' settings.
	Settings func(*workflows.Settings)
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
	key         string // makes the owner
	owner       string // of the leases that this process holds
	connections connections
	acts        *activities.Activities
	crowdWarned sync.Map // of [errand.CrowdedAgent]: it was logged
	a2a         *a2aserver.Server
	webTools    webtools.Options
	skills      []tools.Tool
	coding      *acpclient.Agents // nil: there are none
	presence    *presence.Presence
	titles      *titles.Namer           // nil: chats are called by their first words
	code        code.Found              // what runs programs
	models      *modelcheck.Checker     // nil: they are not configured ones
	llm         *llm.Client             // likewise
	pauses      *pauses                 // nil: nobody shares the limits of providers
	hooks       map[string]http.Handler // what platforms call, by path
	metrics     *metrics.Metrics
	slots       config.Slots
	stopTimeout time.Duration
	stops       []func(context.Context) // in order of start
	failed      chan error
	serving     sync.WaitGroup
	web         atomic.Pointer[web.Server] // nil until it serves

	whatsappPart
}

// Start starts an installation. What it printed to Options.Out says where to
// look. The caller ends it with Stop.
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
	a := &App{log: o.Logger, owner: ownerName(), failed: make(chan error, 1), metrics: metrics.New(o.Version), slots: o.Config.Slots, stopTimeout: o.StopTimeout}
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
		// A workflow task that died with its worker is handed out again only
		// after this time. Here the worker is as near as can be.
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
	a.startPresence()
	a.startPushes()
	a.shareLimits()
	if embedded {
		// Whatever the process before had begun can go on now, rather than when its
		// heartbeat is missed.
		release(ctx, a.Dispatch, a.Store, a.log)
	}
	a.startMCP() // before the workers: it stops after them
	a.startCoding(cfg)
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

// Wait blocks until ctx is done or a part of the installation failed.
func (a *App) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-a.failed:
		return err
	}
}

// Stop ends what was started, the last part first.
func (a *App) Stop(ctx context.Context) {
	for i := len(a.stops) - 1; i >= 0; i-- {
		a.stops[i](ctx)
	}
	a.stops = nil
	a.serving.Wait()
}

func (a *App) stopWith(f func(context.Context)) { a.stops = append(a.stops, f) }

// runUntilStop runs a part beside all else until Stop ends it, which waits for its end.
func (a *App) runUntilStop(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	a.serving.Go(func() {
		defer close(ended)
		run(ctx)
	})
	a.stopWith(func(context.Context) {
		cancel()
		<-ended
	})
}

func (a *App) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}

// listen takes the port of the pages first: whatever else goes wrong, a second
// worker on the same machine is told at once.
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
	a.runUntilStop(func(ctx context.Context) { // whose requests under way need the store
		if err := server.Serve(ctx, listener); err != nil && !errors.Is(err, context.Canceled) {
			a.fail(fmt.Errorf("serve pages: %w", err))
		}
	})
	return nil
}

// watch has the store and Temporal agree. Once it has ended another worker has the lease.
func (a *App) watch() { a.runUntilStop(a.Reconciler.Run) }

// nameChats has chats named, by one worker, beside all else: models may be slow. What a call
// has cost is kept before it ends.
func (a *App) nameChats() {
	if a.titles == nil {
		return
	}
	a.runUntilStop((&elect.Elector{Leases: a.Store, Of: store.Duty("titles"), Owner: a.owner, Do: a.titles.Run, Logger: a.log}).Run)
}

// schedule has maintenance scheduled, and again if somebody deletes that. Nobody waits
// for it: on a server that has just been started it takes a while, and errand can do
// without for a day.
func (a *App) schedule() {
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() { keepScheduled(ctx, a.Dispatch.EnsureSchedule, a.Dispatch.RestoreSchedule, a.log) })
	a.stopWith(func(context.Context) { cancel() })
}

// How often maintenance is tried to be scheduled, and how often it is looked whether it
// still is.
const (
	scheduleAgain = 10 * time.Second
	scheduleEvery = 10 * time.Minute
)

// keepScheduled calls ensure until it succeeds, and restore every so often after that.
func keepScheduled(ctx context.Context, ensure, restore func(context.Context) error, log *slog.Logger) {
	failing := false
	for {
		wait, err := scheduleEvery, ensure(ctx)
		switch {
		case err == nil:
			ensure, failing = restore, false
		case ctx.Err() != nil:
			return
		case !failing: // while Temporal is away it is said once
			log.Warn("maintenance is not scheduled; it is tried again", "error", err)
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
