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
	return group("tokens", "Create, list and revoke the tokens with which programs act for you",
		c.newTokensList(), c.newTokensAdd(), c.newTokensRevoke())
}

const scopeHelp = `
--scope lists what the token may do, separated by commas: read (look), chat (talk with
agents), delegate (give agents tasks, read files of conversations, answer questions),
admin (everything a token can do). Without --scope, the token may do what its person may.
A token can't approve anything; only a person can.
Put the token into ERRAND_TOKEN, or after "Authorization: Bearer". errand keeps only its
hash: if you lose the token, create another and revoke this one.`

type madeToken struct {
	name  string
	days  int
	scope string
	said  func(flag string) bool
}

func (m *madeToken) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.name, "name", "", "a name for the token, in your words")
	cmd.Flags().IntVar(&m.days, "days", 0, "how many days it is valid (0: no limit)")
	m.said = cmd.Flags().Changed
	cmd.Flags().StringVar(&m.scope, "scope", "", "what it may do: read, chat, delegate, admin; separate several with commas")
}

func (m *madeToken) body() (body api.NewToken, err error) {
	if m.days < 0 {
		return body, console.Misusef("--days must be 0 (no limit) or more")
	}
	if m.said("scope") {
		// An empty variable in a script must not create a token with all rights.
		if strings.Trim(m.scope, " ,") == "" {
			return body, console.Misusef("--scope is empty: name what the token may do (read, chat, delegate, admin), or leave out --scope")
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
	fmt.Fprintf(c.Err, "This is token %s, %s. It is shown only once: save it now.\n", line(t.ID), c.tokenAbout(t.Token))
	return nil
}

func (c peopleCommands) newTokensAdd() *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "add", Short: "Create a token with which a program acts for you", Long: "Creates your token and shows it once." + scopeHelp,
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
		Use: "list", Short: "List your tokens, with scope, expiry and last use", Args: cobra.NoArgs,
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
		Use: "revoke TOKEN-ID", Short: "Revoke one of your tokens", Args: cobra.ExactArgs(1),
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
		Use: "token PERSON", Short: "Create a token with which a program acts for a person",
		Long: personHelp + scopeHelp + "\nFor your own token, use errand tokens add.",
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
		Use: "revoke TOKEN-ID", Short: "Revoke a person's token; errand users show lists their tokens", Args: cobra.ExactArgs(1),
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
	fmt.Fprintf(c.Out, "Token %s is revoked.\n", line(id))
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
