package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func (c sessionCommands) newSessionsSearch() *cobra.Command {
	var who string
	var limit int
	cmd := &cobra.Command{
		Use: "search WORDS…", Short: "Search the messages", Args: cobra.MinimumNArgs(1),
		Long:    "Finds the messages that contain all WORDS, the latest first. The last one may be\nthe beginning of a word.",
		Example: `  errand sessions search night trains`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := c.personID(cmd.Context(), who)
			if err != nil {
				return err
			}
			found, err := api.Call(cmd.Context(), c.API(), api.SearchSessions, api.SearchSessionsInput{
				Text: strings.Join(args, " "), Person: api.Person{Person: core.PersonID(id)}, Limit: limit})
			hits, done, err := console.List(&c.Console, found, err)
			if done || err != nil {
				return err
			}
			if len(hits) == 0 {
				fmt.Fprintln(c.Out, "Nothing found.")
				return nil
			}
			for i, h := range hits {
				if i > 0 {
					fmt.Fprintln(c.Out)
				}
				c.showHit(h)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&who, "person", "", whosePerson)
	cmd.Flags().IntVar(&limit, "limit", 0, "how many at most")
	return cmd
}

func (c sessionCommands) showHit(h core.SearchHit) {
	who := "the person"
	if h.Speaker == core.FromAgent {
		who = line(h.Agent.Display())
	}
	fmt.Fprintln(c.Out, c.Style.Dim(fmt.Sprintf("%s, turn %d, %s, %s", short(h.Session), h.Turn, who, c.Ago(h.Created))))
	text := line(h.Excerpt)
	if w := c.Width(); w > 0 {
		text = console.Wrap(text, w-2)
	}
	for row := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(c.Out, "  "+row)
	}
}
