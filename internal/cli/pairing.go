package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
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
func (p pairing) who() string { return first(line(p.Name), line(p.ExternalID)) }

func newUsersPending(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "pending", Short: "List who asks to be let in", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.get(cmd.Context(), waiting())
			rows, done, err := list[pairing](c, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.out, "Nobody asks to be let in.")
				return nil
			}
			t := &table{head: []string{"CODE", "ASKED", "EXPIRES", "NAME", "ON", "SENDER", "KNOWN AS"}, loose: []int{3, 5}}
			for _, p := range rows {
				t.add(p.Code, ago(p.Created, c.began), ahead(p.Expires, c.began), p.Name, on(p.Channel, p.Account),
					first(p.Address, p.ExternalID), first(string(p.Person), "-"))
			}
			t.write(c.out, c.style, c.width())
			return nil
		},
	}
}

// waiting is who can be decided about.
func waiting() string { return filtered(resource("pairings"), "waiting", "true") }

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
			raw, err := c.post(cmd.Context(), resource("pairings", args[0], "approve"), map[string]string{"role": role, "person": as})
			a, done, err := one[approved](c, raw, c.notApproved(cmd.Context(), as, err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.out, "%s may use errand, as %s.\n", a.Person.named(), line(a.Person.Role))
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
		return seek(err, "users pending")
	}
	return c.whom(ctx, as, err)
}

func newUsersDeny(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "deny CODE", Short: "Do not let somebody in", Args: cobra.ExactArgs(1), ValidArgsFunction: c.completeCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.post(cmd.Context(), resource("pairings", args[0], "deny"), nil)
			if err != nil {
				return seek(err, "users pending")
			}
			if c.json {
				return c.printJSON(raw)
			}
			fmt.Fprintf(c.out, "Whoever has the code %s is not let in.\n", line(strings.ToUpper(args[0])))
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
