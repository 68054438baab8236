package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
)

// A taskOut is a task as programs read it.
type taskOut struct {
	ID         errand.TaskID         `json:"task_id"`
	State      errand.TaskState      `json:"state" jsonschema:"submitted, working, input_required, completed, failed, canceled or rejected"`
	Agents     []errand.AgentName    `json:"agents"`
	Title      string                `json:"title"`
	Result     string                `json:"result,omitempty"`
	Error      string                `json:"error,omitempty"`
	Decision   errand.Answer         `json:"decision,omitempty" jsonschema:"of a decision: YES, NO, TIE or NO_QUORUM"`
	Verdicts   []errand.GivenVerdict `json:"verdicts,omitempty"`
	FollowedBy errand.TaskID         `json:"followed_by,omitempty" jsonschema:"the task that follows the decision"`
	Questions  []questionOut         `json:"questions,omitempty" jsonschema:"what it waits for: answer_question answers them"`
	Created    time.Time             `json:"created"`
	Finished   *time.Time            `json:"finished,omitempty"`
	Cost       float64               `json:"cost" jsonschema:"USD"`
}

// A questionOut is a question as programs read it.
type questionOut struct {
	ID      errand.QuestionID    `json:"question_id"`
	Kind    errand.QuestionKind  `json:"kind"`
	State   errand.QuestionState `json:"state"`
	Task    errand.TaskID        `json:"task_id,omitempty"`
	Agent   errand.AgentName     `json:"agent"`
	Text    string               `json:"text"`
	Options []string             `json:"options,omitempty"`
	Answer  string               `json:"answer,omitempty"`
}

func view(t errand.Task, questions []errand.Question) taskOut {
	out := taskOut{ID: t.ID, State: t.State, Agents: t.Agents, Title: t.Title, Result: t.Result, Error: t.Error,
		Decision: t.Decision, Verdicts: t.Verdicts, FollowedBy: t.FollowedBy, Created: t.Created, Cost: t.Cost}
	if !t.Finished.IsZero() {
		out.Finished = &t.Finished
	}
	for _, q := range questions {
		out.Questions = append(out.Questions, questionOf(q))
	}
	return out
}

func questionOf(q errand.Question) questionOut {
	return questionOut{q.ID, q.Kind, q.State, q.Task, q.Agent, q.Text, q.Options, q.Answer}
}

func headLine(t errand.Task) string {
	return "Task " + string(t.ID) + " (" + t.AgentList() + "): " + string(t.State) + "."
}

func (d *door) renderTask(ctx context.Context, t errand.Task) (taskOut, string, error) {
	var questions []errand.Question
	if !t.State.Terminal() {
		var err error
		if questions, err = d.Backend.TaskQuestions(ctx, d.by, t.ID); err != nil {
			return taskOut{}, "", err
		}
	}
	lines := []string{headLine(t)}
	switch {
	case t.State.Terminal():
		lines = append(lines, "", t.Result+t.Error)
		if t.FollowedBy != "" {
			lines = append(lines, "", "Task "+string(t.FollowedBy)+" follows.")
		}
	case len(questions) > 0:
		for _, q := range questions {
			line := fmt.Sprintf("%s asks (question_id %s): %s", q.Agent.Display(), q.ID, q.Text)
			if q.Kind == errand.AsksApproval {
				lines = append(lines, line+" A person decides about this, on the page or in a chat; do not answer it. await_task waits for it.")
				continue
			}
			if len(q.Options) > 0 {
				line += " [" + strings.Join(q.Options, " | ") + "]"
			}
			lines = append(lines, line)
		}
		if slices.ContainsFunc(questions, forClients) {
			lines = append(lines, "Ask the person, and answer with answer_question; then await_task.")
		}
	default:
		lines = append(lines, "It goes on by itself. Call await_task or get_task with this task_id for the result; do not invent it.")
	}
	return view(t, questions), strings.Join(lines, "\n"), nil
}

const progressEvery = 5 * time.Second

// await waits until a task has ended or asks something that a client can answer, and tells a
// client that asks for it how it goes. The task goes on when the call is canceled, unless the
// client has asked for its end then.
func (d *door) await(ctx context.Context, req *mcp.CallToolRequest, t *errand.Task, w waits) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.gone, cancel)() // older protocols do not tell the call
	wait, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(d.stopping, end)()
	began, left := time.Now(), d.patience(w)
	for !t.State.Terminal() && left > 0 && wait.Err() == nil {
		if d.asks(ctx, wait, t) {
			break
		}
		if err := d.follow(wait, t, min(left, progressEvery)); err != nil {
			return err
		}
		d.progress(ctx, req, t, time.Since(began))
		left = d.patience(w) - time.Since(began)
	}
	if ctx.Err() != nil {
		d.canceled(ctx, t, w)
	}
	return ctx.Err()
}

// asks reports whether a task asks something that a client can answer, and then reads it again.
func (d *door) asks(ctx, wait context.Context, t *errand.Task) bool {
	asked, err := d.Backend.TaskQuestions(wait, d.by, t.ID)
	if err != nil || !slices.ContainsFunc(asked, forClients) {
		return false
	}
	if now, err := d.Backend.FindTask(ctx, d.by, string(t.ID), ""); err == nil {
		*t = now
	}
	return true
}

// follow reads a task again when its state is another, or after atMost. That the wait is over
// is no error.
func (d *door) follow(wait context.Context, t *errand.Task, atMost time.Duration) error {
	seen := t.State
	err := d.Backend.FollowTask(wait, d.by, t, atMost, func(now *errand.Task) bool {
		return now.State.Terminal() || now.State != seen
	})
	if wait.Err() != nil {
		return nil
	}
	return err
}

// canceled ends the task of a call that was canceled, if the call has asked for that.
func (d *door) canceled(ctx context.Context, t *errand.Task, w waits) {
	if !w.CancelTask || t.State.Terminal() {
		return
	}
	if _, err := d.Backend.CancelTask(context.WithoutCancel(ctx), d.by, t.ID, "the call that asked for it was canceled"); err != nil {
		d.Logger.Warn("task of a canceled call not canceled", "task", t.ID, "error", err)
	}
}

// hand answers a call with its task: as one that goes on, to a client that takes such; as
// forms, to one whose person can fill them in; and else as it is.
func (d *door) hand(ctx context.Context, req *mcp.CallToolRequest, t *errand.Task) (taskOut, string, error) {
	if t.State.Terminal() || !d.later && !asksForms(req) {
		return d.renderTask(ctx, *t)
	}
	open, err := d.Backend.TaskQuestions(ctx, d.by, t.ID)
	if err != nil {
		return taskOut{}, "", err
	}
	asked := forms(open)
	if d.later {
		d.handed = statusOf(*t, len(asked) > 0)
		return taskOut{}, "", nil
	}
	for _, id := range d.dismissed {
		delete(asked, id)
	}
	if len(asked) == 0 {
		return d.renderTask(ctx, *t)
	}
	d.input = input{asked, string(t.ID)}
	return taskOut{}, "", nil
}

// awaiting waits for the task of a call that says w: the one that begin brings, or, where
// the call is made again with what it asked for, the one from then.
func (d *door) awaiting(ctx context.Context, req *mcp.CallToolRequest, w waits, begin func() (errand.Task, error)) (taskOut, string, error) {
	t, err := d.startOrResume(ctx, req, begin)
	if err != nil {
		return taskOut{}, "", err
	}
	if err := d.await(ctx, req, t, w); err != nil {
		return taskOut{}, "", err
	}
	return d.hand(ctx, req, t)
}

func (d *door) startOrResume(ctx context.Context, req *mcp.CallToolRequest, begin func() (errand.Task, error)) (*errand.Task, error) {
	id := req.Params.RequestState
	if id == "" {
		t, err := begin()
		return &t, err
	}
	t, err := d.taskByID(ctx, id)
	if err == nil {
		d.dismissed, err = d.answer(ctx, t, req.Params.InputResponses)
	}
	return &t, err
}

// forClients holds for what a client may answer. An approval a person gives: waiting may
// bring it.
func forClients(q errand.Question) bool { return q.Kind != errand.AsksApproval }

func (d *door) progress(ctx context.Context, req *mcp.CallToolRequest, t *errand.Task, since time.Duration) {
	token := req.Params.GetProgressToken()
	if token == nil || ctx.Err() != nil {
		return
	}
	message := t.AgentList() + ": " + string(t.State)
	for _, p := range t.Plans {
		for _, i := range p.Items {
			if i.State == errand.PlanDoing {
				message += "; " + i.Text
			}
		}
	}
	err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: since.Seconds(), Message: message})
	if err != nil && ctx.Err() == nil {
		d.Logger.Debug("progress not told to an MCP client", "task", t.ID, "error", err)
	}
}
