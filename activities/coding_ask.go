package activities

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"errand"
	"errand/internal/acpclient"
	"errand/internal/store"
	"errand/internal/tools"
)

const (
	approvalPatience = 10 * time.Minute // for which a program runs that waits for a yes
	approvalPoll     = time.Second      // between looks whether somebody has decided
)

var errUnanswered = errors.New("nobody has decided yet")

// ask has somebody decide about what the agent wants to do, and waits for it. After a while
// the agent is not kept waiting.
func (c *codingRun) ask(ctx context.Context, p acpclient.Permission) (bool, error) {
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
	// One that the agent asks no more is withdrawn below, also where that comes at once.
	q, err := c.Store.AskForPeer(context.WithoutCancel(ctx), c.in.Task, c.in.Agent, ask)
	if errors.Is(err, store.ErrTooMany) {
		if !c.many.Swap(true) {
			c.Logger.Warn("a coding agent asks too often for permission; people are not asked, and it is told no", "task", c.in.Task, "agent", c.in.Agent, "error", err)
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	leave := c.waitsFor(q.ID)
	defer leave()
	if q.ID == ask.ID {
		c.Logger.Info("a coding agent asks for permission", "task", c.in.Task, "agent", c.in.Agent, "question", q.ID, "tool", tool.Name)
		c.wakeOutboxes(ctx, q, ask.Deciders)
		c.showTaskState(ctx, c.in.Task)
	}
	patience := time.NewTimer(approvalPatience)
	defer patience.Stop()
	look := time.NewTicker(approvalPoll)
	defer look.Stop()
	for q.State == errand.QuestionOpen {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), acpclient.ErrAskedNoMore) && leave() {
				return false, c.withdraw(context.WithoutCancel(ctx), q.ID)
			}
			return false, ctx.Err()
		case <-patience.C:
			c.fixed.Store(!p.Loads)
			return false, errUnanswered
		case <-look.C:
		}
		if q, err = c.Store.Question(context.WithoutCancel(ctx), q.ID); err != nil {
			return false, err
		}
	}
	taken, err := c.Store.TakePeerAnswer(ctx, q.ID)
	if err != nil || !taken || q.State != errand.QuestionAnswered {
		return false, err
	}
	return c.decides(ctx, q.AnsweredBy)
}

// waitsFor counts the requests of the agent that wait for a question: leave reports whether no
// other does.
func (c *codingRun) waitsFor(id errand.QuestionID) (leave func() (last bool)) {
	add := func(n int) int {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked[id] += n
		return c.asked[id]
	}
	add(1)
	return sync.OnceValue(func() bool { return add(-1) == 0 })
}

// withdraw ends a question that the agent asks no more. Where somebody has decided in between,
// that is good for when it asks again.
func (c *codingRun) withdraw(ctx context.Context, id errand.QuestionID) error {
	if err := c.close(ctx, id, c.text(c.step.Language, "coding.asked_no_more", "question", string(id), "agent", c.in.Agent.Display())); err != nil {
		return err
	}
	q, err := c.Store.Question(ctx, id)
	if err == nil && q.State == errand.QuestionWithdrawn {
		_, err = c.Store.TakePeerAnswer(ctx, id)
	}
	return err
}

// close withdraws a question, and says so in its chat.
func (c *codingRun) close(ctx context.Context, id errand.QuestionID, notice string) error {
	q, _, _, err := c.Store.CloseQuestion(ctx, store.CloseQuestion{ID: id, State: errand.QuestionWithdrawn, Notice: notice})
	if err != nil {
		return err
	}
	c.showTaskState(ctx, c.in.Task)
	deciders, err := c.Store.Deciders(ctx, id)
	if err == nil {
		c.wakeOutboxes(ctx, q, deciders)
	}
	return err
}

// wakeOutboxes has those told who are asked. What is lost here is told all the same, later.
func (c *codingRun) wakeOutboxes(ctx context.Context, q errand.Question, deciders []store.Decider) {
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
func (c *codingRun) unanswered(ctx context.Context) (CodingResult, error) {
	list, err := c.Store.PendingApprovals(ctx, c.in.Task, c.in.Agent)
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
		notice := c.text(c.step.Language, "coding.withdrawn", "question", string(id), "agent", c.in.Agent.Display(), "minutes", strconv.Itoa(int(approvalPatience.Minutes())))
		if err := c.close(ctx, id, notice); err != nil {
			return CodingResult{}, failed(err)
		}
	}
	return c.keepCodingTask(ctx, c.in, errand.PeerTask{State: errand.Failed, Text: codingUnanswered()})
}
