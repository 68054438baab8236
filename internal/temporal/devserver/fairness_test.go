//go:build !nodevserver

package devserver

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const fairQueue = "fair-test"

// fanOut runs n activities at once, which have the fairness key of the workflow.
func fanOut(ctx workflow.Context, n int) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: fairQueue, StartToCloseTimeout: time.Minute, Priority: temporal.Priority{PriorityKey: 3},
	})
	var all []workflow.Future
	for i := range n {
		all = append(all, workflow.ExecuteActivity(ctx, "note", fmt.Sprint(workflow.GetInfo(ctx).WorkflowExecution.ID, i)))
	}
	for _, f := range all {
		if err := f.Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestFairQueues proves that on a fair queue those with many tasks and those with
// few take turns, and that no task is lost or run twice where a server finds tasks
// from a time when the queue was fair, or was not.
func TestFairQueues(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after bool // whether it is fair when the tasks are queued, and when they are given out
		first         string
	}{
		{"fair", true, true, "bob"},
		{"not fair", false, false, "ada"},
		{"fair from now on", false, true, "ada"}, // what waits goes first, as it was
		{"no longer fair", true, false, "bob"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, fairOptions(t, dir, test.before))
			c := dial(t, s)
			w := worker.New(c, taskQueue, worker.Options{})
			w.RegisterWorkflowWithOptions(fanOut, workflow.RegisterOptions{Name: "fanOut"})
			require.NoError(t, w.Start())
			queueTasks(t, c, "ada", 20)
			awaitBacklog(t, dir, test.before, 20)
			queueTasks(t, c, "bob", 1)
			awaitBacklog(t, dir, test.before, 21)
			if test.before != test.after {
				w.Stop()
				c.Close()
				stop(t, s)
				s = start(t, fairOptions(t, dir, test.after))
				c = dial(t, s)
				w = worker.New(c, taskQueue, worker.Options{})
				w.RegisterWorkflowWithOptions(fanOut, workflow.RegisterOptions{Name: "fanOut"})
				require.NoError(t, w.Start())
			}
			defer w.Stop()

			var mu sync.Mutex
			var noted []string
			acts := worker.New(c, fairQueue, worker.Options{MaxConcurrentActivityExecutionSize: 1, DisableWorkflowWorker: true})
			acts.RegisterActivityWithOptions(func(_ context.Context, name string) error {
				mu.Lock()
				defer mu.Unlock()
				noted = append(noted, name)
				return nil
			}, activity.RegisterOptions{Name: "note"})
			require.NoError(t, acts.Start())
			defer acts.Stop()
			for _, id := range []string{"ada", "bob"} {
				require.Eventually(t, func() bool { // whoever waits for the end may hear of it late
					d, err := c.DescribeWorkflowExecution(t.Context(), id, "")
					return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
				}, time.Minute, 20*time.Millisecond, "it ends")
			}
			mu.Lock()
			defer mu.Unlock()
			require.Len(t, noted, 21)
			place := slices.Index(noted, "bob0")
			if test.first == "bob" {
				require.Less(t, place, 3, "who has one task waits for all others: %v", noted)
			} else {
				require.Equal(t, 20, place, "%v", noted)
			}
		})
	}
}

func fairOptions(t *testing.T, dir string, fair bool) Options {
	o := options(t, dir)
	if fair {
		o.FairQueues = []string{fairQueue}
	}
	return o
}

func queueTasks(t *testing.T, c client.Client, key string, n int) {
	t.Helper()
	_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: key, TaskQueue: taskQueue, Priority: temporal.Priority{FairnessKey: key},
	}, "fanOut", n)
	require.NoError(t, err)
}

// awaitBacklog waits until n tasks are in the database, in the table of a fair queue
// or in the other one.
func awaitBacklog(t *testing.T, dir string, fair bool, n int) {
	t.Helper()
	table := "tasks"
	if fair {
		table = "tasks_v2"
	}
	db, err := openFile(filepath.Join(dir, databaseName), "ro", "busy_timeout(1000)")
	require.NoError(t, err)
	defer db.Close()
	require.Eventually(t, func() bool {
		var queued int
		// The name follows the random bytes of a namespace's id, which are no text to compare.
		err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table+` WHERE INSTR(task_queue_id, CAST(? AS BLOB)) > 0`, fairQueue).Scan(&queued)
		return err == nil && queued == n
	}, 20*time.Second, 20*time.Millisecond, "%d tasks are in the table %s", n, table)
}
