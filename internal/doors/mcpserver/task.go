package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
)

type taskOut struct {
	ID         core.TaskID         `json:"task_id"`
	State      core.TaskState      `json:"state" jsonschema:"submitted, working, input_required, completed, failed, canceled or rejected"`
	Agents     []core.AgentName    `json:"agents"`
	Title      string              `json:"title"`
	Result     string              `json:"result,omitempty"`
	Error      string              `json:"error,omitempty"`
	Decision   core.Answer         `json:"decision,omitempty" jsonschema:"of a decision: YES, NO, TIE or NO_QUORUM"`
	Verdicts   []core.GivenVerdict `json:"verdicts,omitempty"`
	FollowedBy core.TaskID         `json:"followed_by,omitempty" jsonschema:"the task that follows the decision"`
	Questions  []questionOut       `json:"questions,omitempty" jsonschema:"what it waits for: answer_question answers them"`
	Created    time.Time           `json:"created"`
	Finished   *time.Time          `json:"finished,omitempty"`
	Cost       float64             `json:"cost" jsonschema:"USD"`
}

type questionOut struct {
	ID      core.QuestionID    `json:"question_id"`
	Kind    core.QuestionKind  `json:"kind"`
	State   core.QuestionState `json:"state"`
	Task    core.TaskID        `json:"task_id,omitempty"`
	Agent   core.AgentName     `json:"agent"`
	Text    string             `json:"text"`
	Options []string           `json:"options,omitempty"`
	Answer  string             `json:"answer,omitempty"`
}

func view(t core.Task, questions []core.Question) taskOut {
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

func questionOf(q core.Question) questionOut {
	return questionOut{q.ID, q.Kind, q.State, q.Task, q.Agent, q.Text, q.Options, q.Answer}
}

func (d *door) questions(ctx context.Context, id core.TaskID) ([]core.Question, error) {
	return ops.Do(ctx, d.Runner, api.ListTaskQuestions, d.by, api.ListTaskQuestionsInput{ID: id})
}

func headLine(t core.Task) string {
	return "Task " + string(t.ID) + " (" + t.AgentList() + "): " + string(t.State) + "."
}

func (d *door) renderTask(ctx context.Context, t core.Task) (taskOut, string, error) {
	var questions []core.Question
	if !t.State.Terminal() {
		var err error
		if questions, err = d.questions(ctx, t.ID); err != nil {
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
			if q.Kind == core.AsksApproval {
				lines = append(lines, line+" A person decides about this, on the page or in a chat; do not answer it. await_task waits for it.")
				continue
			}
			if len(q.Options) > 0 {
				line += " [" + strings.Join(q.Options, " | ") + "]"
			}
			lines = append(lines, line)
		}
		if slices.ContainsFunc(questions, forClients) {
			lines = append(lines, "Ask the user, and answer with answer_question; then await_task.")
		}
	default:
		lines = append(lines, "It goes on by itself. Call await_task or get_task with this task_id for the result; do not invent it.")
	}
	return view(t, questions), strings.Join(lines, "\n"), nil
}

const progressEvery = 5 * time.Second

// await waits until a task has ended or has a question for the client, and reports progress. If the
// client cancels the call, the task continues unless w says otherwise.
func (d *door) await(ctx context.Context, req *mcp.CallToolRequest, t *core.Task, w waits) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.gone, cancel)() // in older protocols ctx does not end with the connection
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

func (d *door) asks(ctx, wait context.Context, t *core.Task) bool {
	asked, err := d.questions(wait, t.ID)
	if err != nil || !slices.ContainsFunc(asked, forClients) {
		return false
	}
	if now, err := d.find(ctx, string(t.ID)); err == nil {
		*t = now
	}
	return true
}

// follow reads a task again when its state changes, or after atMost.
func (d *door) follow(wait context.Context, t *core.Task, atMost time.Duration) error {
	seen := t.State
	now, err := ops.Do(wait, d.Runner, api.GetTask, d.by, api.GetTaskInput{TaskID: api.TaskID{ID: string(t.ID)}, AtMost: atMost,
		Until: func(now core.Task) bool { return now.State.Terminal() || now.State != seen }})
	if err == nil {
		*t = now.Task
	}
	if wait.Err() != nil {
		return nil
	}
	return err
}

func (d *door) canceled(ctx context.Context, t *core.Task, w waits) {
	if !w.CancelTask || t.State.Terminal() {
		return
	}
	if _, err := d.end(context.WithoutCancel(ctx), string(t.ID), "the call that asked for it was canceled"); err != nil {
		d.Logger.Warn("canceled call: task not canceled", "task", t.ID, "error", err)
	}
}

// hand answers a call with a task or with forms, if the client supports them, or else with the
// state.
func (d *door) hand(ctx context.Context, req *mcp.CallToolRequest, t *core.Task) (taskOut, string, error) {
	if t.State.Terminal() || !d.later && !asksForms(req) {
		return d.renderTask(ctx, *t)
	}
	open, err := d.questions(ctx, t.ID)
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

// awaiting starts a task, or resumes the one of a repeated call, and waits for it.
func (d *door) awaiting(ctx context.Context, req *mcp.CallToolRequest, w waits, begin func() (core.Task, error)) (taskOut, string, error) {
	t, err := d.startOrResume(ctx, req, begin)
	if err != nil {
		return taskOut{}, "", err
	}
	if err := d.await(ctx, req, t, w); err != nil {
		return taskOut{}, "", err
	}
	return d.hand(ctx, req, t)
}

func (d *door) startOrResume(ctx context.Context, req *mcp.CallToolRequest, begin func() (core.Task, error)) (*core.Task, error) {
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

// forClients excludes approvals, which only a person can give.
func forClients(q core.Question) bool { return q.Kind != core.AsksApproval }

func (d *door) progress(ctx context.Context, req *mcp.CallToolRequest, t *core.Task, since time.Duration) {
	token := req.Params.GetProgressToken()
	if token == nil || ctx.Err() != nil {
		return
	}
	message := t.AgentList() + ": " + string(t.State)
	for _, p := range t.Plans {
		for _, i := range p.Items {
			if i.State == core.PlanDoing {
				message += "; " + i.Text
			}
		}
	}
	err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: since.Seconds(), Message: message})
	if err != nil && ctx.Err() == nil {
		d.Logger.Debug("progress not sent to an MCP client", "task", t.ID, "error", err)
	}
}
