package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type outboxCommands struct{ *cli }

func newOutbox(shared *cli) *cobra.Command {
	c := outboxCommands{shared}
	return group("outbox", "See undelivered messages, and send or dismiss them",
		c.newOutboxList(),
		c.newOutboxAct("retry", "Retry a delivery", c.printRetried, api.RetryDelivery),
		c.newOutboxAct("dismiss", "Dismiss a delivery; errand keeps its text", c.printDismissed, api.DismissDelivery))
}

func (c outboxCommands) newOutboxList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List undelivered messages", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var only api.ListDeliveriesInput
			if !all {
				only.State = []core.OutboxState{core.Pending, core.Sending, core.Unknown, core.Blocked}
			}
			deliveries, err := api.Call(cmd.Context(), c.API(), api.ListDeliveries, only)
			rows, done, err := console.Page(&c.Console, deliveries, err)
			if done || err != nil {
				return err
			}
			if len(rows) == 0 {
				fmt.Fprintln(c.Out, "Nothing is waiting to be delivered.")
				return nil
			}
			t := &console.Table{Head: []string{"ID", "STATE", "TO", "FROM", "TASK", "TRIES", "SINCE", "TEXT"}, Loose: []int{7}, Painted: 1, Paint: c.Style.State}
			for _, n := range rows {
				text := n.Text
				if n.Error != "" {
					text = "[" + n.Error + "] " + text
				}
				t.Add(strconv.FormatInt(n.ID, 10), string(n.State), n.Route.Channel+" "+n.Route.Chat, string(n.Agent), cmp.Or(string(n.Task), "-"),
					strconv.Itoa(n.Attempts), c.Ago(n.Created), core.Cut(text, 200))
			}
			c.PrintTable(t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also delivered and dismissed messages")
	return cmd
}

const mostDeliveries = 1000

// examineOutbox reports refused deliveries, except those to strangers.
func (c doctor) examineOutbox(ctx context.Context) []check {
	deliveries, err := api.Call(ctx, c.API(), api.ListDeliveries, api.ListDeliveriesInput{State: []core.OutboxState{core.Blocked, core.Pending, core.Unknown}, Limit: mostDeliveries})
	var no *api.Problem
	if errors.As(err, &no) && no.Status >= 400 && no.Status < 500 {
		return nil // the caller may not see it
	}
	if err != nil {
		return []check{{"deliveries", false, err.Error(), "see the worker's log"}}
	}
	rows := deliveries.Value.Items
	checks := missingAccounts(rows)
	rows = slices.DeleteFunc(rows, func(n core.Notification) bool { return n.State != core.Blocked || n.Session == "" })
	if len(rows) == 0 {
		return append(checks, check{Name: "deliveries", OK: true, Says: "none refused"})
	}
	last := rows[0]
	says := fmt.Sprintf("%d refused, the last on %s %s: %s", len(rows), last.Route.Channel, last.Route.Chat, last.Error)
	return append(checks, check{"deliveries", false, says,
		"errand outbox list says what is wrong with each. After you fix it, run errand outbox retry ID, or wait for the next message to the chat. If the chat no longer exists, run errand outbox dismiss ID"})
}

func missingAccounts(rows []core.Notification) (checks []check) {
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
		checks = append(checks, check{at, false, fmt.Sprintf("no worker has the account in its errand.yaml, and %d deliveries wait for it", waiting[at]),
			"put the account back, and errand sends them; or run errand outbox dismiss ID for each"})
	}
	return checks
}

func (c outboxCommands) printRetried(id string) {
	fmt.Fprintf(c.Out, "errand will retry delivery %s.\n", id)
}

func (c outboxCommands) printDismissed(id string) {
	fmt.Fprintf(c.Out, "Delivery %s is dismissed.\n", id)
}

func (c outboxCommands) newOutboxAct(verb, short string, becomes func(id string),
	act api.Op[api.DeliveryID, api.ChangedDelivery]) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := strings.TrimSpace(args[0])
			number, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return console.Misusef("%q is not a delivery id, which is a number: see errand outbox list", args[0])
			}
			delivery, err := api.Call(cmd.Context(), c.API(), act, api.DeliveryID{ID: number})
			if _, done, err := console.One(&c.Console, delivery, err); done || err != nil {
				return err
			}
			becomes(id)
			return nil
		},
	}
}
