package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
)

// lock runs before any file in the folder is opened.
func (a *App) lock(cfg *config.Config) error {
	unlock, err := LockData(cfg.Data)
	if err != nil {
		return err
	}
	a.stopWith(func(context.Context) {
		if err := unlock(); err != nil {
			a.log.Warn("data folder not unlocked", "error", err)
		}
	})
	return nil
}

// LockData makes sure that no other process uses a data folder. The operating system releases the
// lock when the process ends, in any way.
func LockData(dir string) (unlock func() error, err error) {
	if err := privateFolder(dir); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, "lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock data folder %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("another errand is running on %s: stop it, or use another folder (ERRAND_DATA) and --port-offset", dir)
	}
	return l.Unlock, nil
}

func (a *App) openStore(ctx context.Context, o Options) error {
	cfg := o.Config
	catalog, err := texts.New(cfg.Texts)
	if err != nil {
		return err
	}
	notifications := activities.Notifications{Roster: cfg.Roster, Texts: catalog, Language: cfg.Language, Zone: cfg.Zone()}
	opts := store.Options{Notification: notifications.Text, Logger: a.log, Local: o.Clock, OnTaskEnd: func(state core.TaskState) { a.metrics.TasksEnded.Add(string(state)) }, Limits: store.Limits{
		Turn:      amount(cfg.Budgets.Turn),
		PersonDay: amount(cfg.Budgets.PersonDay),
		OpenTasks: cfg.Limits.OpenTasks, Workspaces: store.WorkspaceLimits{Person: int64(cfg.Limits.Workspaces.Person), All: int64(cfg.Limits.Workspaces.All)},
		Files: store.FileLimits{PersonDay: int64(cfg.Limits.PerDay.Person), Day: int64(cfg.Limits.PerDay.All)},
	}}
	opts.Migrations = o.Migrations
	opts.Agents = cfg.Rights.Agents(cfg.Roster.Names())
	at := database(cfg)
	opts.PostgreSQL, opts.SQLite = at.PostgreSQL, at.SQLite
	if opts.SQLite != "" {
		if cfg.Temporal.Address == "" && empty(opts.SQLite) && !empty(filepath.Join(cfg.Data, "temporal.db")) {
			return fmt.Errorf("%s is missing or empty, but Temporal's database beside it has work that belongs to it: restore errand.db, "+
				`or run "errand upgrade", which sets temporal.db aside`, opts.SQLite)
		}
		opts.Full = cfg.Durability == config.DurabilityFull
	}
	if err := checkRoom(cfg.Data); err != nil {
		return err
	}
	st, err := store.Open(ctx, opts)
	if err != nil {
		return err
	}
	a.Store = st
	a.attempts = activities.NewAttempts(st, a.log)
	a.stopWith(func(context.Context) {
		if err := st.Close(); err != nil {
			a.log.Warn("store not closed", "error", err)
		}
	})
	return nil
}

// checkRoom fails early, because on a full disk the store may open while the embedded Temporal
// server hangs without an error.
func checkRoom(data string) error {
	f, err := os.CreateTemp(data, "room-")
	if err != nil {
		return fmt.Errorf("write to the data folder: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10))
	if err = errors.Join(err, f.Close()); errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("cannot write %s, because the disk is full: make room, and start errand again: %w", data, err)
	}
	return err
}

// docs/workers.md has the same list for a cluster.
var fairQueues = []string{wire.SubAgentQueue, wire.WebhookQueue}

func (a *App) connect(ctx context.Context, o Options) (embedded bool, err error) {
	cfg := o.Config
	opts := client.Options{HostPort: cfg.Temporal.Address}
	if cfg.Temporal.Address != "" {
		if opts, err = clientOptions(cfg); err != nil {
			return false, fmt.Errorf("read the settings of the Temporal client from the environment: %w", err)
		}
	} else {
		server, err := devserver.Start(ctx, devserver.Options{
			Dir: cfg.Data, Key: a.key, Port: cfg.TemporalPort, UIPort: cfg.UIPort, Logger: a.log,
			Durability: devserver.Durability(cfg.Durability), Authorized: a.mayUseWebUI, LogIn: logInPage(a.Address),
			FairQueues: fairQueues,
		})
		if err != nil {
			return false, err
		}
		a.stopWith(func(ctx context.Context) {
			if err := server.Stop(ctx); err != nil {
				a.log.Warn("embedded Temporal did not stop cleanly", "error", err)
			}
		})
		embedded, opts = true, server.ClientOptions()
	}
	opts.Identity = a.owner
	opts.ConnectionOptions.DialOptions = append(opts.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(a.attempts.NoteFailures))
	opts.MetricsHandler = a.metrics.Temporal()
	opts.Logger = sdklog.NewStructuredLogger(slog.New(quieter{a.log.Handler()}))
	if a.Client, err = dial(ctx, opts, o); err != nil {
		return embedded, err
	}
	a.stopWith(func(context.Context) { a.Client.Close() })
	return embedded, nil
}

func (a *App) mayUseWebUI(r *http.Request) bool {
	pages := a.web.Load()
	return pages != nil && pages.IsMasterAdmin(r)
}

// logInPage keeps the host name, because the cookie is for that host.
func logInPage(address string) func(*http.Request) string {
	return func(r *http.Request) string {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return "/"
		}
		if ip := net.ParseIP(host); ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
			host = (&url.URL{Host: r.Host}).Hostname()
		}
		return "http://" + net.JoinHostPort(host, port) + "/login.html"
	}
}

// dial waits for a cluster, which may still be starting.
func dial(ctx context.Context, opts client.Options, o Options) (client.Client, error) {
	for attempt := 1; ; attempt++ {
		dialCtx, cancel := context.WithTimeout(ctx, 10*time.Second)
		c, err := client.DialContext(dialCtx, opts)
		cancel()
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("connect to Temporal at %s: %w", opts.HostPort, err)
		}
		if denied := new(serviceerror.PermissionDenied); errors.As(err, &denied) {
			return nil, fmt.Errorf("connect to Temporal: the one at %s does not let this worker in: set TEMPORAL_API_KEY, and TEMPORAL_TLS=false if it is the embedded one of another errand, whose `errand env` prints both (%w)", opts.HostPort, err)
		}
		if attempt == 1 {
			fmt.Fprintf(o.Out, "Temporal does not answer at %s; waiting for it (%v)\n", opts.HostPort, err)
		}
		o.Logger.Warn("temporal does not answer", "address", opts.HostPort, "attempt", attempt, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
}

// searchAttributes is false if errand may not register them. It then runs without.
func (a *App) searchAttributes(ctx context.Context, cfg *config.Config) bool {
	if !cfg.Temporal.SearchAttributes {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := devserver.EnsureSearchAttributes(ctx, a.Client, namespace(cfg))
	if err != nil {
		a.log.Warn("running without search attributes", "error", err)
		return false
	}
	return true
}

func namespace(cfg *config.Config) string {
	if cfg.Temporal.Address == "" {
		return devserver.DefaultNamespace // the only one of the embedded server
	}
	return cfg.Temporal.Namespace
}

func empty(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}

func amount(b config.Budget) store.Amount {
	return store.Amount{Calls: b.Calls, Tokens: b.Tokens, Cost: b.Cost}
}

// A quieter handler logs some lines of the SDK at debug level. Attempts fail in normal operation,
// for example during a stop, and errand logs the important errors itself.
type quieter struct{ slog.Handler }

func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	switch {
	case r.Message == "Activity error.", r.Message == "Started Worker", r.Message == "Stopped Worker":
		r.Level = slog.LevelDebug
		if !q.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}

func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{q.Handler.WithAttrs(attrs)}
}

func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.Handler.WithGroup(name)} }
