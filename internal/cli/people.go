package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newUsers(c *cli) *cobra.Command {
	return group("users", "See who may use errand, and decide who may",
		newUsersList(c), newUsersShow(c), newUsersPending(c), newUsersApprove(c), newUsersDeny(c), newUsersRefused(c),
		newUsersRole(c), newUsersLanguage(c), newUsersQuiet(c), newUsersToken(c), newUsersRevoke(c),
		newUsersLink(c), newUsersUnlink(c), newUsersRemove(c))
}

// A person is what the API tells about somebody who may use errand.
type person struct {
	ID         errand.PersonID
	Name       string
	Role       string
	RoleName   string `json:"role_name"` // what this installation calls it
	Language   string
	LastAgent  errand.AgentName `json:"last_agent"`
	QuietHours string           `json:"quiet_hours"`
	TimeZone   string           `json:"time_zone"`
	Created    time.Time
	Identities []identity
	Tokens     []token
}

// roleName is what people call their role.
func (p person) roleName() string { return cmp.Or(p.RoleName, errand.Role(p.Role).Display()) }

// An identity is one by which a platform knows a person.
type identity struct {
	Channel    string
	Account    string
	ExternalID string `json:"external_id"`
	Name       string
}

func (i identity) String() string {
	s := on(i.Channel, i.Account) + " " + i.ExternalID
	if i.Name != "" && i.Name != i.ExternalID {
		s += " (" + i.Name + ")"
	}
	return line(s)
}

// on is a channel with the account of ours: "telegram/main". Those that have no
// platform behind them have one account only.
func on(channel, account string) string {
	if account == "" || account == errand.LocalAccount {
		return channel
	}
	return errand.Account{Channel: channel, Name: account}.String()
}

// A token lets in who shows it; the token itself is not told.
type token struct {
	ID      string
	Kind    string
	Name    string
	Scope   string
	Created time.Time
	Expires time.Time
	Used    time.Time
}

// lasting is how many tokens of p there are besides links, which are for once and
// soon.
func (p person) lasting() (n int) {
	for _, t := range p.Tokens {
		if t.Kind != "link" {
			n++
		}
	}
	return n
}

// displayName is how people call p.
func (p person) displayName() string {
	if p.Name == "" || p.Name == string(p.ID) {
		return line(string(p.ID))
	}
	return line(p.Name) + " (" + line(string(p.ID)) + ")"
}

func newUsersList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the people", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.Get(cmd.Context(), client.Resource("people"))
			rows, done, err := console.List[person](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			t := &console.Table{Head: []string{"ID", "NAME", "ROLE", "SINCE", "TOKENS", "KNOWN AS"}, Loose: []int{1, 5}}
			for _, p := range rows {
				var as []string
				for _, i := range p.Identities {
					as = append(as, i.String())
				}
				t.Add(string(p.ID), p.Name, p.roleName(), console.Ago(p.Created, c.Began), fmt.Sprint(p.lasting()), cmp.Or(strings.Join(as, ", "), "-"))
			}
			t.Write(c.Out, c.Style, c.Width())
			return nil
		},
	}
}

func newUsersShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "show PERSON", Short: "Show a person with identities and tokens", Long: personHelp, Args: cobra.ExactArgs(1),
		ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := c.person(cmd.Context(), args[0])
			p, done, err := console.One[person](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			c.showPerson(p)
			return nil
		},
	}
}

const personHelp = "PERSON is an id, the beginning of one that fits nobody else, or a name."

func (c *cli) showPerson(p person) {
	c.Field("person", c.Style.Bold(line(string(p.ID))))
	c.Field("name", line(p.Name))
	c.Field("role", line(p.roleName()))
	c.Field("language", line(p.Language))
	c.Field("quiet", line(p.QuietHours))
	c.Field("zone", line(p.TimeZone))
	c.Field("last with", line(string(p.LastAgent)))
	c.Field("since", console.Moment(p.Created))
	for _, i := range p.Identities {
		c.Field("known as", i.String())
	}
	for _, t := range p.Tokens {
		c.Field("token", line(t.ID)+", "+t.about(c.Began))
	}
}

// about tells what token t is, and how long it holds.
func (t token) about(now time.Time) string {
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
		what += ", to " + line(strings.ReplaceAll(t.Scope, " ", ", "))
	}
	if !t.Used.IsZero() {
		what += ", used " + console.Ago(t.Used, now)
	}
	switch {
	case t.Expires.IsZero():
		return what + ", never expires"
	case t.Expires.Before(now):
		return what + ", expired " + console.Ago(t.Expires, now)
	}
	return what + ", expires " + console.Ahead(t.Expires, now)
}

func newUsersRefused(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "refused", Short: "List the senders who were turned away", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			type refused struct {
				identity
				Reason string
				Times  int
				First  time.Time
				Last   time.Time
			}
			raw, err := c.Get(cmd.Context(), client.Resource("refusals"))
			rows, done, err := console.List[refused](&c.Console, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "Nobody was turned away.")
				return nil
			}
			t := &console.Table{Head: []string{"SENDER", "NAME", "TIMES", "LAST", "WHY"}, Loose: []int{1, 4}}
			for _, r := range rows {
				t.Add(on(r.Channel, r.Account)+" "+r.ExternalID, r.Name, fmt.Sprint(r.Times), console.Ago(r.Last, c.Began), r.Reason)
			}
			t.Write(c.Out, c.Style, c.Width())
			return nil
		},
	}
}

// completePeople offers the names and ids of people.
func (c *cli) completePeople(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return offer(c, cmd, client.Resource("people"), func(p person) string { return choice(string(p.ID), p.Name+", "+p.roleName()) })
}
