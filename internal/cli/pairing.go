package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func (c peopleCommands) newUsersPending() *cobra.Command {
	return &cobra.Command{
		Use: "pending", Short: "List requests for access", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pairings, err := api.Call(cmd.Context(), c.API(), api.ListPairings, api.ListPairingsInput{Waiting: true})
			rows, done, err := console.List(&c.Console, pairings, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No requests for access.")
				return nil
			}
			t := &console.Table{Head: []string{"CODE", "ASKED", "EXPIRES", "NAME", "ON", "SENDER", "KNOWN AS"}, Loose: []int{3, 5}}
			for _, p := range rows {
				t.Add(p.Code, c.Ago(p.Created), c.Ahead(p.Expires), p.Name, on(p.Channel, p.Account),
					cmp.Or(p.Address, p.ExternalID), cmp.Or(string(p.Person), "-"))
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func (c peopleCommands) newUsersApprove() *cobra.Command {
	var role, as string
	cmd := &cobra.Command{
		Use: "approve CODE", Short: "Give access to the person with this code",
		Long:              "errand showed the code to the sender. With --as, the sender is a person that errand already knows.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			in := api.ApprovePairingInput{PairingCode: api.PairingCode{Code: args[0]}}
			in.Body.Role, in.Body.Person = role, as
			approved, err := api.Call(cmd.Context(), c.API(), api.ApprovePairing, in)
			a, done, err := console.One(&c.Console, approved, c.notApproved(cmd.Context(), as, err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s may now use errand, as %s.\n", displayName(a.Person.ID, a.Person.Name), line(a.Person.Role.Display()))
			return nil
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "the role they get: "+roleNames()+" (default "+string(core.Member)+")")
	cmd.Flags().StringVar(&as, "as", "", "the person that the sender is")
	return cmd
}

// notApproved adds a hint to an error of approve: the pending requests, or the people that as
// matches.
func (c peopleCommands) notApproved(ctx context.Context, as string, err error) error {
	if as == "" {
		return c.WithHint(err, "users pending")
	}
	return c.nameMatches(ctx, as, err)
}

func (c peopleCommands) newUsersDeny() *cobra.Command {
	return &cobra.Command{
		Use: "deny CODE", Short: "Deny access", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			denied, err := api.Call(cmd.Context(), c.API(), api.DenyPairing, api.PairingCode{Code: args[0]})
			if _, done, err := console.One(&c.Console, denied, c.WithHint(err, "users pending")); done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "The request with the code %s is denied.\n", line(strings.ToUpper(args[0])))
			return nil
		},
	}
}

func (c peopleCommands) completeCodes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c.cli, cmd, calls(api.ListPairings, api.ListPairingsInput{Waiting: true}), func(p core.Pairing) string {
		return choice(p.Code, cmp.Or(line(p.Name), line(p.ExternalID))+", "+on(p.Channel, p.Account)) // a sender chooses their own name
	})
}
