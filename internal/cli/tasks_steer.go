package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func newTasksSteer(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "steer ID TEXT", Short: "Add to a task that is at work", Args: cobra.MinimumNArgs(2), ValidArgsFunction: c.completeTasks,
		Long:    "Its agents read the text before their next step, also while they wait for something.",
		Example: `  errand tasks steer t-7k3 "only trains that leave after eight"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := c.API().SteerTask(cmd.Context(), args[0], api.SteerTaskBody{Text: strings.Join(args[1:], " ")}, nil)
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("Added to %s. %s will read it before the next step.", line(string(t.ID)), line(t.AgentList()))
			return nil
		},
	}
}

func newTasksContinue(c *cli) *cobra.Command {
	var chat string
	cmd := &cobra.Command{
		Use: "continue ID TEXT", Short: "Go on, as a new task, with one that has ended", Args: cobra.MinimumNArgs(2), ValidArgsFunction: c.completeTasks,
		Long:    "Its agents have what they had when it ended, and then the text. The result is told in --chat, or else kept.",
		Example: `  errand tasks continue t-7k3 "and the way back?" --chat holidays`,
		RunE: func(cmd *cobra.Command, args []string) error {
			task, err := c.API().ContinueTask(cmd.Context(), args[0], api.ContinueTaskBody{Text: strings.Join(args[1:], " "), Chat: &chat}, nil)
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("%s is with %s, and goes on with %s.", line(string(t.ID)), line(t.AgentList()), line(cmp.Or(string(t.Continues), args[0])))
			return nil
		},
	}
	cmd.Flags().StringVar(&chat, "chat", "", "chat that is told the result")
	return cmd
}
