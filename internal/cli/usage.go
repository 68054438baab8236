package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func newUsage(c *cli) *cobra.Command {
	var days int
	var who string
	cmd := &cobra.Command{
		Use: "usage", Short: "Show model calls and their cost by person and agent", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 {
				return console.Misusef("--days must be 1 or more")
			}
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			usage, err := api.Call(cmd.Context(), c.API(), api.GetUsage, api.GetUsageInput{Days: days, Person: api.Person{Person: core.PersonID(id)}})
			u, done, err := console.One(&c.Console, usage, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"PERSON", "AGENT", "MODEL", "CALLS", "TOKENS IN", "CACHED", "OUT", "COST"}, Loose: []int{1, 2}}
			names := map[core.PersonID]string{}
			if who != "" {
				names = c.names(cmd.Context())
			}
			row := func(person, agent, model string, calls, in, cached, out int, cost float64) {
				t.Add(person, agent, model, strconv.Itoa(calls), strconv.Itoa(in), strconv.Itoa(cached), strconv.Itoa(out), c.Money(cost))
			}
			for _, p := range u.People {
				row(cmp.Or(names[p.Person], string(p.Person)), string(p.Agent), p.Model, p.Calls, p.InputTokens, p.CachedTokens, p.OutputTokens, p.Cost)
			}
			all := u.Total
			row("all", "", "", all.Calls, all.InputTokens, all.CachedTokens, all.OutputTokens, all.Cost)
			fmt.Fprintf(c.Out, "Since %s:\n", c.Moment(u.From))
			c.PrintTable(t)
			c.printPrices(cmd.Context())
			return nil
		},
	}
	cmd.Flags().IntVar(&days, "days", 0, "how many days back (default: today)")
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	return cmd
}

// printPrices says where the prices of the models come from, if errand answers.
func (c *cli) printPrices(ctx context.Context) {
	about, err := api.Call(ctx, c.API(), api.GetAbout, api.None{})
	if err != nil {
		return // the table stands without them
	}
	for _, m := range about.Value.Models {
		fmt.Fprintf(c.Out, "%s: %s\n", line(cmp.Or(m.Name, m.Model)), line(m.Price))
	}
}
