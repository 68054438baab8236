package main

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

// confirm asks somebody at a terminal whether that is meant. Elsewhere nobody
// can be asked: whoever wrote the script has decided.
func (c *cli) confirm(ctx context.Context, question string) error {
	if !c.inTTY {
		return nil
	}
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
