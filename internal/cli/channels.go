package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/accounts"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type channelCommands struct{ *cli }

func newChannels(shared *cli) *cobra.Command {
	c := channelCommands{shared}
	return group("channels", "Set up accounts on chat platforms, and see how they are connected", c.newChannelsList(), group("add", "Set up an account on a chat platform, step by step", accounts.Commands(&c.Console, c.Worker)...))
}

func (c channelCommands) newChannelsList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the accounts in errand.yaml", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			connections, err := api.Call(cmd.Context(), c.API(), api.ListChannels, api.None{})
			rows, done, err := console.List(&c.Console, connections, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "No accounts yet. To set one up: errand channels add telegram. Restart the worker after you change errand.yaml.")
				return nil
			}
			t := &console.Table{Head: []string{"ACCOUNT", "STATE", "AGENT", "SINCE", "HELD BY", "WHAT"}, Loose: []int{5}, Painted: 1, Paint: c.connection}
			for _, ch := range rows {
				since := "-"
				if !ch.Since.IsZero() {
					since = c.Ago(ch.Since)
				}
				t.Add(console.AccountName(ch), string(ch.State), string(ch.Agent), since, cmp.Or(ch.Owner, "nobody"), whatIsWrong(ch))
			}
			c.PrintTable(t)
			return nil
		},
	}
}

func whatIsWrong(ch api.Connection) string {
	if ch.Advice == "" {
		return ch.Detail
	}
	return strings.TrimSpace(ch.Detail + " -> " + ch.Advice)
}

func (c channelCommands) connection(state, padded string) string {
	switch core.ConnectionState(state) {
	case core.Connected:
		return c.Style.Green(padded)
	case core.Connecting:
		return padded
	}
	return c.Style.Red(padded)
}

func (c doctor) examineChannels(ctx context.Context) []check {
	connections, err := api.Call(ctx, c.API(), api.ListChannels, api.None{})
	if err != nil {
		return nil // the caller may not list them
	}
	var checks []check
	for _, ch := range connections.Value {
		says := string(ch.State)
		if ch.Detail != "" {
			says += ": " + ch.Detail
		}
		checks = append(checks, check{console.AccountName(ch), ch.State == core.Connected, says, ch.Advice})
	}
	return checks
}
