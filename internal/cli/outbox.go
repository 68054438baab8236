package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"errand"
	api "errand/client"
	"errand/internal/cli/console"
)

func newOutbox(c *cli) *cobra.Command {
	return group("outbox", "See undelivered messages, and send or dismiss them",
		newOutboxList(c),
		newOutboxAct(c, "retry", "Try a delivery again", (*cli).printRetried, (*api.Client).RetryDelivery),
		newOutboxAct(c, "dismiss", "Give a delivery up; its text is kept", (*cli).printDismissed, (*api.Client).DismissDelivery))
}

func newOutboxList(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the deliveries that are not made", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var only api.ListDeliveriesParams
			if !all {
				only.State = []errand.OutboxState{errand.Pending, errand.Sending, errand.Unknown, errand.Blocked}
			}
			deliveries, err := c.API().ListDeliveries(cmd.Context(), &only)
			rows, done, err := console.List(&c.Console, deliveries, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				c.Printlnf("Nothing is waiting to be delivered.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "STATE", "TO", "FROM", "TASK", "TRIES", "SINCE", "TEXT"}, Loose: []int{7}, Painted: 1, Paint: c.Style.State}
			for _, n := range rows {
				text := n.Text
				if n.Error != "" {
					text = "[" + n.Error + "] " + text
				}
				t.Add(strconv.FormatInt(n.ID, 10), string(n.State), n.Route.Channel+" "+n.Route.Chat, string(n.Agent), cmp.Or(string(n.Task), "-"),
					strconv.Itoa(n.Attempts), c.Ago(n.Created), errand.Cut(text, 200))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that were made or dismissed, too")
	return cmd
}

const mostDeliveries = 1000

// examineOutbox names what a platform has refused of conversations, for a person
// to decide. That a stranger does not want to be told to wait is nobody's trouble.
func (c *cli) examineOutbox(ctx context.Context) []check {
	deliveries, err := c.API().ListDeliveries(ctx, &api.ListDeliveriesParams{State: []errand.OutboxState{errand.Blocked, errand.Pending, errand.Unknown}, Limit: mostDeliveries})
	var no *api.Problem
	if errors.As(err, &no) && no.Status >= 400 && no.Status < 500 {
		return nil // they may not see it
	}
	if err != nil {
		return []check{{c.Sayf("deliveries"), false, err.Error(), c.Sayf("see the worker's log")}}
	}
	rows := deliveries.Value
	checks := c.gone(rows)
	rows = slices.DeleteFunc(rows, func(n errand.Notification) bool { return n.State != errand.Blocked || n.Session == "" })
	if len(rows) == 0 {
		return append(checks, check{Name: c.Sayf("deliveries"), OK: true, Says: c.Sayf("none refused")})
	}
	last := rows[0]
	says := c.Sayf("%d refused, the last on %s %s: %s", len(rows), last.Route.Channel, last.Route.Chat, last.Error)
	return append(checks, check{c.Sayf("deliveries"), false, says,
		c.Sayf("errand outbox list says of each what is wrong; what is mended goes with errand outbox retry ID, or when the chat takes another message. Where the chat is gone for good: errand outbox dismiss ID")})
}

// gone names the accounts that no worker has, and how much waits for each.
func (c *cli) gone(rows []errand.Notification) (checks []check) {
	waiting := map[string]int{}
	var accounts []string
	for _, n := range rows {
		if !n.AwaitsAccount() {
			continue
		}
		at := n.Route.At().String()
		if waiting[at]++; waiting[at] == 1 {
			accounts = append(accounts, at)
		}
	}
	slices.Sort(accounts)
	for _, at := range accounts {
		checks = append(checks, check{at, false, c.Sayf("the errand.yaml of no worker has the account, and %d deliveries wait for it", waiting[at]),
			c.Sayf("put it back, and they go out by themselves; or give them up with errand outbox dismiss ID")})
	}
	return checks
}

func (c *cli) printRetried(id string)   { c.Printlnf("Delivery %s will be tried again.", id) }
func (c *cli) printDismissed(id string) { c.Printlnf("Delivery %s is dismissed.", id) }

func newOutboxAct(c *cli, verb, short string, becomes func(*cli, string), act func(*api.Client, context.Context, int64) (api.Answer[api.Delivery], error)) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.TrimSpace(args[0])
			number, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return c.Misusef("%q is no delivery: its id is a number, see errand outbox list", args[0])
			}
			delivery, err := act(c.API(), cmd.Context(), number)
			if _, done, err := console.One(&c.Console, delivery, err); done || err != nil {
				return err
			}
			becomes(c, id)
			return nil
		},
	}
}
