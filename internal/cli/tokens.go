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

func newTokens(shared *cli) *cobra.Command {
	c := peopleCommands{shared}
	return group("tokens", "Make, list and revoke the tokens by which programs act for you",
		c.newTokensList(), c.newTokensAdd(), c.newTokensRevoke())
}

const scopeHelp = `
--scope says what the token is for, with commas between: read (look), chat (talk with
agents), delegate (send agents on tasks, read files of conversations, answer questions),
admin (all that a token can do). Without it, the token may what its person may. No token
approves anything: that is for a person.
The token goes into ERRAND_TOKEN, or after "Authorization: Bearer". errand keeps
only its hash: who has lost it makes another, and revokes this one.`

type madeToken struct {
	name  string
	days  int
	scope string
	said  func(flag string) bool
}

func (m *madeToken) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.name, "name", "", "what it is for, in your words")
	cmd.Flags().IntVar(&m.days, "days", 0, "how many days it holds (0: without end)")
	m.said = cmd.Flags().Changed
	cmd.Flags().StringVar(&m.scope, "scope", "", "what it is for: read, chat, delegate, admin; several with commas")
}

func (m *madeToken) body() (body api.NewToken, err error) {
	if m.days < 0 {
		return body, console.Misusef("--days is how long the token holds; 0: without end")
	}
	if m.said("scope") {
		// An empty variable in a script must not create a token with all rights.
		if strings.Trim(m.scope, " ,") == "" {
			return body, console.Misusef("--scope is empty: say what the token is for (read, chat, delegate, admin), or leave it out")
		}
	}
	return api.NewToken{Name: m.name, Days: m.days, Scope: m.scope}, nil
}

func (c peopleCommands) printToken(made api.Answer[api.MadeToken], err error) error {
	t, done, err := console.One(&c.Console, made, err)
	if done || err != nil {
		return err
	}
	// Print only the token on stdout, so that TOKEN=$(errand tokens add) works.
	fmt.Fprintln(c.Out, line(t.Secret))
	fmt.Fprintf(c.Err, "This is token %s, %s. It is shown this once: keep it now.\n", line(t.ID), c.tokenAbout(t.Token))
	return nil
}

func (c peopleCommands) newTokensAdd() *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "add", Short: "Make a token by which a program acts for you; it is shown once", Long: "Makes a token of yours." + scopeHelp,
		Example: `  errand tokens add --scope delegate --days 90 --name editor`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := m.body()
			if err != nil {
				return err
			}
			return c.printToken(api.Call(cmd.Context(), c.API(), api.CreateOwnToken, api.CreateOwnTokenInput{Body: body}))
		},
	}
	m.flags(cmd)
	return cmd
}

func (c peopleCommands) newTokensList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your tokens: what they are for, until when, and when they were last used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tokens, err := api.Call(cmd.Context(), c.API(), api.ListOwnTokens, api.None{})
			list, done, err := console.List(&c.Console, tokens, err)
			if done || err != nil {
				return err
			}
			for _, t := range list {
				fmt.Fprintf(c.Out, "%s  %s\n", line(t.ID), c.tokenAbout(t))
			}
			return nil
		},
	}
}

func (c peopleCommands) newTokensRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token of yours", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(c.cli, cmd, calls(api.ListOwnTokens, api.None{}), func(t core.Token) string { return choice(t.ID, cmp.Or(t.Name, t.Kind)) })
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			revoked, err := api.Call(cmd.Context(), c.API(), api.RevokeOwnToken, api.TokenID{ID: args[0]})
			return c.revoked(revoked, args[0], c.WithHint(err, "tokens list"))
		},
	}
}

func (c peopleCommands) newUsersToken() *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "token PERSON", Short: "Make a token by which a program acts for a person; it is shown once",
		Long: personHelp + scopeHelp + "\nYour own you make by errand tokens add.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := m.body()
			if err != nil {
				return err
			}
			made, err := api.Call(cmd.Context(), c.API(), api.CreateToken, api.CreateTokenInput{PersonID: api.PersonID{ID: args[0]}, Body: body})
			return c.printToken(made, c.nameMatches(cmd.Context(), args[0], err))
		},
	}
	m.flags(cmd)
	return cmd
}

func (c peopleCommands) newUsersRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token; errand users show names those of a person", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.completeTokens(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			revoked, err := api.Call(cmd.Context(), c.API(), api.RevokeToken, api.TokenID{ID: args[0]})
			return c.revoked(revoked, args[0], c.WithHint(err, "users show PERSON"))
		},
	}
}

func (c peopleCommands) revoked(answer api.Answer[api.RevokedToken], id string, err error) error {
	if _, done, err := console.One(&c.Console, answer, err); done || err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "Token %s is revoked: it lets nobody in any more.\n", line(id))
	return nil
}

func (c peopleCommands) completeTokens(cmd *cobra.Command) ([]string, cobra.ShellCompDirective) {
	if c.connect() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	people, err := api.Call(cmd.Context(), c.API(), api.ListPeople, api.ListPeopleInput{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, p := range people.Value.Items {
		for _, t := range p.Tokens {
			ids = append(ids, choice(t.ID, p.Name+", "+cmp.Or(t.Name, t.Kind)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
