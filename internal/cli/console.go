// Package cli is errand's command for people and scripts: every subcommand, its
// flags and its exit code. It talks to a running worker over HTTP.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// Main carries out a command line on the process's own terminal and returns its
// exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return run(ctx, args, console{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv:   os.Getenv,
		inTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		outTTY:   term.IsTerminal(int(os.Stdout.Fd())),
		errTTY:   term.IsTerminal(int(os.Stderr.Fd())),
		terminal: int(os.Stdin.Fd()),
	})
}

// A console is what a command reads and writes. Tests make their own.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string

	inTTY, outTTY, errTTY bool
	terminal              int // file descriptor of the terminal, if inTTY
}

// width returns the columns of the terminal, or 0 where there is none.
func (c console) width() int {
	if !c.outTTY {
		return 0
	}
	w, _, err := term.GetSize(c.terminal)
	if err != nil || w < 20 {
		return 80
	}
	return w
}

// colours reports whether w, a terminal or not, gets colours
// (https://no-color.org).
func (c console) colours(tty bool) bool {
	return tty && c.getenv("NO_COLOR") == "" && c.getenv("TERM") != "dumb"
}
