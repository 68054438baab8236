package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand"
)

// A channel is an account of ours on a platform, as the API shows it.
type channel struct {
	Channel string                 `json:"channel"`
	Account string                 `json:"account"`
	Agent   string                 `json:"agent"`
	State   errand.ConnectionState `json:"state"`
	Detail  string                 `json:"detail"`
	Advice  string                 `json:"advice"`
	Since   time.Time              `json:"since"`
	Owner   string                 `json:"owner"`
	Link    string                 `json:"link"`
}

func (ch channel) name() string { return ch.Channel + "/" + ch.Account }

func newChannels(c *cli) *cobra.Command {
	return group("channels", "Set up our accounts on platforms, and see how they are connected", newChannelsList(c), newChannelsAdd(c))
}

func newChannelsList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the accounts of errand.yaml", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			raw, err := c.get(cmd.Context(), "/api/channels")
			rows, done, err := list[channel](c, raw, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.out, "The worker knows no accounts on platforms. errand channels add telegram sets one up; what errand.yaml has got since then is known after a restart of the worker.")
				return nil
			}
			t := &table{head: []string{"ACCOUNT", "STATE", "AGENT", "SINCE", "HELD BY", "WHAT"}, loose: []int{5}}
			for _, ch := range rows {
				since := "-"
				if !ch.Since.IsZero() {
					since = ago(ch.Since, c.began)
				}
				t.add(ch.name(), string(ch.State), ch.Agent, since, first(ch.Owner, "nobody"), ch.what())
			}
			t.paint = func(column int, value, padded string) string {
				if column == 1 {
					return c.connection(value, padded)
				}
				return padded
			}
			t.write(c.out, c.style, c.width())
			return nil
		},
	}
}

// what is wrong with an account, and what to do about it.
func (ch channel) what() string {
	if ch.Advice == "" {
		return ch.Detail
	}
	return strings.TrimSpace(ch.Detail + " -> " + ch.Advice)
}

func (c *cli) connection(state, padded string) string {
	switch errand.ConnectionState(state) {
	case errand.Connected:
		return c.style.green(padded)
	case errand.Connecting:
		return padded
	}
	return c.style.red(padded)
}

// examineChannels reports how the accounts are connected, to those who may know.
func (c *cli) examineChannels(ctx context.Context) []check {
	raw, err := c.get(ctx, "/api/channels")
	if err != nil {
		return nil // they may not, or the worker is an older one
	}
	var rows []channel
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil
	}
	var checks []check
	for _, ch := range rows {
		says := string(ch.State)
		if ch.Detail != "" {
			says += ": " + ch.Detail
		}
		checks = append(checks, check{ch.name(), ch.State == errand.Connected, says, ch.Advice})
	}
	return checks
}
