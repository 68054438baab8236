package app

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"

	"errand"
	"errand/activities"
	"errand/internal/channels"
	"errand/workflows"
)

// pollers are how many polls a worker has open at a queue. Only pollers that scale
// keep some for new runs: a fixed number, two by default, is shared with the runs in
// the worker's cache, and all of it goes to those for as long as they have tasks
// waiting. On a cluster a queue has four partitions; there is a poll for each.
var pollers = worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{
	InitialNumberOfPollers: 4, MinimumNumberOfPollers: 4, MaximumNumberOfPollers: 20,
})

// startWorkers starts the Temporal workers of conversations: of what only touches the
// store, of people's turns, and of sub-agents' steps, each with slots of its own. All
// have workflows: a workflow on the queue of its steps is handed to the worker that
// takes the step in the same answer.
func (a *App) startWorkers(o Options) error {
	if o.Version != "" {
		// The SDK would read the whole binary otherwise, to name the build.
		worker.SetBinaryChecksum(o.Version)
	}
	slots := o.Config.Slots
	var all []worker.Worker
	for _, q := range []struct {
		name  string
		slots int
	}{{workflows.TaskQueue, slots.Store}, {workflows.TurnQueue, max(activities.TurnSlots, slots.Turns)}, {workflows.SubAgentQueue, slots.Tasks}} {
		w := worker.New(a.Client, q.name, a.workerOptions(q.name, q.slots, o.StopTimeout))
		workflows.Register(w)
		w.RegisterActivity(a.acts)
		all = append(all, w)
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

// startDelivery starts the worker of deliveries on accounts without a connection. A
// worker without accounts leaves them to those that have some.
func (a *App) startDelivery(o Options) error {
	if len(o.Config.Channels) == 0 && o.Notifiers == nil {
		return nil
	}
	slots := cmp.Or(o.Config.Slots.Deliveries, activities.DeliverySlots(len(o.Config.Channels)))
	return a.workOn(workflows.DeliveryQueue, slots, o, nil)
}

// webhookSlots is how many programs one worker tells something at once. A receiver that
// does not answer holds one up for as long as [webhook.Sender] waits, and nothing else.
const webhookSlots = 16

// startWebhooks starts the worker of what programs are told, with or without accounts.
func (a *App) startWebhooks(o Options) error {
	return a.workOn(workflows.WebhookQueue, webhookSlots, o, nil)
}

// stopDelivering is how long what is being sent on an account may go on when it is
// held no longer. What only waits for its pace is given up, and is sent by the next
// worker that holds the account.
const stopDelivering = 5 * time.Second

// deliverOn sends what is to be told on an account, until ctx ends: for as long as
// this process holds it, so that of all workers one sends its deliveries, at one pace.
// While Temporal is away there is nothing to send, and the connection goes on without.
func (a *App) deliverOn(ctx context.Context, account errand.Account) {
	slots := activities.DeliverySlots(1)
	if a.slots.Deliveries > 0 { // for all accounts of this worker
		slots = max(1, a.slots.Deliveries/len(a.connections.runners))
	}
	a.workWhile(ctx, workflows.OwnerQueue(account), slots, min(a.stopTimeout, stopDelivering), func(err error) {
		a.log.Warn("deliveries wait: the worker of the account does not start", "channel", account.Channel, "account", account.Name, "error", err)
	})
}

// workWhile takes the activities of a queue until ctx ends. While Temporal is away there
// are none; waits is told so.
func (a *App) workWhile(ctx context.Context, queue string, slots int, stopTimeout time.Duration, waits func(error)) {
	pause := channels.Backoff{First: time.Second, Longest: 10 * time.Second}
	for failures := 0; ; failures++ {
		w := a.worker(queue, slots, stopTimeout)
		started := make(chan error, 1)
		go func() { started <- w.Start() }()
		select {
		case err := <-started:
			if err == nil {
				<-ctx.Done()
				w.Stop()
				return
			}
			waits(err)
		case <-ctx.Done():
			go func() { // nobody waits for it
				if <-started == nil {
					w.Stop()
				}
			}()
			return
		}
		if !channels.Sleep(ctx, pause.After(failures)) {
			return
		}
	}
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
		OnFatalError:                       func(err error) { a.fail(fmt.Errorf("temporal worker of %s: %w", queue, explainMissingNamespace(err))) },
	}
}
