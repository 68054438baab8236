package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// leftovers are what must be empty once everything has settled.
var leftovers = map[string]string{
	"messages that no turn has taken": `SELECT count(*) FROM inbox WHERE turn IS NULL AND NOT superseded`,
	"open turns":                      `SELECT count(*) FROM turns WHERE open`,
	"open tasks":                      `SELECT count(*) FROM tasks WHERE state IN ('submitted', 'working', 'input_required')`,
	"results with no way":             `SELECT count(*) FROM tasks WHERE way = ''`,
	"undelivered rows":                `SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending', 'unknown', 'blocked')`,
	"reservations":                    `SELECT count(*) FROM reservations`,
}

// left says what is still open; "" when nothing is.
func (in *installation) left(ctx context.Context) string {
	var list []string
	for what, query := range leftovers {
		var n int
		if err := in.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
			return err.Error()
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, what))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// settle waits until everything that was begun has ended, and stays so. It gives up where
// nothing has moved for so long: a slow machine takes its time.
func (in *installation) settle(ctx context.Context, most time.Duration) error {
	began, moved, quiet, before := time.Now(), time.Now(), 0, ""
	for quiet < 30 { // of a tenth of a second each: longer than a platform brings what it kept
		left := in.left(ctx)
		quiet++
		if left != "" {
			quiet = 0
		}
		if left != before {
			before, moved = left, time.Now()
		}
		if time.Since(moved) > most {
			return fmt.Errorf("not settled %s after the last fault, and nothing has moved for %s: %s\n%s", time.Since(began).Round(time.Second), most, left, in.running(ctx))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	in.log.add("all has settled, %s after the last fault", time.Since(began).Round(time.Second))
	return nil
}

func (in *installation) running(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{HostPort: in.temporalAddress})
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", PageSize: 100})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range list.Executions {
		d, err := c.DescribeWorkflowExecution(ctx, e.Execution.WorkflowId, "")
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", e.Execution.WorkflowId, err)
			continue
		}
		fmt.Fprintf(&b, "%s: %d events", e.Execution.WorkflowId, d.WorkflowExecutionInfo.HistoryLength)
		if t := d.PendingWorkflowTask; t != nil {
			fmt.Fprintf(&b, ", workflow task %s since %s, attempt %d", t.State, t.ScheduledTime.AsTime().Format(time.TimeOnly), t.Attempt)
		}
		for _, a := range d.PendingActivities {
			fmt.Fprintf(&b, ", %s %s attempt %d, begun %s, heartbeat %s, next %s: %s", a.ActivityType.GetName(), a.State, a.Attempt,
				a.LastStartedTime.AsTime().Format(time.TimeOnly), a.LastHeartbeatTime.AsTime().Format(time.TimeOnly), a.NextAttemptScheduleTime.AsTime().Format(time.TimeOnly), a.LastFailure.GetMessage())
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}
