package app

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"errand/activities"
	"errand/internal/channels"
	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// On a cluster a queue has four partitions, so there are at least four polls for activities.
var activityPollers = worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{
	InitialNumberOfPollers: 4, MinimumNumberOfPollers: 4, MaximumNumberOfPollers: 20,
})

// workflowPollers keep 20 polls for new runs and 20 for cached ones, per queue. Only autoscaling polls
// separately for new runs. If the numbers could change, the SDK would poll for new runs only once at a
// time while cached runs have a backlog: most partitions would have no poll, and a new run would wait
// for seconds.
var workflowPollers = worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{
	InitialNumberOfPollers: 20, MinimumNumberOfPollers: 20, MaximumNumberOfPollers: 20,
})

// startWorkers starts the workers for the store, for turns and for sub-agents, each with its own
// slots. All of them run workflows, so that one response of Temporal brings a workflow and its
// step.
func (a *App) startWorkers(o Options) error {
	slots := o.Config.Slots
	var all []worker.Worker
	for _, q := range []struct {
		name  string
		slots int
	}{{wire.TaskQueue, slots.Store}, {wire.TurnQueue, max(activities.TurnSlots, slots.Turns)}, {wire.SubAgentQueue, slots.Tasks}} {
		w := worker.New(a.Client, q.name, a.workers.options(q.name, q.slots, o.StopTimeout))
		workflows.Register(w)
		w.RegisterActivity(a.acts)
		all = append(all, w)
	}
	started := 0
	a.stopWith(func(context.Context) {
		var stopping sync.WaitGroup // in parallel, because each may take the whole StopTimeout
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

// startDelivery does nothing without accounts: workers with accounts make these deliveries.
func (a *App) startDelivery(o Options) error {
	if len(o.Config.Channels) == 0 && o.Notifiers == nil {
		return nil
	}
	slots := cmp.Or(o.Config.Slots.Deliveries, activities.DeliverySlots(len(o.Config.Channels)))
	return a.workers.workOn(wire.DeliveryQueue, slots, nil)
}

// A receiver that does not answer occupies a slot until [push.WebhookSender]'s timeout.
const webhookSlots = 16

func (a *App) startWebhooks(o Options) error {
	return a.workers.workOn(wire.WebhookQueue, webhookSlots, nil)
}

// stopDelivering is the time to finish a message when the account is lost. Messages that wait for
// the rate limit are left to the next worker.
const stopDelivering = 5 * time.Second

// deliverOn sends the messages of an account while this process holds it, so that one worker
// applies its rate limits. If Temporal is unreachable, the connection continues without deliveries.
func (a *App) deliverOn(ctx context.Context, account core.Account) {
	slots := activities.DeliverySlots(1)
	if a.slots.Deliveries > 0 { // the setting is for all accounts of this worker
		slots = max(1, a.slots.Deliveries/len(a.connections.runners))
	}
	a.workers.workWhile(ctx, workflows.OwnerQueue(account), slots, min(a.workers.stopTimeout, stopDelivering), func(err error) {
		a.log.Warn("deliveries wait, because the account's worker does not start", "channel", account.Channel, "account", account.Name, "error", err)
	})
}

type queueWorkers struct {
	client      client.Client
	acts        *activities.Activities
	attempts    *activities.Attempts
	stopTimeout time.Duration // how long a stopping worker waits for running steps
	parts       *lifecycle
}

// workWhile calls waits with the error while the worker cannot start.
func (q queueWorkers) workWhile(ctx context.Context, queue string, slots int, stopTimeout time.Duration, waits func(error)) {
	pause := channels.Backoff{First: time.Second, Longest: 10 * time.Second}
	for failures := 0; ; failures++ {
		w := q.worker(queue, slots, stopTimeout)
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
			go func() { // do not wait for a start in progress
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

// workOn calls ending before the worker stops.
func (q queueWorkers) workOn(queue string, slots int, ending func()) error {
	w := q.worker(queue, slots, q.stopTimeout)
	if err := w.Start(); err != nil {
		return fmt.Errorf("start temporal worker of %s: %w", queue, err)
	}
	q.parts.stopWith(func(context.Context) {
		if ending != nil {
			ending()
		}
		w.Stop()
	})
	return nil
}

func (q queueWorkers) worker(queue string, slots int, stopTimeout time.Duration) worker.Worker {
	opts := q.options(queue, slots, stopTimeout)
	opts.DisableWorkflowWorker = true
	w := worker.New(q.client, queue, opts)
	w.RegisterActivity(q.acts)
	return w
}

func (q queueWorkers) options(queue string, slots int, stopTimeout time.Duration) worker.Options {
	return worker.Options{
		MaxConcurrentActivityExecutionSize: slots,
		WorkflowTaskPollerBehavior:         workflowPollers,
		ActivityTaskPollerBehavior:         activityPollers,
		WorkerStopTimeout:                  stopTimeout,
		Interceptors:                       []interceptor.WorkerInterceptor{q.attempts},
		OnFatalError: func(err error) {
			q.parts.fail(fmt.Errorf("temporal worker of %s: %w", queue, explainMissingNamespace(err)))
		},
	}
}
