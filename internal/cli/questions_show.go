package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newQuestionsShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a question, and of an approval all that is to be approved; ID may be the beginning of one", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := c.API().GetQuestion(cmd.Context(), args[0])
			q, done, err := console.One(&c.Console, question, client.WithHint(err, "questions list"))
			if done || err != nil {
				return err
			}
			c.printQuestion(&q)
			return nil
		},
	}
}

func (c *cli) printQuestion(q *api.ShownQuestion) {
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(c.Out, "%-12s%s\n", name, line(value))
		}
	}
	fmt.Fprintf(c.Out, "%s  %s\n\n%s\n\n", q.ID, c.Style.State(string(q.State), string(q.State)), line(q.Text))
	if a := q.Approval; a != (errand.Approval{}) {
		fmt.Fprintf(c.Out, "%s will be given:\n", line(a.Tool))
		for l := range strings.SplitSeq(a.Arguments, "\n") {
			text := strings.TrimLeft(l, " ")
			fmt.Fprintf(c.Out, "  %s%s\n", l[:len(l)-len(text)], line(text))
		}
		fmt.Fprintln(c.Out)
		field("hash", a.Hash)
	}
	for i, o := range q.Options {
		field("option "+strconv.Itoa(i+1), o)
	}
	field("agent", q.Agent.Display())
	field("task", string(q.TaskID))
	field("asked in", strings.TrimSpace(q.Channel+" "+q.Chat))
	if q.State == errand.QuestionOpen {
		who := strings.Join(q.Deciders, ", ")
		if who == "" {
			who = "nobody: no person has the role"
		}
		field("may answer", who)
		field("expires", q.Expires.Format(time.RFC3339))
		return
	}
	field("answer", q.Answer)
	field("answered by", string(q.AnsweredBy))
}
