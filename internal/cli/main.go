// Package cli is errand's command line: every subcommand, its flags and its exit
// code. Serve is errand itself; the others talk to it over HTTP.
package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/term"

	"errand/internal/cli/console"
	"errand/internal/pdftext"
	"errand/internal/picture"
	"errand/internal/quickjs"
)

// Main carries out a command line on the process's own terminal and returns its
// exit code. The version is what the linker was told, or "(devel)".
func Main(args []string, version string) int {
	switch {
	case slices.Equal(args, []string{pdftext.Argument}):
		return pdftext.Main(os.Stdin, os.Stdout)
	case slices.Equal(args, []string{picture.Argument}):
		return picture.Main(os.Stdin, os.Stdout)
	case slices.Equal(args, []string{quickjs.Argument}):
		return quickjs.Main(os.Stdin, os.Stdout, os.Stderr)
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
