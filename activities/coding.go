package activities

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/acpclient"
	"errand/internal/store"
	"errand/internal/tools"
)

// Coding has the coding agents of this worker work; [*acpclient.Agents] does.
type Coding interface {
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

const (
	approvalPatience = 10 * time.Minute // for which a program runs that waits for a yes
	approvalLook     = time.Second      // between looks whether somebody has decided
)

var (
	errUnanswered = errors.New("nobody has decided yet")
	errNoFolder   = errors.New("the folder is another worker's")
	errStopping   = errors.New("this worker is ending")
	errWaiting    = errors.New("nobody has answered yet")
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
	c := &coding{Activities: a, in: in}
	if err := c.begin(ctx); err != nil {
		return CodingResult{}, failed(err)
	}
	prompt, err := c.prompt(ctx, work)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	ctx, stop := whileWorking(ctx)
	defer stop()
	told, err := a.Coding.Work(ctx, in.Agent, acpclient.Work{Session: work.PeerTask, Prompt: prompt,
		Begun: func(session string) error {
			_, err := a.Store.HearPeer(ctx, in.Task, in.Agent, errand.PeerTask{ID: session, State: errand.Working})
			return err
		},
		Ask:   c.ask,
		Doing: c.doing,
		Waits: func() { c.doing(a.text(c.step.Language, "coding.waits")) },
	})
	switch {
	case errors.Is(err, errUnanswered):
		return c.unanswered(context.WithoutCancel(ctx))
	case errors.Is(err, acpclient.ErrLost):
		told = errand.PeerTask{State: errand.Failed, Text: codingLost}
	case errors.Is(err, acpclient.ErrAway), errors.Is(err, errStopping):
		a.Logger.Info("a coding agent is to go on elsewhere", "task", in.Task, "agent", in.Agent, "error", err)
		return CodingResult{}, temporal.NewApplicationErrorWithOptions(errNoFolder.Error(), "away", temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
	case err != nil:
		return CodingResult{}, failed(err)
	}
	a.Logger.Info("a coding agent has ended", "task", in.Task, "agent", in.Agent, "state", told.State)
	return a.hearCoding(context.WithoutCancel(ctx), in, told)
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
	return a.hearCoding(ctx, in, errand.PeerTask{State: errand.Failed, Text: codingNotBegun})
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
	return temporal.NewApplicationErrorWithOptions(errWaiting.Error(), "waiting", temporal.ApplicationErrorOptions{NextRetryDelay: longestPeerPause})
}

func (a *Activities) hearCoding(ctx context.Context, in PeerInput, told errand.PeerTask) (CodingResult, error) {
	work, err := a.Store.HearPeer(ctx, in.Task, in.Agent, told)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	return a.codingResult(ctx, work)
}

func (a *Activities) codingResult(ctx context.Context, work store.PeerWork) (CodingResult, error) {
	out, err := a.peerResult(ctx, work)
	return CodingResult{State: out.State, Verdict: out.Verdict}, err
}

// A coding is a coding agent at work.
type coding struct {
	*Activities
	in    PeerInput
	step  *store.StepInput // what its work is asked for by
	steps atomic.Int64     // that it was seen to do
	fixed atomic.Bool      // it cannot take up its session in another process
}

// begin finds out for whom the work is, and with which rights.
func (c *coding) begin(ctx context.Context) error {
	task, err := c.Store.Task(ctx, c.in.Task)
	if err != nil {
		return err
	}
	key := errand.StepKey{Owner: errand.SubAgentOwner(task.ID, c.in.Agent), Turn: 1}
	c.step, err = c.stepOf(ctx, store.Call{Key: errand.CallKey{StepKey: key}, Session: task.Origin.Session, Origin: task.Origin, Person: task.Origin.Person, Agent: c.in.Agent, Task: &task})
	return err
}

// doing shows in the chat what the agent does.
func (c *coding) doing(text string) {
	c.publishPassingStep(c.step, int(c.steps.Add(1)), string(c.in.Agent), text)
}

// ask has somebody decide about what the agent wants to do, and waits for it. After a while
// the agent is not kept waiting.
func (c *coding) ask(ctx context.Context, p acpclient.Permission) (bool, error) {
	if c.step.Person == "" {
		return false, nil // nobody is there who could be asked
	}
	arguments, err := errand.CanonicalArguments(p.Arguments)
	if err != nil {
		return false, nil // two readers may take it for different things
	}
	tool := tools.Tool{Name: string(c.in.Agent) + "." + p.Kind, By: store.ByActivity, Approval: errand.ApproveAlways, Untrusted: true}
	ask, err := c.newApproval(ctx, c.step, tool, arguments, errand.ApproveAlways)
	if err != nil {
		return false, err
	}
	q, err := c.Store.AskForPeer(ctx, c.in.Task, c.in.Agent, ask)
	if err != nil {
		return false, err
	}
	if q.ID == ask.ID {
		c.Logger.Info("a coding agent asks for permission", "task", c.in.Task, "agent", c.in.Agent, "question", q.ID, "tool", tool.Name)
		c.wakeOutboxes(ctx, q, ask.Deciders)
	}
	patience := time.NewTimer(approvalPatience)
	defer patience.Stop()
	look := time.NewTicker(approvalLook)
	defer look.Stop()
	for q.State == errand.QuestionOpen {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-patience.C:
			c.fixed.Store(!p.Loads)
			return false, errUnanswered
		case <-look.C:
		}
		if q, err = c.Store.Question(ctx, q.ID); err != nil {
			return false, err
		}
	}
	taken, err := c.Store.TakePeerAnswer(ctx, q.ID)
	if err != nil || !taken || q.State != errand.QuestionAnswered {
		return false, err
	}
	return c.decides(ctx, q.AnsweredBy)
}

// wakeOutboxes has those told who are asked. What is lost here is told all the same, later.
func (c *coding) wakeOutboxes(ctx context.Context, q errand.Question, deciders []store.Decider) {
	routes := []errand.Route{q.Route}
	for _, d := range deciders {
		routes = append(routes, d.Route)
	}
	for _, r := range routes {
		if r.Chat == "" || r.Channel == errand.ChannelWeb {
			continue
		}
		if err := c.Sessions.WakeOutbox(ctx, r); err != nil {
			c.Logger.Warn("an outbox was not woken; the watchdog will", "error", err)
		}
	}
}

// unanswered is for an agent that was stopped because nobody decides about what it wants to
// do: it goes on with the answer, if it can take up its session.
func (c *coding) unanswered(ctx context.Context) (CodingResult, error) {
	list, err := c.Store.UntoldApprovals(ctx, c.in.Task, c.in.Agent)
	if err != nil {
		return CodingResult{}, failed(err)
	}
	var open []errand.QuestionID
	for _, q := range list {
		if q.State == errand.QuestionOpen {
			open = append(open, q.ID)
		}
	}
	if !c.fixed.Load() {
		return CodingResult{State: errand.InputRequired, Questions: open}, nil
	}
	for _, id := range open {
		end := store.CloseQuestion{ID: id, State: errand.QuestionWithdrawn, Notice: c.text(c.step.Language, "coding.withdrawn", "question", string(id), "agent", c.in.Agent.Display(), "minutes", strconv.Itoa(int(approvalPatience.Minutes())))}
		q, _, _, err := c.Store.CloseQuestion(ctx, end)
		if err != nil {
			return CodingResult{}, failed(err)
		}
		deciders, err := c.Store.Deciders(ctx, id)
		if err != nil {
			return CodingResult{}, failed(err)
		}
		c.wakeOutboxes(ctx, q, deciders)
	}
	return c.hearCoding(ctx, c.in, errand.PeerTask{State: errand.Failed, Text: codingUnanswered()})
}
