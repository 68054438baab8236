package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"
)

// CanConfirm returns an error unless input is a terminal, because a command without one
// must not remove anything unconfirmed.
func (c *Console) CanConfirm() error {
	if !c.InTTY {
		return &Failure{ExitUsage, "This can't be undone. Add --yes to confirm."}
	}
	return nil
}

// Confirm asks the person at the terminal to confirm. It returns an error unless they answer yes.
func (c *Console) Confirm(ctx context.Context, question string) error {
	fmt.Fprintf(c.Err, "%s [y/N] ", question)
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
		if text == "y" || text == "yes" {
			return nil
		}
		return &Failure{ExitFailed, "nothing was done"}
	}
}

// Secret asks the person at the terminal for a text that the terminal does not show.
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
		// The reading goroutine continues until the process ends, so show typed text again.
		err := term.Restore(c.Terminal, before)
		fmt.Fprintln(c.Err)
		return "", errors.Join(ctx.Err(), err)
	case got := <-answer:
		fmt.Fprintln(c.Err)
		return string(got.text), got.err
	}
}

// Enter waits until the person at the terminal presses Enter.
func (c *Console) Enter(ctx context.Context, what string) error {
	_, err := c.Line(ctx, what)
	return err
}

// Line asks the person at the terminal for a line, and returns it without surrounding
// white space. It does not read beyond the line.
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
