// Package cli is errand's command line: every subcommand, its flags and its exit
// code. Serve is errand itself; the others talk to it over HTTP.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"errand/internal/cli/console"
	"errand/internal/cli/serve"
)

// Main carries out a command line on the process's own terminal and returns its
// exit code. The version is what the linker was told, or "(devel)".
func Main(args []string, version string) int {
	if code, is := serve.Job(args); is {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return run(ctx, args, version, console.Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv:   os.Getenv,
		InTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		OutTTY:   term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY:   term.IsTerminal(int(os.Stderr.Fd())),
		Terminal: int(os.Stdin.Fd()),
	})
}
