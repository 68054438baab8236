package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// field prints one line of what a thing is like; nothing if value is empty.
// It takes text that has been made harmless.
func (c *cli) field(name, value string) {
	if value != "" {
		fmt.Fprintf(c.out, "%s %s\n", c.style.dim(fmt.Sprintf("%-10s", name)), value)
	}
}

// canConfirm fails elsewhere than at a terminal: nobody can be asked there, and
// nothing is removed that nobody has said yes to.
func (c *cli) canConfirm() error {
	if !c.inTTY {
		return &failure{usage, "this cannot be undone, and nobody can be asked here: say --yes"}
	}
	return nil
}

// confirm asks somebody at a terminal whether that is meant.
func (c *cli) confirm(ctx context.Context, question string) error {
	fmt.Fprintf(c.err, "%s [y/N] ", question)
	said := make(chan string, 1)
	go func() {
		text, err := bufio.NewReader(c.in).ReadString('\n')
		if err != nil && err != io.EOF {
			text = ""
		}
		said <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.err)
		return ctx.Err()
	case text := <-said:
		if text == "y" || text == "yes" {
			return nil
		}
		return failf("nothing was done")
	}
}

// plural counts things: "1 token", "3 tokens".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
