package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

func newQuestionsShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a question, and of an approval all that is to be approved; ID may be the beginning of one", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := c.API().GetQuestion(cmd.Context(), args[0])
			q, done, err := console.One(&c.Console, question, c.WithHint(err, "questions list"))
			if done || err != nil {
				return err
			}
			c.printQuestion(&q)
			return nil
		},
	}
}

func (c *cli) printQuestion(q *api.ShownQuestion) {
	fmt.Fprintf(c.Out, "%s  %s\n\n%s\n\n", q.ID, c.state(string(q.State)), line(q.Text))
	if a := q.Approval; a != (errand.Approval{}) {
		c.Printlnf("%s will be given:", line(a.Tool))
		for l := range strings.SplitSeq(a.Arguments, "\n") {
			text := strings.TrimLeft(l, " ")
			fmt.Fprintf(c.Out, "  %s%s\n", l[:len(l)-len(text)], line(text))
		}
		fmt.Fprintln(c.Out)
		c.questionField(c.Sayf("hash"), a.Hash)
	}
	for i, o := range q.Options {
		c.questionField(c.Sayf("option %d", i+1), o)
	}
	c.questionField(c.Sayf("agent"), q.Agent.Display())
	c.questionField(c.Sayf("task"), string(q.TaskID))
	c.questionField(c.Sayf("asked in"), strings.TrimSpace(q.Channel+" "+q.Chat))
	if q.State == errand.QuestionOpen {
		who := strings.Join(q.Deciders, ", ")
		if who == "" {
			who = c.Sayf("nobody: no person has the role")
		}
		c.questionField(c.Sayf("may answer"), who)
		c.questionField(c.Sayf("expires"), q.Expires.Format(time.RFC3339))
		return
	}
	c.questionField(c.Sayf("answer"), q.Answer)
	c.questionField(c.Sayf("answered by"), string(q.AnsweredBy))
}

// questionField prints one line of what a question is like; nothing if value is empty.
func (c *cli) questionField(name, value string) {
	if value != "" {
		fmt.Fprintf(c.Out, "%-12s%s\n", name, line(value))
	}
}
