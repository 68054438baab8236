package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

const completeWithin = 2 * time.Second

// offer asks the worker for a list and offers what name makes of its rows. A shell that
// completes is not the place to say that something failed.
func offer[T any](c *cli, cmd *cobra.Command, list func(*api.Client, context.Context) (api.Answer[[]T], error), name func(T) string) ([]string, cobra.ShellCompDirective) {
	if c.connect() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeWithin)
	defer cancel()
	rows, err := list(c.API(), ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, row := range rows.Value {
		if n := name(row); n != "" {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func asked[P, T any](list func(*api.Client, context.Context, *P) (api.Answer[[]T], error), p *P) func(*api.Client, context.Context) (api.Answer[[]T], error) {
	return func(a *api.Client, ctx context.Context) (api.Answer[[]T], error) { return list(a, ctx, p) }
}

func choice(word, about string) string {
	if about = line(about); about == "" {
		return line(word)
	}
	return line(word) + "\t" + console.Fit(about, 60)
}
