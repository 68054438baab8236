// Command worker is errand's long-running process. Run alone, it is a whole
// installation: the Temporal server, its Web UI, the store, the agents and the
// pages.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"errand/internal/app"
	"errand/internal/config"
)

// version is set by the linker.
var version = "(devel)"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "errand:", err)
		os.Exit(1)
	}
}

func run() error {
	flags := config.BindFlags(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; -h lists the flags", flag.Arg(0))
	}
	cfg, err := config.Load(config.Sources{Flags: *flags, Tools: app.ToolNames()})
	if err != nil {
		return err
	}
	log := newLogger(cfg)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a, err := app.Start(ctx, app.Options{Config: cfg, Version: version, Out: os.Stdout, Unattended: !term.IsTerminal(int(os.Stdout.Fd())),
		Logger: log, TakeOver: flags.TakeOver})
	if err != nil {
		return err
	}
	err = a.Wait(ctx)
	stop() // a second Ctrl-C ends it at once
	fmt.Println("\nerrand is ending: running steps are finished or handed on")
	end, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	a.Stop(end)
	return err
}

func newLogger(cfg *config.Config) *slog.Logger {
	opts := &slog.HandlerOptions{Level: cfg.Log.Level}
	if cfg.Log.Format == config.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}
