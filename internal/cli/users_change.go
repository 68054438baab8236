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

func (c peopleCommands) newUsersRole() *cobra.Command {
	return &cobra.Command{
		Use: "role PERSON ROLE", Short: "Give a person another role",
		Long: personHelp + "\nROLE is " + roleNames() + ", or what this installation calls it.",
		Args: cobra.ExactArgs(2), ValidArgsFunction: c.completeRole,
		RunE: func(cmd *cobra.Command, args []string) error {
			var in api.ChangePersonInput
			in.ID, in.Body.Role = args[0], &args[1]
			person, err := api.Call(cmd.Context(), c.API(), api.ChangePerson, in)
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is now %s.\n", displayName(p.ID, p.Name), line(p.Role.Display()))
			return nil
		},
	}
}

func roleNames() string {
	var names []string
	for _, r := range core.Roles() {
		names = append(names, strings.ToLower(r.Display()))
	}
	return strings.Join(names, ", ")
}

func (c peopleCommands) completeRole(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return strings.Split(roleNames(), ", "), cobra.ShellCompDirectiveNoFileComp
	}
	return c.completePeople(cmd, args, prefix)
}

func (c peopleCommands) newUsersLanguage() *cobra.Command {
	return &cobra.Command{
		Use: "language PERSON LANG", Short: "Set the language in which errand talks to a person",
		Long: personHelp + "\nLANG is a tag like en or es-MX.",
		Args: cobra.ExactArgs(2), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			var in api.ChangePersonInput
			in.ID, in.Body.Language = args[0], &args[1]
			person, err := api.Call(cmd.Context(), c.API(), api.ChangePerson, in)
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "errand now talks to %s in %s.\n", displayName(p.ID, p.Name), cmp.Or(line(p.Language), "its own language"))
			return nil
		},
	}
}

func (c peopleCommands) newUsersTimeZone() *cobra.Command {
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
			var in api.ChangePersonInput
			in.ID, in.Body.TimeZone = args[0], &zone
			person, err := api.Call(cmd.Context(), c.API(), api.ChangePerson, in)
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "The time zone of %s is now %s.\n", displayName(p.ID, p.Name), cmp.Or(line(p.TimeZone), "that of this installation"))
			return nil
		},
	}
}

func (c peopleCommands) newUsersRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove PERSON", Short: "Remove a person; asks first, and outside a terminal needs --yes", Long: personHelp, Args: cobra.ExactArgs(1),
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
				if err := c.Confirm(cmd.Context(), fmt.Sprintf("Remove %s, with identities and tokens?", displayName(p.ID, p.Name))); err != nil {
					return err
				}
			}
			removed, err := api.Call(cmd.Context(), c.API(), api.DeletePerson, api.PersonID{ID: string(p.ID)})
			if _, done, err := console.One(&c.Console, removed, err); done || err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "%s is removed.\n", displayName(p.ID, p.Name))
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (c peopleCommands) newUsersLink() *cobra.Command {
	return c.newIdentity("link", "Link a sender on a channel to this person", c.printLinked, func(cmd *cobra.Command, who api.PersonID, i api.IdentityIn) (api.Answer[core.Person], error) {
		return api.Call(cmd.Context(), c.API(), api.AddIdentity, api.AddIdentityInput{PersonID: who, Body: i})
	})
}

func (c peopleCommands) newUsersUnlink() *cobra.Command {
	return c.newIdentity("unlink", "Unlink a sender on a channel from this person", c.printUnlinked, func(cmd *cobra.Command, who api.PersonID, i api.IdentityIn) (api.Answer[core.Person], error) {
		in := api.RemoveIdentityInput{PersonID: who, Channel: i.Channel, Account: i.Account, ExternalID: i.ExternalID}
		return api.Call(cmd.Context(), c.API(), api.RemoveIdentity, in)
	})
}

func (c peopleCommands) printLinked(who, as string) {
	fmt.Fprintf(c.Out, "%s is linked to %s.\n", who, as)
}

func (c peopleCommands) printUnlinked(who, as string) {
	fmt.Fprintf(c.Out, "%s is no longer linked to %s.\n", who, as)
}

func (c peopleCommands) newIdentity(verb, short string, becomes func(who, as string),
	do func(*cobra.Command, api.PersonID, api.IdentityIn) (api.Answer[core.Person], error)) *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use: verb + " PERSON CHANNEL ID", Short: short,
		Long: personHelp + "\nID is what the channel calls the sender: a number on WhatsApp, an id on Discord or Telegram.",
		Args: cobra.ExactArgs(3), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			person, err := do(cmd, api.PersonID{ID: args[0]}, api.IdentityIn{Channel: args[1], Account: account, ExternalID: args[2]})
			p, done, err := console.One(&c.Console, person, c.nameMatches(cmd.Context(), args[0], err))
			if done || err != nil {
				return err
			}
			becomes(displayName(p.ID, p.Name), knownAs(args[1], account, args[2], ""))
			return nil
		},
	}
	cmd.Flags().StringVar(&account, "account", "", "only on this account (default: the whole channel, which is always so on Telegram, Discord and WhatsApp)")
	return cmd
}
