package activities

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/remote/acpclient"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// CodingAgents runs the coding agents of this worker. [*acpclient.Agents] implements it.
type CodingAgents interface {
	Work(ctx context.Context, agent core.AgentName, w acpclient.Work) (core.PeerTask, error)
}

const longestBusyPause = 10 * time.Second

var (
	errNoFolder = errors.New("the folder is another worker's")
	errBusy     = errors.New("another task is worked on in the folder")
	errStopping = errors.New("this worker is ending")
	errWaiting  = errors.New("nobody has answered yet")
)

// RunCodingAgent has a coding agent work on a task. After a crash it continues the agent's session
// in a new process.
func (r *RemoteAgents) RunCodingAgent(ctx context.Context, in wire.PeerInput) (wire.CodingResult, error) {
	if err := r.at(in.Store); err != nil {
		return wire.CodingResult{}, err
	}
	work, err := r.store.BeginPeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return wire.CodingResult{}, failed(err)
	}
	if work.State.Terminal() {
		return r.codingResult(ctx, work)
	}
	c := &codingRun{RemoteAgents: r, in: in, asked: map[core.QuestionID]int{}}
	if err := c.begin(ctx); err != nil {
		return wire.CodingResult{}, failed(err)
	}
	text, err := c.prompt(ctx, work)
	if err != nil {
		return wire.CodingResult{}, failed(err)
	}
	ctx, stop := whileWorking(ctx)
	defer stop()
	status, err := r.coding.Work(ctx, in.Agent, acpclient.Work{Task: in.Task, Session: work.PeerTask, Prompt: text,
		Begun: func(session string) error {
			_, err := r.store.KeepPeerTask(ctx, in.Task, in.Agent, core.PeerTask{ID: session, State: core.Working})
			return err
		},
		Ask:   c.ask,
		Doing: c.doing,
	})
	var busy *acpclient.Busy
	switch {
	case errors.As(err, &busy):
		return wire.CodingResult{}, c.waits(work, busy)
	case errors.Is(err, errUnanswered):
		return c.unanswered(context.WithoutCancel(ctx))
	case errors.Is(err, acpclient.ErrLost):
		status = core.PeerTask{State: core.Failed, Text: prompt.CodingLost}
	case errors.Is(err, acpclient.ErrAway), errors.Is(err, errStopping):
		r.logger.Info("coding agent must continue elsewhere", "task", in.Task, "agent", in.Agent, "error", err)
		return wire.CodingResult{}, temporal.NewApplicationErrorWithOptions(errNoFolder.Error(), "away", temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
	case err != nil:
		return wire.CodingResult{}, failed(err)
	}
	r.logger.Info("coding agent ended", "task", in.Task, "agent", in.Agent, "state", status.State)
	return r.keepCodingTask(context.WithoutCancel(ctx), in, status)
}

func whileWorking(ctx context.Context) (context.Context, func()) {
	stopping := activity.GetWorkerStopChannel(ctx)
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-stopping:
			end(errStopping)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

// LoseCodingAgent fails the work of a coding agent if no worker has had its folder for a long time.
func (r *RemoteAgents) LoseCodingAgent(ctx context.Context, in wire.PeerInput) (wire.CodingResult, error) {
	if err := r.at(in.Store); err != nil {
		return wire.CodingResult{}, err
	}
	if _, err := r.store.BeginPeerWork(ctx, in.Task, in.Agent); err != nil {
		return wire.CodingResult{}, failed(err)
	}
	return r.keepCodingTask(ctx, in, core.PeerTask{State: core.Failed, Text: prompt.CodingNotBegun})
}

// AwaitAnswer fails, and is retried, until at least one of the approvals is closed.
func (r *RemoteAgents) AwaitAnswer(ctx context.Context, in wire.AwaitAnswerInput) error {
	if err := r.at(in.Store); err != nil {
		return err
	}
	still, _, err := r.store.OpenQuestions(ctx, in.Questions)
	if err != nil {
		return failed(err)
	}
	if len(still) < len(in.Questions) {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(errWaiting.Error(), "waiting", temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
}

func (r *RemoteAgents) keepCodingTask(ctx context.Context, in wire.PeerInput, status core.PeerTask) (wire.CodingResult, error) {
	work, err := r.store.KeepPeerTask(ctx, in.Task, in.Agent, status)
	if err != nil {
		return wire.CodingResult{}, failed(err)
	}
	return r.codingResult(ctx, work)
}

func (r *RemoteAgents) codingResult(ctx context.Context, work store.PeerWork) (wire.CodingResult, error) {
	out, err := r.peerResult(ctx, work)
	return wire.CodingResult{State: out.State, Verdict: out.Verdict}, err
}

type codingRun struct {
	*RemoteAgents
	in    wire.PeerInput
	step  *store.StepInput // the step on behalf of which it works
	steps atomic.Int64     // published so far
	fixed atomic.Bool      // it cannot load its session in another process
	many  atomic.Bool      // it has asked for more approvals than allowed

	mu    sync.Mutex
	asked map[core.QuestionID]int // open requests for each question
}

func (c *codingRun) begin(ctx context.Context) error {
	task, err := c.store.Task(ctx, c.in.Task)
	if err != nil {
		return err
	}
	key := core.StepKey{Owner: core.SubAgentOwner(task.ID, c.in.Agent), Turn: 1}
	c.step, err = c.stepOf(ctx, store.Call{Key: core.CallKey{StepKey: key}, Session: task.Origin.Session, Origin: task.Origin, Person: task.Origin.Person, Agent: c.in.Agent, Task: &task})
	return err
}

func (c *codingRun) prompt(ctx context.Context, work store.PeerWork) (string, error) {
	if work.PeerTask == "" {
		return work.Text, nil
	}
	list, err := c.store.PendingApprovals(ctx, c.in.Task, c.in.Agent)
	if err != nil {
		return "", err
	}
	return prompt.CodingResumed(work.Text, list), nil
}

func (c *codingRun) doing(text string) {
	c.publishPassingStep(c.step, int(c.steps.Add(1)), string(c.in.Agent), text)
}

// waits returns an error that Temporal retries, so that the wait for the folder uses no slot of the
// worker.
func (c *codingRun) waits(work store.PeerWork, busy *acpclient.Busy) error {
	if busy.Agent != "" {
		c.doing(c.text(c.step.Language, "coding.busy", "agent", busy.Agent.Display(), "age", core.Age(time.Since(busy.Since))))
	}
	waited := c.store.Now().Sub(time.UnixMicro(work.Begun))
	return temporal.NewApplicationErrorWithOptions(errBusy.Error(), "busy", temporal.ApplicationErrorOptions{
		NextRetryDelay: min(max(time.Second, waited/10), longestBusyPause)})
}
