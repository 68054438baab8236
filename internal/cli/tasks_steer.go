package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
)

func (c taskCommands) newTasksSteer() *cobra.Command {
	return &cobra.Command{
		Use: "steer ID TEXT", Short: "Add to a running task", Args: cobra.MinimumNArgs(2), ValidArgsFunction: c.completeTasks,
		Long:    "Its agents read the text before their next step, also while they wait for something.",
		Example: `  errand tasks steer t-7k3 "only trains that leave after eight"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in := api.SteerTaskInput{TaskRef: changed(args[0])}
			in.Body.Text = strings.Join(args[1:], " ")
			task, err := api.Call(cmd.Context(), c.API(), api.SteerTask, in)
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Added to %s. %s will read it before the next step.\n", line(string(t.ID)), line(t.AgentList()))
			return nil
		},
	}
}

func (c taskCommands) newTasksContinue() *cobra.Command {
	var chat string
	cmd := &cobra.Command{
		Use: "continue ID TEXT", Short: "Continue a task that has ended, as a new task", Args: cobra.MinimumNArgs(2), ValidArgsFunction: c.completeTasks,
		Long:    "Its agents get what they had when it ended, and then the text. The result comes to --chat, or else errand keeps it.",
		Example: `  errand tasks continue t-7k3 "and the way back?" --chat holidays`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in := api.ContinueTaskInput{TaskRef: changed(args[0])}
			in.Body.Text, in.Body.Chat = strings.Join(args[1:], " "), chat
			task, err := api.Call(cmd.Context(), c.API(), api.ContinueTask, in)
			t, done, err := console.One(&c.Console, task, c.candidates(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is with %s, and continues %s.\n", line(string(t.ID)), line(t.AgentList()), line(cmp.Or(string(t.Continues), args[0])))
			return nil
		},
	}
	cmd.Flags().StringVar(&chat, "chat", "", "the chat that gets the result")
	return cmd
}
