package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// A pairing is somebody who asks to be let in.
type pairing struct {
	Code string
	identity
	State   string
	Address string
	Person  errand.PersonID // who they are known as by now
	Created time.Time
	Expires time.Time
}

// who is how p calls itself; anybody can call themselves anything.
func (p pairing) who() string { return cmp.Or(line(p.Name), line(p.ExternalID)) }

func newUsersPending(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "pending", Short: "List who asks to be let in", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.Get(cmd.Context(), waiting())
			rows, done, err := console.List[pairing](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "Nobody asks to be let in.")
				return nil
			}
			t := &console.Table{Head: []string{"CODE", "ASKED", "EXPIRES", "NAME", "ON", "SENDER", "KNOWN AS"}, Loose: []int{3, 5}}
			for _, p := range rows {
				t.Add(p.Code, console.Ago(p.Created, c.Began), console.Ahead(p.Expires, c.Began), p.Name, on(p.Channel, p.Account),
					cmp.Or(p.Address, p.ExternalID), cmp.Or(string(p.Person), "-"))
			}
			t.Write(c.Out, c.Style, c.Width())
			return nil
		},
	}
}

// waiting is who can be decided about.
func waiting() string { return client.Filtered(client.Resource("pairings"), "waiting", "true") }

func newUsersApprove(c *cli) *cobra.Command {
	var role, as string
	cmd := &cobra.Command{
		Use: "approve CODE", Short: "Let somebody in who has shown you this code",
		Long:              "The code is what errand told the sender. With --as, the sender is a person that errand knows already.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			type approved struct {
				Pairing pairing
				Person  person
			}
			raw, err := c.Post(cmd.Context(), client.Resource("pairings", args[0], "approve"), map[string]string{"role": role, "person": as})
			a, done, err := console.One[approved](&c.Console, raw, c.notApproved(cmd.Context(), as, err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s may use errand, as %s.\n", a.Person.displayName(), line(a.Person.roleName()))
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
		return client.WithHint(err, "users pending")
	}
	return c.nameMatches(ctx, as, err)
}

func newUsersDeny(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "deny CODE", Short: "Do not let somebody in", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.Post(cmd.Context(), client.Resource("pairings", args[0], "deny"), nil)
			if err != nil {
				return client.WithHint(err, "users pending")
			}
			if c.JSON {
				return c.PrintJSON(raw)
			}
			fmt.Fprintf(c.Out, "The request with the code %s is denied.\n", line(strings.ToUpper(args[0])))
			return nil
		},
	}
}

func (c *cli) completeCodes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, waiting(), func(p pairing) string { return choice(p.Code, p.who()+", "+on(p.Channel, p.Account)) })
}
