package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func newReminders(c *cli) *cobra.Command {
	return group("reminders", "See what you will be reminded of, and when", newRemindersList(c), newRemindersAdd(c), newRemindersCancel(c))
}

func newRemindersList(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the reminders that will come", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			reminders, err := c.API().ListReminders(cmd.Context(), &api.ListRemindersParams{All: all})
			rows, done, err := console.List(&c.Console, reminders, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf(`No reminders: errand reminders add "tomorrow at 9" "call Ann" makes one.`)
				return nil
			}
			c.PrintTable(c.reminderTable(rows))
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that are done or canceled, too")
	return cmd
}

// reminderTable shows rows: when each comes, or came where it will not again.
func (c *cli) reminderTable(rows []api.Reminder) *console.Table {
	t := &console.Table{Head: []string{"ID", "STATE", "COMES", "CHAT", "WHEN", "TEXT"}, Loose: []int{3, 4, 5}, Painted: 1, Paint: c.Style.State, Of: "reminder"}
	for _, r := range rows {
		comes := r.Next
		if comes.IsZero() {
			comes = r.Last
		}
		t.Add(string(r.ID), r.State, c.Brief(comes), cmp.Or(r.Chat, "-"), r.When, r.Text)
	}
	return t
}

func newRemindersAdd(c *cli) *cobra.Command {
	var chat string
	cmd := &cobra.Command{
		Use: "add WHEN TEXT", Short: "Have errand remind you", Args: cobra.MinimumNArgs(2),
		Example: `  errand reminders add "tomorrow at 9" "call Ann"
  errand reminders add "every monday at 8:00" "ask Sasha for the week's trains" --chat holidays`,
		RunE: func(cmd *cobra.Command, args []string) error {
			reminder, err := c.API().CreateReminder(cmd.Context(), api.CreateReminderBody{Chat: &chat, When: args[0], Text: strings.Join(args[1:], " ")})
			r, done, err := console.One(&c.Console, reminder, err)
			if done || err != nil {
				return err
			}
			c.Printlnf("%s: %s. Next by the clock here: %s %s (%s), in chat %s.", line(string(r.ID)), line(r.When), c.Moment(r.Next),
				r.Next.Local().Format("MST"), c.Ahead(r.Next), line(cmp.Or(r.Chat, chat)))
			return nil
		},
	}
	cmd.Flags().StringVar(&chat, "chat", "main", "the chat in which you are reminded")
	return cmd
}

func newRemindersCancel(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "Cancel a reminder; ID may be the beginning of one", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(c, cmd, asked((*api.Client).ListReminders, nil), func(r api.Reminder) string { return choice(string(r.ID), c.Ahead(r.Next)+", "+r.Text) })
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			reminder, err := c.API().CancelReminder(cmd.Context(), args[0])
			r, done, err := console.One(&c.Console, reminder, c.WithHint(err, "reminders list"))
			if done || err != nil {
				return err
			}
			c.Printlnf("Reminder %s will not come any more.", line(cmp.Or(string(r.ID), args[0])))
			return nil
		},
	}
}
