package workflows_test

import (
	"context"
	"slices"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestDeliveredWhereHeld proves on which queue a delivery is: where the account of the
// chat is held, and for a row that is told on another account where that is; and that a
// row comes back for which nobody is there.
func TestDeliveredWhereHeld(t *testing.T) {
	finn := core.Account{Channel: "telegram", Name: "finn"}
	const (
		main  = "errand-connection/telegram/main"
		other = "errand-connection/telegram/finn"
	)
	away := temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
	type step struct {
		moved *wire.Moved
		err   error
	}
	moved := step{moved: &wire.Moved{Row: 7, To: &finn}}
	tests := []struct {
		name    string
		channel string
		steps   []step
		want    []string // queues, with the row that is moved
	}{
		{name: "Telegram", channel: "telegram", want: []string{main + " 0"}},
		{name: "Discord", channel: "discord", want: []string{"errand-connection/discord/main 0"}},
		{name: "WhatsApp", channel: "whatsapp", want: []string{"errand-connection/whatsapp/main 0"}},
		{name: "no connection", channel: "test", want: []string{"errand-deliveries 0, stays"}},
		{name: "an agent's own account", channel: "telegram", steps: []step{moved}, want: []string{main + " 0", other + " 7"}},
		{name: "and back", channel: "telegram", steps: []step{moved, {moved: &wire.Moved{Row: 7}}}, want: []string{main + " 0", other + " 7", main + " 7"}},
		{name: "nobody is there", channel: "telegram", steps: []step{moved, {err: away}}, want: []string{main + " 0", other + " 7", main + " 7"}},
		{name: "again and again", channel: "telegram", steps: []step{moved, {moved: &wire.Moved{}}, moved, {moved: &wire.Moved{}}},
			want: []string{main + " 0", other + " 7", main + " 0", other + " 7", main + " 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			workflows.Register(env)
			var got []string
			env.RegisterActivityWithOptions(func(ctx context.Context, in wire.DeliverInput) (out wire.DeliverResult, err error) {
				where := activity.GetInfo(ctx).TaskQueue + " " + string(rune('0'+in.Moved.Row))
				if !in.Moves {
					where += ", stays"
				}
				got = append(got, where)
				if len(got) <= len(test.steps) {
					out.Moved, err = test.steps[len(got)-1].moved, test.steps[len(got)-1].err
				}
				return out, err
			}, activity.RegisterOptions{Name: "Deliver"})
			env.ExecuteWorkflow(workflows.Outbox, wire.OutboxInput{Store: "s", Route: core.Route{Channel: test.channel, Account: "main", Chat: "c"}})
			if err := env.GetWorkflowError(); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("it is delivered on %q, want %q, and ends with %v", got, test.want, err)
			}
		})
	}
}
