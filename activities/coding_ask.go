package activities

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/remote/acpclient"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/tools"
)

const (
	approvalPatience = 10 * time.Minute // how long a program runs while it waits for approval
	approvalPoll     = time.Second      // between checks for a decision
)

var errUnanswered = errors.New("nobody has decided yet")

func (c *codingRun) ask(ctx context.Context, p acpclient.Permission) (bool, error) {
	if c.step.Person == "" {
		return false, nil // no person to ask
	}
	arguments, err := core.CanonicalArguments(p.Arguments)
	if err != nil {
		return false, nil // not canonical: two readers could understand it differently
	}
	tool := tools.Tool{Name: string(c.in.Agent) + "." + p.Kind, By: store.ByActivity, Approval: core.ApproveAlways, Untrusted: true}
	ask, err := c.approver.newApproval(ctx, c.step, tool, arguments, core.ApproveAlways)
	if err != nil {
		return false, err
	}
	// If the agent withdraws its request, even at once, the question is withdrawn below.
	q, err := c.store.AskForPeer(context.WithoutCancel(ctx), c.in.Task, c.in.Agent, ask)
	if errors.Is(err, store.ErrTooMany) {
		if !c.many.Swap(true) {
			c.logger.Warn("coding agent asks for permission too often; errand refuses without asking people", "task", c.in.Task, "agent", c.in.Agent, "error", err)
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	leave := c.waitsFor(q.ID)
	defer leave()
	if q.ID == ask.ID {
		c.logger.Info("coding agent asks for permission", "task", c.in.Task, "agent", c.in.Agent, "question", q.ID, "tool", tool.Name)
		c.wakeOutboxes(ctx, q, ask.Deciders)
		c.tasks.showTaskState(ctx, c.in.Task)
	}
	patience := time.NewTimer(approvalPatience)
	defer patience.Stop()
	look := time.NewTicker(approvalPoll)
	defer look.Stop()
	for q.State == core.QuestionOpen {
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
		if q, err = c.store.Question(context.WithoutCancel(ctx), q.ID); err != nil {
			return false, err
		}
	}
	taken, err := c.store.TakePeerAnswer(ctx, q.ID)
	if err != nil || !taken || q.State != core.QuestionAnswered {
		return false, err
	}
	return c.approver.decides(ctx, q.AnsweredBy)
}

// waitsFor counts the agent's requests that wait for a question. leave reports whether it was the
// last one.
func (c *codingRun) waitsFor(id core.QuestionID) (leave func() (last bool)) {
	add := func(n int) int {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked[id] += n
		return c.asked[id]
	}
	add(1)
	return sync.OnceValue(func() bool { return add(-1) == 0 })
}

// withdraw closes the question. A decision that was made in the meantime stays for the agent's next
// request.
func (c *codingRun) withdraw(ctx context.Context, id core.QuestionID) error {
	if err := c.close(ctx, id, c.text(c.step.Language, "coding.asked_no_more", "question", string(id), "agent", c.in.Agent.Display())); err != nil {
		return err
	}
	q, err := c.store.Question(ctx, id)
	if err == nil && q.State == core.QuestionWithdrawn {
		_, err = c.store.TakePeerAnswer(ctx, id)
	}
	return err
}

func (c *codingRun) close(ctx context.Context, id core.QuestionID, notice string) error {
	q, _, _, err := c.store.CloseQuestion(ctx, store.CloseQuestion{ID: id, State: core.QuestionWithdrawn, Notice: notice})
	if err != nil {
		return err
	}
	c.tasks.showTaskState(ctx, c.in.Task)
	deciders, err := c.store.Deciders(ctx, id)
	if err == nil {
		c.wakeOutboxes(ctx, q, deciders)
	}
	return err
}

// wakeOutboxes has the question or its end sent to the people who may decide. If a call fails, the
// watchdog sends it later.
func (c *codingRun) wakeOutboxes(ctx context.Context, q core.Question, deciders []store.Decider) {
	routes := []core.Route{q.Route}
	for _, d := range deciders {
		routes = append(routes, d.Route)
	}
	for _, r := range routes {
		if r.Chat == "" || r.Channel == core.ChannelWeb {
			continue
		}
		if err := c.sessions.WakeOutbox(ctx, r); err != nil {
			c.logger.Warn("outbox not started; the watchdog will start it", "error", err)
		}
	}
}

func (c *codingRun) unanswered(ctx context.Context) (wire.CodingResult, error) {
	list, err := c.store.PendingApprovals(ctx, c.in.Task, c.in.Agent)
	if err != nil {
		return wire.CodingResult{}, failed(err)
	}
	var open []core.QuestionID
	for _, q := range list {
		if q.State == core.QuestionOpen {
			open = append(open, q.ID)
		}
	}
	if !c.fixed.Load() {
		return wire.CodingResult{State: core.InputRequired, Questions: open}, nil
	}
	for _, id := range open {
		notice := c.text(c.step.Language, "coding.withdrawn", "question", string(id), "agent", c.in.Agent.Display(), "minutes", strconv.Itoa(int(approvalPatience.Minutes())))
		if err := c.close(ctx, id, notice); err != nil {
			return wire.CodingResult{}, failed(err)
		}
	}
	return c.keepCodingTask(ctx, c.in, core.PeerTask{State: core.Failed, Text: prompt.CodingUnanswered(approvalPatience)})
}
