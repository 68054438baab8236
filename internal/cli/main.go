// Package cli is errand's command line: all subcommands, their flags and exit codes. The subcommand
// serve is errand itself; the others call it over HTTP.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"errand/internal/app"
	"errand/internal/cli/console"
)

// Main runs a command line on the process's own terminal and returns its exit code.
func Main(args []string) int {
	if code, is := app.Job(args); is {
		return code
	}
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
