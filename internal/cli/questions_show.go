package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

func (c questionCommands) newQuestionsShow() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a question, or all that an approval would allow; the beginning of the ID is enough", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			question, err := api.Call(cmd.Context(), c.API(), api.GetQuestion, api.QuestionID{ID: args[0]})
			q, done, err := console.One(&c.Console, question, c.WithHint(err, "questions list"))
			if done || err != nil {
				return err
			}
			c.printQuestion(&q)
			return nil
		},
	}
}

func (c questionCommands) printQuestion(q *api.Question) {
	fmt.Fprintf(c.Out, "%s  %s\n\n%s\n\n", q.ID, c.state(string(q.State)), line(q.Text))
	if a := q.Approval; a != nil {
		fmt.Fprintf(c.Out, "%s will receive:\n", line(a.Tool))
		for l := range strings.SplitSeq(a.Arguments, "\n") {
			text := strings.TrimLeft(l, " ")
			fmt.Fprintf(c.Out, "  %s%s\n", l[:len(l)-len(text)], line(text))
		}
		fmt.Fprintln(c.Out)
		c.questionField("hash", a.Hash)
	}
	for i, o := range q.Options {
		c.questionField(fmt.Sprintf("option %d", i+1), o)
	}
	c.questionField("agent", q.Agent.Display())
	c.questionField("task", string(q.Task))
	c.questionField("asked in", strings.TrimSpace(q.Channel+" "+q.Chat))
	if q.State == core.QuestionOpen {
		who := strings.Join(q.Deciders, ", ")
		if who == "" {
			who = "nobody: no person has the role"
		}
		c.questionField("may answer", who)
		c.questionField("expires", q.Expires.Format(time.RFC3339))
		return
	}
	c.questionField("answer", q.Answer)
	c.questionField("answered by", string(q.AnsweredBy))
}

func (c questionCommands) questionField(name, value string) {
	if value != "" {
		fmt.Fprintf(c.Out, "%-12s%s\n", name, line(value))
	}
}
