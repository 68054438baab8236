// Package cli is errand's command for people and scripts: every subcommand, its
// flags and its exit code. It talks to a running worker over HTTP.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"errand/internal/cli/console"
)

// Main carries out a command line on the process's own terminal and returns its
// exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return Run(ctx, args, console.Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv:   os.Getenv,
		InTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		OutTTY:   term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY:   term.IsTerminal(int(os.Stderr.Fd())),
		Terminal: int(os.Stdin.Fd()),
	})
}
