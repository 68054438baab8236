// Package console is what the commands print to and read from: a terminal or a
// script, tables, colours, questions, and the exit code.
package console

import (
	"io"
	"time"

	"golang.org/x/term"

	"errand/internal/cli/words"
)

// A Console is what a command reads and writes. Tests make their own.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string

	InTTY, OutTTY, ErrTTY bool
	Terminal              int // file descriptor of the terminal, if InTTY

	JSON  bool // what is printed is for a program
	Words words.Language
	Style Style     // for out
	Began time.Time // when the command was given
}

// Width returns the columns of the terminal, or 0 where there is none.
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

// Colours reports whether w, a terminal or not, gets colours
// (https://no-color.org).
func (c Console) Colours(tty bool) bool {
	return tty && c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb"
}
