package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"errand/internal/config"
	"errand/internal/version"
)

// Main runs the command line of a program that only serves, and returns its exit code: 1 if errand
// could not start or ended by itself, 2 for an invalid command line.
func Main(name string, args []string) int {
	if code, is := Job(args); is {
		return code
	}
	flags, err := config.ParseFlags(name, args, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case flags == nil:
		return 2 // ParseFlags has printed the error
	case err == nil:
		err = Run(context.Background(), *flags)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "errand:", err)
		return 1
	}
	return 0
}

// Run serves until the process is interrupted, ctx is done or errand cannot continue. It then
// finishes running steps or leaves them to other workers.
func Run(ctx context.Context, flags config.Flags) error {
	cfg, err := config.Load(config.Sources{Flags: flags, Tools: ToolNames(), OwnTools: OwnToolNames()})
	if err != nil {
		return err
	}
	log := newLogger(cfg)
	program, err := os.Executable()
	if err != nil {
		log.Warn("errand cannot find its own program file, so it cannot read PDFs and web pages or use the built-in JavaScript sandbox, and decodes pictures in this process", "error", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	LimitCachedWorkflows(cfg)
	a, err := Start(ctx, Options{Config: cfg, Version: version.Number(), Out: os.Stdout, Unattended: !term.IsTerminal(int(os.Stdout.Fd())),
		Logger: log, TakeOver: flags.TakeOver, Program: program})
	if err != nil {
		return err
	}
	err = a.Wait(ctx)
	signal.Reset(os.Interrupt, syscall.SIGTERM) // a second Ctrl-C ends the process at once
	fmt.Println("\nerrand is stopping: it finishes running steps or hands them on")
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 40*time.Second)
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
