package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	api "errand/client"
	"errand/internal/cli/console"
)

func newTokens(c *cli) *cobra.Command {
	return group("tokens", "Make, list and revoke the tokens by which programs act for you",
		newTokensList(c), newTokensAdd(c), newTokensRevoke(c))
}

const scopeHelp = `
--scope says what the token is for, with commas between: read (look), chat (talk with
agents), delegate (send agents on tasks, read files of conversations, answer questions),
admin (all that a token can do). Without it, the token may what its person may. No token
approves anything: that is for a person.
The token goes into ERRAND_TOKEN, or after "Authorization: Bearer". errand keeps
only its hash: who has lost it makes another, and revokes this one.`

// A madeToken is how a token is asked for, by flags.
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

func (m *madeToken) body(c *cli) (body api.NewToken, err error) {
	if m.days < 0 {
		return body, c.Misusef("--days is how long the token holds; 0: without end")
	}
	body.Name, body.Days = &m.name, &m.days
	if m.said("scope") {
		// A variable of a script that is empty is not to make a token for everything.
		if strings.Trim(m.scope, " ,") == "" {
			return body, c.Misusef("--scope is empty: say what the token is for (read, chat, delegate, admin), or leave it out")
		}
		body.Scope = &m.scope
	}
	return body, nil
}

func (c *cli) printToken(made api.Answer[api.TokenOut], err error) error {
	t, done, err := console.One(&c.Console, made, err)
	if done || err != nil {
		return err
	}
	// The token alone on stdout, so that TOKEN=$(errand tokens add) works.
	fmt.Fprintln(c.Out, line(t.Token))
	fmt.Fprintln(c.Err, c.Sayf("This is token %s, %s. It is shown this once: keep it now.", line(t.ID),
		c.tokenAbout(api.Token{Kind: t.Kind, Name: t.Name, Scope: t.Scope, Used: t.Used, Expires: t.Expires})))
	return nil
}

func newTokensAdd(c *cli) *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "add", Short: "Make a token by which a program acts for you; it is shown once", Long: "Makes a token of yours." + scopeHelp,
		Example: `  errand tokens add --scope delegate --days 90 --name editor`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := m.body(c)
			if err != nil {
				return err
			}
			return c.printToken(c.API().CreateOwnToken(cmd.Context(), body))
		},
	}
	m.flags(cmd)
	return cmd
}

func newTokensList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List your tokens: what they are for, until when, and when they were last used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tokens, err := c.API().ListOwnTokens(cmd.Context())
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

func newTokensRevoke(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token of yours", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return offer(c, cmd, (*api.Client).ListOwnTokens, func(t api.Token) string { return choice(t.ID, cmp.Or(t.Name, t.Kind)) })
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			revoked, err := c.API().RevokeOwnToken(cmd.Context(), args[0])
			return c.revoked(revoked, args[0], c.WithHint(err, "tokens list"))
		},
	}
}

func newUsersToken(c *cli) *cobra.Command {
	var m madeToken
	cmd := &cobra.Command{
		Use: "token PERSON", Short: "Make a token by which a program acts for a person; it is shown once",
		Long: personHelp + scopeHelp + "\nYour own you make by errand tokens add.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: c.completePeople,
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := m.body(c)
			if err != nil {
				return err
			}
			made, err := c.API().CreateToken(cmd.Context(), args[0], body)
			return c.printToken(made, c.nameMatches(cmd.Context(), args[0], err))
		},
	}
	m.flags(cmd)
	return cmd
}

func newUsersRevoke(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "revoke TOKEN-ID", Short: "Revoke a token; errand users show names those of a person", Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.completeTokens(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			revoked, err := c.API().RevokeToken(cmd.Context(), args[0])
			return c.revoked(revoked, args[0], c.WithHint(err, "users show PERSON"))
		},
	}
}

func (c *cli) revoked(answer api.Answer[api.Revoke], id string, err error) error {
	if _, done, err := console.One(&c.Console, answer, err); done || err != nil {
		return err
	}
	c.Printlnf("Token %s is revoked: it lets nobody in any more.", line(id))
	return nil
}

func (c *cli) completeTokens(cmd *cobra.Command) ([]string, cobra.ShellCompDirective) {
	if c.connect() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	people, err := c.API().ListPeople(cmd.Context(), nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, p := range people.Value {
		for _, t := range p.Tokens {
			ids = append(ids, choice(t.ID, p.Name+", "+cmp.Or(t.Name, t.Kind)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
