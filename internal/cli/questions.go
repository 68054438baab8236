package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type questionCommands struct{ *cli }

func newQuestions(shared *cli) *cobra.Command {
	c := questionCommands{shared}
	return group("questions", "Show questions and approvals, and answer them", c.newQuestionsList(), c.newQuestionsShow(), c.newQuestionsAnswer())
}

func (c questionCommands) newQuestionsList() *cobra.Command {
	var all bool
	var person string
	cmd := &cobra.Command{
		Use: "list", Short: "List open questions and approvals", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			questions, err := api.Call(cmd.Context(), c.API(), api.ListQuestions, api.ListQuestionsInput{All: all, Person: core.PersonID(person)})
			rows, done, err := console.Page(&c.Console, questions, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "Nothing is waiting for an answer.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "STATE", "ASKED", "AGENT", "TASK", "QUESTION"}, Loose: []int{5}, Painted: 1, Paint: c.Style.State}
			for _, q := range rows {
				text := q.Text
				for i, o := range q.Options {
					text += " [" + strconv.Itoa(i+1) + ". " + o + "]"
				}
				if q.Answer != "" {
					text += " → " + q.Answer
				}
				t.Add(string(q.ID), string(q.State), c.Ago(q.Created), string(q.Agent), string(q.Task), text)
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also closed questions")
	cmd.Flags().StringVar(&person, "person", "", "the person who is asked: an id, or * for everybody")
	return cmd
}

func (c questionCommands) newQuestionsAnswer() *cobra.Command {
	var decline bool
	cmd := &cobra.Command{
		Use: "answer ID [TEXT]", Short: "Answer a question; the beginning of the ID is enough", Args: cobra.MinimumNArgs(1),
		Example: `  errand questions answer q-7k3 Monday
  errand questions answer q-7k3 2            # the second option
  errand questions answer q-7k3 --decline`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(c.cli, cmd, listed(api.ListQuestions, api.ListQuestionsInput{}), func(q api.Question) string { return choice(string(q.ID), q.Agent.Display()+": "+q.Text) })
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if decline == (text != "") {
				return console.Failf("give an answer, or --decline")
			}
			in := api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: args[0]}, Body: api.QuestionAnswer{Text: text, Decline: decline}}
			question, err := api.Call(cmd.Context(), c.API(), api.AnswerQuestion, in)
			q, done, err := console.One(&c.Console, question, c.WithHint(err, "questions list"))
			if done || err != nil {
				return err
			}
			if q.State == core.QuestionDeclined {
				fmt.Fprintf(c.Out, "%s continues without an answer.\n", line(q.Agent.Display()))
				return nil
			}
			fmt.Fprintf(c.Out, "%s has your answer: %s\n", line(q.Agent.Display()), line(q.Answer))
			return nil
		},
	}
	cmd.Flags().BoolVar(&decline, "decline", false, "do not answer")
	return cmd
}
