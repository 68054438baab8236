package app

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"

	"errand/activities"
	"errand/workflows"
)

// pollers are how many polls a worker has open at a queue. Only pollers that scale
// keep some for new runs: a fixed number, two by default, is shared with the runs in
// the worker's cache, and all of it goes to those for as long as they have tasks
// waiting. On a cluster a queue has four partitions; there is a poll for each.
var pollers = worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{
	InitialNumberOfPollers: 4, MinimumNumberOfPollers: 4, MaximumNumberOfPollers: 20,
})

// startWorkers starts the Temporal workers of conversations: of workflows with what only
// touches the store, of people's turns, and of sub-agents' steps, each with slots
// of its own. The first has all activities, for runs that began when there was
// one queue only.
func (a *App) startWorkers(o Options) error {
	if o.Version != "" {
		// The SDK would read the whole binary otherwise, to name the build.
		worker.SetBinaryChecksum(o.Version)
	}
	slots := o.Config.Slots
	w := worker.New(a.Client, workflows.TaskQueue, a.workerOptions(workflows.TaskQueue, slots.Store, o.StopTimeout))
	workflows.Register(w)
	w.RegisterActivity(a.acts)
	all := []worker.Worker{
		w,
		a.worker(workflows.TurnQueue, slots.Turns, o.StopTimeout),
		a.worker(workflows.SubAgentQueue, slots.Tasks, o.StopTimeout),
	}
	started := 0
	a.stopWith(func(context.Context) {
		var stopping sync.WaitGroup // each may take the whole StopTimeout
		for _, w := range all[:started] {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
	})
	for _, w := range all {
		if err := w.Start(); err != nil {
			return fmt.Errorf("start temporal worker: %w", err)
		}
		started++
	}
	return nil
}

// startDelivery starts the worker of deliveries. One without accounts leaves them to
// those that have some.
func (a *App) startDelivery(o Options) error {
	if len(o.Config.Channels) == 0 && o.Notifiers == nil {
		return nil
	}
	slots := cmp.Or(o.Config.Slots.Deliveries, activities.DeliverySlots(len(o.Config.Channels)))
	return a.workOn(workflows.DeliveryQueue, slots, o, nil)
}

// workOn starts a worker of activities only, with slots of its own. ending is
// called before it stops.
func (a *App) workOn(queue string, slots int, o Options, ending func()) error {
	w := a.worker(queue, slots, o.StopTimeout)
	if err := w.Start(); err != nil {
		return fmt.Errorf("start temporal worker of %s: %w", queue, err)
	}
	a.stopWith(func(context.Context) {
		if ending != nil {
			ending()
		}
		w.Stop()
	})
	return nil
}

// worker makes a worker of activities only.
func (a *App) worker(queue string, slots int, stopTimeout time.Duration) worker.Worker {
	opts := a.workerOptions(queue, slots, stopTimeout)
	opts.DisableWorkflowWorker = true
	w := worker.New(a.Client, queue, opts)
	w.RegisterActivity(a.acts)
	return w
}

func (a *App) workerOptions(queue string, slots int, stopTimeout time.Duration) worker.Options {
	return worker.Options{
		MaxConcurrentActivityExecutionSize: slots,
		WorkflowTaskPollerBehavior:         pollers,
		ActivityTaskPollerBehavior:         pollers,
		WorkerStopTimeout:                  stopTimeout,
		OnFatalError:                       func(err error) { a.fail(fmt.Errorf("temporal worker of %s: %w", queue, err)) },
	}
}
