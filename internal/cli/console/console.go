// Package console is the input and output of the commands, on a terminal or in a script:
// tables, colours, questions and exit codes. It makes text from outside safe to print on a
// terminal. Its [Worker] sends requests to a running worker, and explains errors to people.
package console

import (
	"io"
	"time"

	"golang.org/x/term"
)

// A Console is the input and output of a command. Tests make their own.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string

	InTTY, OutTTY, ErrTTY bool
	Terminal              int // file descriptor of the terminal, if InTTY

	JSON  bool      // print JSON for programs
	Style Style     // for Out
	Began time.Time // when the command started
}

// Width returns the columns of the terminal, or 0 without one.
func (c Console) Width() int {
	if !c.OutTTY {
		return 0
	}
	w, _, err := term.GetSize(c.Terminal)
	if err != nil || w < 20 {
		return 80
	}
	return w
}

// Height returns the rows of the terminal.
func (c Console) Height() int {
	if _, h, err := term.GetSize(c.Terminal); err == nil && h > 0 {
		return h
	}
	return 24
}

// Colours reports whether output gets colours (https://no-color.org). tty says that it
// goes to a terminal.
func (c Console) Colours(tty bool) bool {
	return tty && c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb"
}
