package bench

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The bare minimum of the same shape on the same server: no store, no model, no
// promises.
const bareQueue = "bench-bare"

func nothing(context.Context) error { return nil }

func quickly(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
}

// bareEntity has an update with one no-op activity, like a plain turn, and one
// with a child and a grandchild, like a synchronous delegation.
func bareEntity(ctx workflow.Context) error {
	err := workflow.SetUpdateHandler(ctx, "turn", func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(quickly(ctx), nothing).Get(ctx, nil)
	})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandler(ctx, "delegation", func(ctx workflow.Context) error {
		if err := workflow.ExecuteActivity(quickly(ctx), nothing).Get(ctx, nil); err != nil {
			return err
		}
		if err := workflow.ExecuteChildWorkflow(ctx, bareChild).Get(ctx, nil); err != nil {
			return err
		}
		return workflow.ExecuteActivity(quickly(ctx), nothing).Get(ctx, nil)
	})
	if err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return nil
}

func bareChild(ctx workflow.Context) error {
	if err := workflow.ExecuteChildWorkflow(ctx, bareGrandchild).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.ExecuteActivity(quickly(ctx), nothing).Get(ctx, nil)
}

func bareGrandchild(ctx workflow.Context) error {
	return workflow.ExecuteActivity(quickly(ctx), nothing).Get(ctx, nil)
}

// startBare starts a worker and n entities, and returns what runs one update of
// entity i.
func startBare(ctx context.Context, c client.Client, n int) (run func(ctx context.Context, i int, update string) error, stop func(), err error) {
	w := worker.New(c, bareQueue, worker.Options{})
	w.RegisterWorkflow(bareEntity)
	w.RegisterWorkflow(bareChild)
	w.RegisterWorkflow(bareGrandchild)
	w.RegisterActivity(nothing)
	if err := w.Start(); err != nil {
		return nil, nil, err
	}
	id := func(i int) string { return fmt.Sprintf("bare/%d", i) }
	for i := range n {
		if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id(i), TaskQueue: bareQueue}, bareEntity); err != nil {
			w.Stop()
			return nil, nil, err
		}
	}
	run = func(ctx context.Context, i int, update string) error {
		h, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
			WorkflowID: id(i), UpdateName: update, WaitForStage: client.WorkflowUpdateStageCompleted})
		if err != nil {
			return err
		}
		return h.Get(ctx, nil)
	}
	stop = func() {
		for i := range n {
			if err := c.SignalWorkflow(ctx, id(i), "", "end", nil); err != nil {
				break
			}
		}
		w.Stop()
	}
	return run, stop, nil
}
