package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// mostSecret is far more than any token is long.
const mostSecret = 16 << 10

// readShort reads a small file.
func readShort(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readAllShort(f)
}

func readAllShort(r io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, mostSecret+1))
	if len(raw) > mostSecret {
		err = errors.New("this is far too long for a token")
	}
	return string(raw), err
}

// secret asks somebody at a terminal for what is not shown.
func (c *cli) secret(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c.err, question)
	before, err := term.GetState(c.terminal)
	if err != nil {
		return "", err
	}
	type said struct {
		text []byte
		err  error
	}
	answer := make(chan said, 1)
	go func() {
		text, err := term.ReadPassword(c.terminal)
		answer <- said{text, err}
	}()
	select {
	case <-ctx.Done():
		// Whoever reads goes on until the process ends: what is typed is to be seen again.
		err := term.Restore(c.terminal, before)
		fmt.Fprintln(c.err)
		return "", errors.Join(ctx.Err(), err)
	case got := <-answer:
		fmt.Fprintln(c.err)
		return string(got.text), got.err
	}
}

// enter waits until somebody at a terminal presses Enter.
func (c *cli) enter(ctx context.Context, what string) error {
	fmt.Fprint(c.err, what)
	pressed := make(chan error, 1)
	go func() {
		b := make([]byte, 1)
		for {
			switch n, err := c.in.Read(b); {
			case err != nil:
				pressed <- err
				return
			case n == 1 && b[0] == '\n':
				pressed <- nil
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.err)
		return ctx.Err()
	case err := <-pressed:
		return err
	}
}

// printObject prints what a command did, as JSON.
func (c *cli) printObject(what any) error {
	raw, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return c.printJSON(raw)
}

// steps prints numbered lines.
func (a *addition) steps(list ...string) {
	for i, s := range list {
		a.say("  %d. %s", i+1, strings.ReplaceAll(s, "\n", "\n     "))
	}
	a.say("")
}
