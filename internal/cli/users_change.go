package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newUsersRole(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "role PERSON ROLE", Short: "Give a person another role",
		Long: personHelp + "\nROLE is " + roleNames() + ", or what this installation calls it.",
		Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeRole,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.Post(cmd.Context(), client.Resource("people", args[0]), map[string]string{"role": args[1]})
			p, done, err := console.One[person](&c.Console, raw, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is %s now.\n", p.displayName(), line(p.roleName()))
			return nil
		},
	}
}

func roleNames() string {
	var names []string
	for _, r := range errand.Roles() {
		names = append(names, r.Display())
	}
	return strings.Join(names, ", ")
}

func (c *cli) completeRole(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return strings.Split(roleNames(), ", "), cobra.ShellCompDirectiveNoFileComp
	}
	return c.completePeople(cmd, args, prefix)
}

func newUsersLanguage(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "language PERSON LANG", Short: "Say in which language errand talks to a person",
		Long: personHelp + "\nLANG is a tag like en or es-MX.",
		Args: cobra.ExactArgs(2), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.Post(cmd.Context(), client.Resource("people", args[0]), map[string]string{"language": args[1]})
			p, done, err := console.One[person](&c.Console, raw, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "errand talks to %s in %s from now on.\n", p.displayName(), cmp.Or(line(p.Language), "its own language"))
			return nil
		},
	}
}

func newUsersQuiet(c *cli) *cobra.Command {
	var zone string
	cmd := &cobra.Command{
		Use: "quiet PERSON [HOURS]", Short: "Say when errand holds back from a person what can wait",
		Long:    personHelp + "\nHOURS are written as 22:00-07:00; \"off\" is never, and \"default\" is as errand.yaml says.",
		Example: "  errand users quiet ada 22:00-07:00 --zone Europe/Oslo",
		Args:    cobra.RangeArgs(1, 2), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			to := map[string]string{}
			if len(args) > 1 {
				to["quiet_hours"] = args[1]
				if args[1] == "default" {
					to["quiet_hours"] = ""
				}
			}
			if cmd.Flags().Changed("zone") {
				to["time_zone"] = zone
			}
			if len(to) == 0 {
				return &console.Failure{Code: console.ExitUsage, Text: "give HOURS, or a time zone with --zone"}
			}
			raw, err := c.Post(cmd.Context(), client.Resource("people", args[0]), to)
			p, done, err := console.One[person](&c.Console, raw, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "Quiet hours of %s: %s, by the clocks of %s.\n", p.displayName(), cmp.Or(line(p.QuietHours), "as errand.yaml says"), cmp.Or(line(p.TimeZone), "this installation"))
			return nil
		},
	}
	cmd.Flags().StringVar(&zone, "zone", "", "by whose clocks, as Europe/Oslo; empty: this installation's")
	return cmd
}

func newUsersRemove(c *cli) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove PERSON", Short: "Remove a person; asks first, and elsewhere than on a terminal wants --yes", Long: personHelp, Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes {
				if err := c.CanConfirm(); err != nil {
					return err
				}
			}
			raw, err := c.person(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := console.Decoded[person](raw)
			if err != nil {
				return err
			}
			if !yes {
				if err := c.Confirm(cmd.Context(), fmt.Sprintf("Remove %s, with identities and tokens?", p.displayName())); err != nil {
					return err
				}
			}
			if raw, err = c.Remove(cmd.Context(), client.Resource("people", string(p.ID))); err != nil {
				return err
			}
			if c.JSON {
				return c.PrintJSON(raw)
			}
			fmt.Fprintf(c.Out, "%s is removed: errand does not know them any more.\n", p.displayName())
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// newUsersLink and newUsersUnlink say who else a person is.
func newUsersLink(c *cli) *cobra.Command {
	return newIdentity(c, "link", "Say that a sender on a channel is this person", "is known as", func(cmd *cobra.Command, who string, i map[string]string) ([]byte, error) {
		return c.Post(cmd.Context(), client.Resource("people", who, "identities"), i)
	})
}

func newUsersUnlink(c *cli) *cobra.Command {
	return newIdentity(c, "unlink", "Say that a sender on a channel is not this person any more", "is not known any more as", func(cmd *cobra.Command, who string, i map[string]string) ([]byte, error) {
		return c.Remove(cmd.Context(), client.Filtered(client.Resource("people", who, "identities"), "channel", i["channel"], "account", i["account"], "external_id", i["external_id"]))
	})
}

func newIdentity(c *cli, verb, short, becomes string, do func(*cobra.Command, string, map[string]string) ([]byte, error)) *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use: verb + " PERSON CHANNEL ID", Short: short,
		Long: personHelp + "\nID is what the channel calls the sender: a number on WhatsApp, an id on Discord or Telegram.",
		Args: cobra.ExactArgs(3), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := do(cmd, args[0], map[string]string{"channel": args[1], "account": account, "external_id": args[2]})
			p, done, err := console.One[person](&c.Console, raw, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s %s %s.\n", p.displayName(), becomes, identity{Channel: args[1], Account: account, ExternalID: args[2]})
			return nil
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "on this account of ours; without, on all of the channel, as ids of Telegram, Discord and WhatsApp are anyway")
	return cmd
}
