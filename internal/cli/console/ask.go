package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"
)

// CanConfirm fails elsewhere than at a terminal: nobody can be asked there, and
// nothing is removed that nobody has said yes to.
func (c *Console) CanConfirm() error {
	if !c.InTTY {
		return &Failure{ExitUsage, c.Words.Say("this cannot be undone, and nobody can be asked here: say --yes")}
	}
	return nil
}

// Confirm asks somebody at a terminal whether that is meant.
func (c *Console) Confirm(ctx context.Context, question string) error {
	fmt.Fprintf(c.Err, "%s %s ", question, c.Words.Say("[y/N]"))
	input := make(chan string, 1)
	go func() {
		text, err := bufio.NewReader(c.In).ReadString('\n')
		if err != nil && err != io.EOF {
			text = ""
		}
		input <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return ctx.Err()
	case text := <-input:
		if slices.Contains(strings.Fields(c.Words.Say("y yes")), text) {
			return nil
		}
		return &Failure{ExitFailed, c.Words.Say("nothing was done")}
	}
}

// Secret asks somebody at a terminal for what is not shown.
func (c *Console) Secret(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c.Err, question)
	before, err := term.GetState(c.Terminal)
	if err != nil {
		return "", err
	}
	type input struct {
		text []byte
		err  error
	}
	answer := make(chan input, 1)
	go func() {
		text, err := term.ReadPassword(c.Terminal)
		answer <- input{text, err}
	}()
	select {
	case <-ctx.Done():
		// Whoever reads goes on until the process ends: what is typed is to be seen again.
		err := term.Restore(c.Terminal, before)
		fmt.Fprintln(c.Err)
		return "", errors.Join(ctx.Err(), err)
	case got := <-answer:
		fmt.Fprintln(c.Err)
		return string(got.text), got.err
	}
}

// Enter waits until somebody at a terminal presses Enter.
func (c *Console) Enter(ctx context.Context, what string) error {
	_, err := c.Line(ctx, what)
	return err
}

// Line asks somebody at a terminal for a line, and returns it without the space around
// it. What comes after the line is left to be read.
func (c *Console) Line(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c.Err, question)
	type input struct {
		text string
		err  error
	}
	answer := make(chan input, 1)
	go func() {
		var text []byte
		b := make([]byte, 1)
		for {
			switch n, err := c.In.Read(b); {
			case n == 1 && b[0] != '\n':
				text = append(text, b[0])
			case n == 1:
				answer <- input{text: strings.TrimSpace(string(text))}
				return
			case err != nil:
				answer <- input{err: err}
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return "", ctx.Err()
	case got := <-answer:
		return got.text, got.err
	}
}
