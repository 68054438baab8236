package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type reminderCommands struct{ *cli }

func newReminders(shared *cli) *cobra.Command {
	c := reminderCommands{shared}
	return group("reminders", "Show and set reminders", c.newRemindersList(), c.newRemindersAdd(), c.newRemindersCancel())
}

func (c reminderCommands) newRemindersList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List coming reminders", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reminders, err := api.Call(cmd.Context(), c.API(), api.ListReminders, api.ListRemindersInput{All: all})
			list, done, err := console.Page(&c.Console, reminders, err)
			if done || err != nil {
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(c.Out, `No reminders: errand reminders add "tomorrow at 9" "call Ann" makes one.`)
				return nil
			}
			c.PrintTable(c.reminderTable(list))
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also past and canceled reminders")
	return cmd
}

// reminderTable shows the next time of each reminder, or the last time if it has ended.
func (c reminderCommands) reminderTable(rows []core.Reminder) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "COMES", "CHAT", "WHEN", "TEXT"}, Loose: []int{3, 4, 5}, Painted: 1, Paint: c.Style.State}
	for _, r := range rows {
		comes := r.Next
		if comes.IsZero() {
			comes = r.Last
		}
		t.Add(string(r.ID), string(r.State), c.Brief(comes), cmp.Or(r.Chat, "-"), r.When, r.Text)
	}
	return t
}

func (c reminderCommands) newRemindersAdd() *cobra.Command {
	var chat string
	cmd := &cobra.Command{
		Use: "add WHEN TEXT", Short: "Have errand remind you", Args: cobra.MinimumNArgs(2),
		Example: `  errand reminders add "tomorrow at 9" "call Ann"
  errand reminders add "every monday at 8:00" "ask Sasha for the week's trains" --chat holidays`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var in api.CreateReminderInput
			in.Body.Chat, in.Body.When = chat, args[0]
			in.Body.Text = strings.Join(args[1:], " ")
			reminder, err := api.Call(cmd.Context(), c.API(), api.CreateReminder, in)
			r, done, err := console.One(&c.Console, reminder, err)
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s: %s. Next by the clock here: %s %s (%s), in chat %s.\n", line(string(r.ID)), line(r.When), c.Moment(r.Next), r.Next.Local().Format("MST"), c.Ahead(r.Next), line(cmp.Or(r.Chat, chat)))
			return nil
		},
	}
	cmd.Flags().StringVar(&chat, "chat", "main", "the chat in which you are reminded")
	return cmd
}

func (c reminderCommands) newRemindersCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "Cancel a reminder; the beginning of the ID is enough", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(c.cli, cmd, listed(api.ListReminders, api.ListRemindersInput{}), func(r core.Reminder) string {
				return choice(string(r.ID), c.Ahead(r.Next)+", "+r.Text)
			})
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			reminder, err := api.Call(cmd.Context(), c.API(), api.CancelReminder, api.CancelReminderInput{ID: args[0]})
			r, done, err := console.One(&c.Console, reminder, c.WithHint(err, "reminders list"))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Reminder %s is canceled.\n", line(cmp.Or(string(r.ID), args[0])))
			return nil
		},
	}
}
