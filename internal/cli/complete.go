package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

const completeWithin = 2 * time.Second

// offer ignores errors, because a shell cannot show them during completion.
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

// calls returns a call of an operation that answers with a list, for [offer].
func calls[In, T any](op api.Op[In, []T], in In) func(*api.Client, context.Context) (api.Answer[[]T], error) {
	return func(a *api.Client, ctx context.Context) (api.Answer[[]T], error) {
		return api.Call(ctx, a, op, in)
	}
}

// listed is like calls, for an operation that answers with pages. It reads the first page.
func listed[In, T any](op api.Op[In, api.List[T]], in In) func(*api.Client, context.Context) (api.Answer[[]T], error) {
	return func(a *api.Client, ctx context.Context) (api.Answer[[]T], error) {
		page, err := api.Call(ctx, a, op, in)
		return api.Answer[[]T]{Value: page.Value.Items}, err
	}
}

func choice(word, about string) string {
	if about = line(about); about == "" {
		return line(word)
	}
	return line(word) + "\t" + console.Fit(about, 60)
}
