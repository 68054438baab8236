// Command starter is errand for people and scripts: it talks to a running
// worker over HTTP. In the image it is called errand.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], console{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		getenv:   os.Getenv,
		inTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		outTTY:   term.IsTerminal(int(os.Stdout.Fd())),
		errTTY:   term.IsTerminal(int(os.Stderr.Fd())),
		terminal: int(os.Stdin.Fd()),
	})
	stop()
	os.Exit(code)
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
