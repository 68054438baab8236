package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

func newUsersPending(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "pending", Short: "List who requests access", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pairings, err := c.API().ListPairings(cmd.Context(), waiting())
			rows, done, err := console.List(&c.Console, pairings, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("No requests for access.")
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

func waiting() *api.ListPairingsParams { return &api.ListPairingsParams{Waiting: true} }

func newUsersApprove(c *cli) *cobra.Command {
	var role, as string
	cmd := &cobra.Command{
		Use: "approve CODE", Short: "Give access to somebody who has shown you this code",
		Long:              "The code is what errand told the sender. With --as, the sender is a person that errand knows already.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			approved, err := c.API().ApprovePairing(cmd.Context(), args[0], api.ApprovePairingBody{Role: &role, Person: &as})
			a, done, err := console.One(&c.Console, approved, c.notApproved(cmd.Context(), as, err))
			if done || err != nil {
				return err
			}
			c.Printlnf("%s may use errand, as %s.", displayName(a.Person.ID, a.Person.Name), line(c.role(a.Person.Role)))
			return nil
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "the role they get: "+roleNames()+" (default "+string(errand.Member)+")")
	cmd.Flags().StringVar(&as, "as", "", "the person that they are")
	return cmd
}

// notApproved says where to look for the name that was not known: the code's,
// unless a person was named, too.
func (c *cli) notApproved(ctx context.Context, as string, err error) error {
	if as == "" {
		return c.WithHint(err, "users pending")
	}
	return c.nameMatches(ctx, as, err)
}

func newUsersDeny(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "deny CODE", Short: "Deny somebody access", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			denied, err := c.API().DenyPairing(cmd.Context(), args[0])
			if _, done, err := console.One(&c.Console, denied, c.WithHint(err, "users pending")); done || err != nil {
				return err
			}
			c.Printlnf("The request with the code %s is denied.", line(strings.ToUpper(args[0])))
			return nil
		},
	}
}

func (c *cli) completeCodes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, asked((*api.Client).ListPairings, waiting()), func(p api.Pairing) string {
		return choice(p.Code, cmp.Or(line(p.Name), line(p.ExternalID))+", "+on(p.Channel, p.Account)) // anybody can call themselves anything
	})
}
