package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func newHooks(c *cli) *cobra.Command {
	return group("hooks", "See what programs were told of the ends of tasks, and try their addresses",
		newHooksList(c), newHooksTry(c), newHooksSecret(c))
}

func newHooksList(c *cli) *cobra.Command {
	var person string
	cmd := &cobra.Command{
		Use: "list", Short: "List what programs were told, or are to be, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			hooks, err := c.API().ListHooks(cmd.Context(), &api.ListHooksParams{Person: person})
			rows, done, err := console.List(&c.Console, hooks, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("Nothing yet: a program that gives a task by POST /trigger-bot with a callback_url is told of its end.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "STATE", "TASK", "TRIED", "SINCE", "WHERE", "WHY NOT"}, Loose: []int{5, 6}, Painted: 1, Paint: c.Style.State, Of: "webhook"}
			for _, h := range rows {
				t.Add(h.ID, h.State, string(h.Task), fmt.Sprint(h.Attempts), c.Brief(h.Created), h.URL, cmp.Or(h.Error, "-"))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&person, "person", "", "whose, by id; * for everybody's")
	return cmd
}

func newHooksTry(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "try URL", Short: "Send a signed webhook of type test to an address, once", Args: cobra.ExactArgs(1),
		Example: `  errand hooks try https://example.org/hook`,
		RunE: func(cmd *cobra.Command, args []string) error {
			tried, err := c.API().TryHook(cmd.Context(), api.TryHookBody{URL: args[0]})
			got, done, err := console.One(&c.Console, tried, err)
			switch {
			case err != nil:
				return err
			case !got.OK && done: // the answer says why
				return &console.Failure{Code: console.ExitFailed}
			case !got.OK:
				return c.Failf("%s was not taken: %s", line(got.ID), line(got.Reason))
			case !done:
				c.Printlnf("%s was taken.", line(got.ID))
			}
			return nil
		},
	}
}

func newHooksSecret(c *cli) *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use: "secret", Short: "Show what your webhooks are signed with", Args: cobra.NoArgs,
		Long: `Shows the secret that your webhooks are signed with, as Standard Webhooks has it:
their libraries check a webhook with it. Who has it can sign as errand does.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, err := c.API().GetHookSecret(cmd.Context(), api.GetHookSecretBody{Renew: &renew})
			got, done, err := console.One(&c.Console, secret, err)
			if done || err != nil {
				return err
			}
			// Alone on stdout, so that SECRET=$(errand hooks secret) works.
			fmt.Fprintln(c.Out, line(got.Secret))
			return nil
		},
	}
	cmd.Flags().BoolVar(&renew, "renew", false, "draw another: what is sent from now on is signed with it")
	return cmd
}
