package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type hookCommands struct{ *cli }

func newHooks(shared *cli) *cobra.Command {
	c := hookCommands{shared}
	return group("hooks", "Show the webhooks sent when tasks ended, and try an address",
		c.newHooksList(), c.newHooksTry(), c.newHooksSecret())
}

func (c hookCommands) newHooksList() *cobra.Command {
	var person string
	cmd := &cobra.Command{
		Use: "list", Short: "List webhooks sent and waiting, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			hooks, err := api.Call(cmd.Context(), c.API(), api.ListHooks, api.ListHooksInput{Person: api.Person{Person: core.PersonID(person)}})
			list, done, err := console.Page(&c.Console, hooks, err)
			if done || err != nil {
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(c.Out, "No webhooks yet. A program that creates a task by POST /trigger-bot with a callback_url gets a webhook when the task ends.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "STATE", "TASK", "TRIED", "SINCE", "WHERE", "WHY NOT"}, Loose: []int{5, 6}, Painted: 1, Paint: c.Style.State}
			for _, h := range list {
				t.Add(h.ID, string(h.State), string(h.Task), fmt.Sprint(h.Attempts), c.Brief(h.Created), h.URL, cmp.Or(h.Error, "-"))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().StringVar(&person, "person", "", "the person's id; * for everybody's")
	return cmd
}

func (c hookCommands) newHooksTry() *cobra.Command {
	return &cobra.Command{
		Use: "try URL", Short: "Send a signed webhook of type test to an address, once", Args: cobra.ExactArgs(1),
		Example: `  errand hooks try https://example.org/hook`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var in api.TryHookInput
			in.Body.URL = args[0]
			tried, err := api.Call(cmd.Context(), c.API(), api.TryHook, in)
			got, done, err := console.One(&c.Console, tried, err)
			switch {
			case err != nil:
				return err
			case !got.OK && done: // the output says why
				return &console.Failure{Code: console.ExitFailed}
			case !got.OK:
				return console.Failf("%s did not accept the webhook: %s", line(got.ID), line(got.Reason))
			case !done:
				fmt.Fprintf(c.Out, "%s accepted the webhook.\n", line(got.ID))
			}
			return nil
		},
	}
}

func (c hookCommands) newHooksSecret() *cobra.Command {
	var renew bool
	cmd := &cobra.Command{
		Use: "secret", Short: "Show the secret that signs your webhooks", Args: cobra.NoArgs,
		Long: `Shows the secret that signs your webhooks, in the format of Standard Webhooks, whose
libraries verify a webhook with it. Keep it secret: anyone who has it can sign webhooks.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var in api.HookSecretInput
			in.Body.Renew = renew
			secret, err := api.Call(cmd.Context(), c.API(), api.GetHookSecret, in)
			got, done, err := console.One(&c.Console, secret, err)
			if done || err != nil {
				return err
			}
			// Print only the secret on stdout, so that SECRET=$(errand hooks secret) works.
			fmt.Fprintln(c.Out, line(got.Secret))
			return nil
		},
	}
	cmd.Flags().BoolVar(&renew, "renew", false, "create a new secret, which signs webhooks from now on")
	return cmd
}
