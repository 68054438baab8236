package activities

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/acpclient"
	"errand/internal/store"
)

// CodingAgents has the coding agents of this worker work; [*acpclient.Agents] does.
type CodingAgents interface {
	Work(ctx context.Context, agent errand.AgentName, w acpclient.Work) (errand.PeerTask, error)
}

// A CodingResult says how the work of a coding agent stands; its words are in the store.
type CodingResult struct {
	State   errand.TaskState `json:"state"`
	Verdict errand.Verdict   `json:"verdict,omitempty"`
	// Questions are approvals that nobody has decided about, while the agent was stopped. It
	// goes on when one of them is over.
	Questions []errand.QuestionID `json:"questions,omitempty"`
}

// longestBusyPause is how long after an attempt work looks again whether its folder is free.
const longestBusyPause = 10 * time.Second

var (
	errNoFolder = errors.New("the folder is another worker's")
	errBusy     = errors.New("another task is worked on in the folder")
	errStopping = errors.New("this worker is ending")
	errWaiting  = errors.New("nobody has answered yet")
)

// RunCodingAgent has a coding agent work on a task. After a crash it goes on with the session that
// it has begun, in a new process.
func (a *Activities) RunCodingAgent(ctx context.Context, in PeerInput) (CodingResult, error) {
	if err := a.at(in.Store); err != nil {
		return CodingResult{}, err
	}
	defer beat(ctx)()
	work, err := a.Store.BeginPeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	if work.State.Terminal() {
		return a.codingResult(ctx, work)
	}
	c := &codingRun{Activities: a, in: in, asked: map[errand.QuestionID]int{}}
	if err := c.begin(ctx); err != nil {
		return CodingResult{}, failed(err)
	}
	prompt, err := c.prompt(ctx, work)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	ctx, stop := whileWorking(ctx)
	defer stop()
	status, err := a.Coding.Work(ctx, in.Agent, acpclient.Work{Task: in.Task, Session: work.PeerTask, Prompt: prompt,
		Begun: func(session string) error {
			_, err := a.Store.KeepPeerTask(ctx, in.Task, in.Agent, errand.PeerTask{ID: session, State: errand.Working})
			return err
		},
		Ask:   c.ask,
		Doing: c.doing,
	})
	var busy *acpclient.Busy
	switch {
	case errors.As(err, &busy):
		return CodingResult{}, c.waits(work, busy)
	case errors.Is(err, errUnanswered):
		return c.unanswered(context.WithoutCancel(ctx))
	case errors.Is(err, acpclient.ErrLost):
		status = errand.PeerTask{State: errand.Failed, Text: codingLost}
	case errors.Is(err, acpclient.ErrAway), errors.Is(err, errStopping):
		a.Logger.Info("a coding agent is to go on elsewhere", "task", in.Task, "agent", in.Agent, "error", err)
		return CodingResult{}, temporal.NewApplicationErrorWithOptions(errNoFolder.Error(), "away", temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
	case err != nil:
		return CodingResult{}, failed(err)
	}
	a.Logger.Info("a coding agent has ended", "task", in.Task, "agent", in.Agent, "state", status.State)
	return a.keepCodingTask(context.WithoutCancel(ctx), in, status)
}

// whileWorking is ctx until the worker ends.
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

// LoseCodingAgent ends the work of a coding agent whose folder no worker has had for long.
func (a *Activities) LoseCodingAgent(ctx context.Context, in PeerInput) (CodingResult, error) {
	if err := a.at(in.Store); err != nil {
		return CodingResult{}, err
	}
	if _, err := a.Store.BeginPeerWork(ctx, in.Task, in.Agent); err != nil {
		return CodingResult{}, failed(err)
	}
	return a.keepCodingTask(ctx, in, errand.PeerTask{State: errand.Failed, Text: codingNotBegun})
}

// An AwaitAnswerInput names approvals.
type AwaitAnswerInput struct {
	Store     string              `json:"store"`
	Questions []errand.QuestionID `json:"questions"`
}

// AwaitAnswer fails, and is tried again, until one of some approvals is over.
func (a *Activities) AwaitAnswer(ctx context.Context, in AwaitAnswerInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	still, _, err := a.Store.OpenQuestions(ctx, in.Questions)
	if err != nil {
		return failed(err)
	}
	if len(still) < len(in.Questions) {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(errWaiting.Error(), "waiting", temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
}

func (a *Activities) keepCodingTask(ctx context.Context, in PeerInput, status errand.PeerTask) (CodingResult, error) {
	work, err := a.Store.KeepPeerTask(ctx, in.Task, in.Agent, status)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	return a.codingResult(ctx, work)
}

func (a *Activities) codingResult(ctx context.Context, work store.PeerWork) (CodingResult, error) {
	out, err := a.peerResult(ctx, work)
	return CodingResult{State: out.State, Verdict: out.Verdict}, err
}

// A codingRun is a coding agent at work.
type codingRun struct {
	*Activities
	in    PeerInput
	step  *store.StepInput // what its work is asked for by
	steps atomic.Int64     // that it was seen to do
	fixed atomic.Bool      // it cannot take up its session in another process
	many  atomic.Bool      // it has asked more than people are to be asked

	mu    sync.Mutex
	asked map[errand.QuestionID]int // how many of its requests wait for an answer
}

func (c *codingRun) begin(ctx context.Context) error {
	task, err := c.Store.Task(ctx, c.in.Task)
	if err != nil {
		return err
	}
	key := errand.StepKey{Owner: errand.SubAgentOwner(task.ID, c.in.Agent), Turn: 1}
	c.step, err = c.stepOf(ctx, store.Call{Key: errand.CallKey{StepKey: key}, Session: task.Origin.Session, Origin: task.Origin, Person: task.Origin.Person, Agent: c.in.Agent, Task: &task})
	return err
}

func (c *codingRun) doing(text string) {
	c.publishPassingStep(c.step, int(c.steps.Add(1)), string(c.in.Agent), text)
}

// waits has work tried again soon that has found the folder busy, and says in the chat what
// it waits for. It holds no slot of the worker until then.
func (c *codingRun) waits(work store.PeerWork, busy *acpclient.Busy) error {
	if busy.Agent != "" {
		c.doing(c.text(c.step.Language, "coding.busy", "agent", busy.Agent.Display(), "age", errand.Age(time.Since(busy.Since))))
	}
	waited := c.Store.Now().Sub(time.UnixMicro(work.Begun))
	return temporal.NewApplicationErrorWithOptions(errBusy.Error(), "busy", temporal.ApplicationErrorOptions{
		NextRetryDelay: min(max(time.Second, waited/10), longestBusyPause)})
}
