package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

func newUsersRole(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "role PERSON ROLE", Short: "Give a person another role",
		Long: personHelp + "\nROLE is " + roleNames() + ", or what this installation calls it.",
		Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeRole,
		RunE: func(cmd *cobra.Command, args []string) error {
			person, err := c.API().ChangePerson(cmd.Context(), args[0], api.ChangePersonBody{Role: &args[1]})
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("%s is %s now.", displayName(p.ID, p.Name), line(c.role(p.Role)))
			return nil
		},
	}
}

func roleNames() string {
	var names []string
	for _, r := range errand.Roles() {
		names = append(names, strings.ToLower(r.Display()))
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
			person, err := c.API().ChangePerson(cmd.Context(), args[0], api.ChangePersonBody{Language: &args[1]})
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("errand talks to %s in %s from now on.", displayName(p.ID, p.Name), cmp.Or(line(p.Language), c.Sayf("its own language")))
			return nil
		},
	}
}

func newUsersTimeZone(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "timezone PERSON ZONE", Short: "Set the time zone of a person",
		Long:    personHelp + "\nZONE is a name like Europe/Oslo; \"default\" is the zone of this installation.",
		Example: "  errand users timezone ada Europe/Oslo",
		Args:    cobra.ExactArgs(2), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			zone := args[1]
			if zone == "default" {
				zone = ""
			}
			person, err := c.API().ChangePerson(cmd.Context(), args[0], api.ChangePersonBody{TimeZone: &zone})
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			c.Printlnf("The time zone of %s is %s now.", displayName(p.ID, p.Name), cmp.Or(line(p.TimeZone), c.Sayf("that of this installation")))
			return nil
		},
	}
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
			found, err := c.person(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p := found.Value
			if !yes {
				if err := c.Confirm(cmd.Context(), c.Sayf("Remove %s, with identities and tokens?", displayName(p.ID, p.Name))); err != nil {
					return err
				}
			}
			removed, err := c.API().DeletePerson(cmd.Context(), string(p.ID))
			if _, done, err := console.One(&c.Console, removed, err); done || err != nil {
				return err
			}
			c.Printlnf("%s is removed: errand does not know them any more.", displayName(p.ID, p.Name))
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// newUsersLink and newUsersUnlink say who else a person is.
func newUsersLink(c *cli) *cobra.Command {
	return newIdentity(c, "link", "Say that a sender on a channel is this person", (*cli).printLinked, func(cmd *cobra.Command, who string, i api.IdentityIn) (api.Answer[api.Person], error) {
		return c.API().AddIdentity(cmd.Context(), who, i)
	})
}

func newUsersUnlink(c *cli) *cobra.Command {
	return newIdentity(c, "unlink", "Say that a sender on a channel is not this person any more", (*cli).printUnlinked, func(cmd *cobra.Command, who string, i api.IdentityIn) (api.Answer[api.Person], error) {
		return c.API().RemoveIdentity(cmd.Context(), who, &api.RemoveIdentityParams{Channel: i.Channel, Account: *i.Account, ExternalID: i.ExternalID})
	})
}

func (c *cli) printLinked(who, as string)   { c.Printlnf("%s is known as %s.", who, as) }
func (c *cli) printUnlinked(who, as string) { c.Printlnf("%s is not known any more as %s.", who, as) }

func newIdentity(c *cli, verb, short string, becomes func(c *cli, who, as string), do func(*cobra.Command, string, api.IdentityIn) (api.Answer[api.Person], error)) *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use: verb + " PERSON CHANNEL ID", Short: short,
		Long: personHelp + "\nID is what the channel calls the sender: a number on WhatsApp, an id on Discord or Telegram.",
		Args: cobra.ExactArgs(3), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			person, err := do(cmd, args[0], api.IdentityIn{Channel: args[1], Account: &account, ExternalID: args[2]})
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			becomes(c, displayName(p.ID, p.Name), knownAs(args[1], account, args[2], ""))
			return nil
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "on this account of ours; without, on all of the channel, as ids of Telegram, Discord and WhatsApp are anyway")
	return cmd
}
