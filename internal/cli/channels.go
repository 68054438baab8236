package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/accounts"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

func newChannels(c *cli) *cobra.Command {
	return group("channels", "Set up our accounts on platforms, and see how they are connected", newChannelsList(c), group("add", "Set up an account of ours on a platform, step by step", accounts.Commands(&c.Console, c.Worker)...))
}

func newChannelsList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the accounts of errand.yaml", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			connections, err := c.API().ListChannels(cmd.Context())
			rows, done, err := console.List(&c.Console, connections, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("No accounts yet. To set one up: errand channels add telegram. Restart the worker after you change errand.yaml.")
				return nil
			}
			t := &console.Table{Head: []string{"ACCOUNT", "STATE", "AGENT", "SINCE", "HELD BY", "WHAT"}, Loose: []int{5}, Painted: 1, Paint: c.connection}
			for _, ch := range rows {
				since := "-"
				if !ch.Since.IsZero() {
					since = c.Ago(ch.Since)
				}
				t.Add(client.AccountName(ch), string(ch.State), string(ch.Agent), since, cmp.Or(ch.Owner, c.Sayf("nobody")), whatIsWrong(ch))
			}
			c.PrintTable(t)
			return nil
		},
	}
}

// what is wrong with an account, and what to do about it.
func whatIsWrong(ch api.Connection) string {
	if ch.Advice == "" {
		return ch.Detail
	}
	return strings.TrimSpace(ch.Detail + " -> " + ch.Advice)
}

func (c *cli) connection(state, padded string) string {
	switch errand.ConnectionState(state) {
	case errand.Connected:
		return c.Style.Green(padded)
	case errand.Connecting:
		return padded
	}
	return c.Style.Red(padded)
}

// examineChannels reports how the accounts are connected, to those who may know.
func (c *cli) examineChannels(ctx context.Context) []check {
	connections, err := c.API().ListChannels(ctx)
	if err != nil {
		return nil // they may not
	}
	var checks []check
	for _, ch := range connections.Value {
		says := c.Console.Words.Term("", string(ch.State))
		if ch.Detail != "" {
			says += ": " + ch.Detail
		}
		checks = append(checks, check{client.AccountName(ch), ch.State == errand.Connected, says, ch.Advice})
	}
	return checks
}
