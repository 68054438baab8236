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

type peopleCommands struct{ *cli }

func newUsers(shared *cli) *cobra.Command {
	c := peopleCommands{shared}
	return group("users", "Show and change who may use errand",
		c.newUsersList(), c.newUsersShow(), c.newUsersPending(), c.newUsersApprove(), c.newUsersDeny(), c.newUsersRefused(),
		c.newUsersRole(), c.newUsersLanguage(), c.newUsersTimeZone(), c.newUsersToken(), c.newUsersRevoke(),
		c.newUsersLink(), c.newUsersUnlink(), c.newUsersRemove())
}

func knownAs(channel, account, externalID, name string) string {
	s := on(channel, account) + " " + externalID
	if name != "" && name != externalID {
		s += " (" + name + ")"
	}
	return line(s)
}

func identities(p api.PersonView) (list []string) {
	for _, i := range p.Identities {
		list = append(list, knownAs(i.Channel, i.Account, i.ExternalID, i.Name))
	}
	return list
}

// on returns a channel with its account, such as "telegram/main", or the channel if it has one
// account only.
func on(channel, account string) string {
	if account == "" || account == core.LocalAccount {
		return channel
	}
	return core.Account{Channel: channel, Name: account}.String()
}

// lasting counts tokens, except login links, which work once.
func lasting(p api.PersonView) (n int) {
	for _, t := range p.Tokens {
		if t.Kind != "link" {
			n++
		}
	}
	return n
}

func displayName(id core.PersonID, name string) string {
	if name == "" || name == string(id) {
		return line(string(id))
	}
	return line(name) + " (" + line(string(id)) + ")"
}

func (c peopleCommands) newUsersList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the people", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			people, err := api.Call(cmd.Context(), c.API(), api.ListPeople, api.ListPeopleInput{})
			rows, done, err := console.Page(&c.Console, people, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"ID", "NAME", "ROLE", "SINCE", "TOKENS", "KNOWN AS"}, Loose: []int{1, 5}}
			for _, p := range rows {
				t.Add(string(p.ID), p.Name, p.Role.Display(), c.Ago(p.Created), fmt.Sprint(lasting(p)), cmp.Or(strings.Join(identities(p), ", "), "-"))
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func (c peopleCommands) newUsersShow() *cobra.Command {
	return &cobra.Command{
		Use: "show PERSON", Short: "Show a person with identities and tokens", Long: personHelp, Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			person, err := c.person(cmd.Context(), args[0])
			p, done, err := console.One(&c.Console, person, err)
			if done || err != nil {
				return err
			}
			c.showPerson(p)
			return nil
		},
	}
}

const personHelp = "PERSON is an id, a unique beginning of one, or a name."

func (c peopleCommands) showPerson(p api.PersonView) {
	c.Field("person", c.Style.Bold(line(string(p.ID))))
	c.Field("name", line(p.Name))
	c.Field("role", line(p.Role.Display()))
	c.Field("language", line(p.Language))
	c.Field("zone", line(p.TimeZone))
	c.Field("last with", line(string(p.LastAgent)))
	c.Field("since", c.Moment(p.Created))
	for _, as := range identities(p) {
		c.Field("known as", as)
	}
	for _, t := range p.Tokens {
		c.Field("token", line(t.ID)+", "+c.tokenAbout(t))
	}
}

func (c peopleCommands) tokenAbout(t core.Token) string {
	what := "for programs"
	switch t.Kind {
	case "login":
		what = "of a browser"
	case "link":
		what = "a link to log in"
	}
	if t.Name != "" {
		what += ", " + line(t.Name)
	}
	if t.Scope != "" {
		what += fmt.Sprintf(", to %s", line(strings.ReplaceAll(t.Scope, " ", ", ")))
	}
	if !t.Used.IsZero() {
		what += fmt.Sprintf(", used %s", c.Ago(t.Used))
	}
	switch {
	case t.Expires.IsZero():
		return what + ", never expires"
	case t.Expires.Before(c.Began):
		return what + fmt.Sprintf(", expired %s", c.Ago(t.Expires))
	}
	return what + fmt.Sprintf(", expires %s", c.Ahead(t.Expires))
}

func (c peopleCommands) newUsersRefused() *cobra.Command {
	return &cobra.Command{
		Use: "refused", Short: "List the senders who were denied", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			refusals, err := api.Call(cmd.Context(), c.API(), api.ListRefusals, api.None{})
			rows, done, err := console.List(&c.Console, refusals, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No one was denied.")
				return nil
			}
			t := &console.Table{Head: []string{"SENDER", "NAME", "TIMES", "LAST", "WHY"}, Loose: []int{1, 4}}
			for _, r := range rows {
				t.Add(on(r.Channel, r.Account)+" "+r.ExternalID, r.Name, fmt.Sprint(r.Times), c.Ago(r.Last), r.Reason)
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func (c *cli) completePeople(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, listed(api.ListPeople, api.ListPeopleInput{}), func(p api.PersonView) string { return choice(string(p.ID), p.Name+", "+p.Role.Display()) })
}
