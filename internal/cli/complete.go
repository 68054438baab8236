package cli

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"errand/internal/cli/console"
)

// completeWithin is how long a shell waits for what can be completed.
const completeWithin = 2 * time.Second

// offer asks the worker for the list at path and offers what name makes of its
// rows. A shell that completes is not the place to say that something failed.
func offer[T any](c *cli, cmd *cobra.Command, path string, name func(T) string) ([]string, cobra.ShellCompDirective) {
	if c.connect() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	raw, err := c.Get(ctx, path)
	var rows []T
	if err != nil || json.Unmarshal(raw, &rows) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, row := range rows {
		if n := name(row); n != "" {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// choice is a word to complete, with what the shell shows beside it.
func choice(word, about string) string {
	if about = line(about); about == "" {
		return line(word)
	}
	return line(word) + "\t" + console.Fit(about, 60)
}
