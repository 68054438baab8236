package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// An amount is what model calls took.
type amount struct {
	Calls        int
	InputTokens  int `json:"input_tokens"`
	CachedTokens int `json:"cached_tokens"`
	OutputTokens int `json:"output_tokens"`
	Cost         float64
}

func newUsage(c *cli) *cobra.Command {
	var days int
	var who string
	cmd := &cobra.Command{
		Use: "usage", Short: "See how many model calls were made, for whom, and what they cost", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 {
				return &console.Failure{Code: console.ExitUsage, Text: "--days is how many days back to look, from 1"}
			}
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			raw, err := c.Get(cmd.Context(), client.Filtered(client.Resource("usage"), "days", number(days), "person", id))
			type used struct {
				From   time.Time
				People []struct {
					Person, Agent, Model string
					amount
				}
				Total amount
			}
			u, done, err := console.One[used](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"PERSON", "AGENT", "MODEL", "CALLS", "TOKENS IN", "CACHED", "OUT", "COST"}, Loose: []int{1, 2}}
			names := map[errand.PersonID]string{}
			if who != "" {
				names = c.names(cmd.Context())
			}
			row := func(person, agent, model string, a amount) {
				t.Add(person, agent, model, strconv.Itoa(a.Calls), strconv.Itoa(a.InputTokens), strconv.Itoa(a.CachedTokens), strconv.Itoa(a.OutputTokens), console.Money(a.Cost))
			}
			for _, p := range u.People {
				row(cmp.Or(names[errand.PersonID(p.Person)], p.Person), p.Agent, p.Model, p.amount)
			}
			row("all", "", "", u.Total)
			fmt.Fprintf(c.Out, "Since %s:\n", console.Moment(u.From))
			t.Write(c.Out, c.Style, c.Width())
			return nil
		},
	}
	cmd.Flags().IntVar(&days, "days", 0, "how many days back (default: today)")
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	return cmd
}
