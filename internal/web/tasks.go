package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
)

// A taskFilter says which tasks are meant, whatever their state.
type taskFilter struct {
	Chat    string           `query:"chat" description:"of one chat"`
	Agent   errand.AgentName `query:"agent" description:"of which this is an agent"`
	Text    string           `query:"q" maxLength:"200" description:"in which this stands, in any case: in what is to be done, in what became of it, or in the id"`
	Session string           `query:"session" maxLength:"60" description:"of the conversation that this session, by its id or its unique beginning, is of"`
	Since   dateOrTime       `query:"since" description:"begun at this time or date, or later"`
	Before  dateOrTime       `query:"before" description:"begun before this time"`
	ofPerson
}

type tasksIn struct {
	taskFilter
	State []errand.TaskState `query:"state" description:"one state, or several with commas; may be repeated"`
	Limit int                `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
	inPage
	Tree bool `query:"tree" description:"true: whole trees, each task below the one that delegated it, with level, branch and matches; long texts are cut, GET /api/tasks/{id} has all of them"`
}

func (in taskFilter) filter(r *http.Request) (service.TaskFilter, error) {
	f := service.TaskFilter{Person: in.Person, Session: in.Session, Agent: in.Agent, Text: in.Text, Since: in.Since.Time, Before: in.Before.Time}
	if in.Chat == "" {
		return f, nil
	}
	var err error
	f.Key, err = keyOf(in.Chat, cmp.Or(in.Person, actor(r).Person))
	return f, err
}

func (s *Server) getTasks(r *http.Request, in tasksIn, p service.Page) (list []taskView, next service.Position, err error) {
	f, err := in.filter(r)
	if err != nil {
		return nil, nil, err
	}
	f.States, f.After, f.Limit = in.State, p.After, p.Limit
	view := s.viewFor(r)
	if !in.Tree {
		found, err := s.Backend.Tasks(r.Context(), actor(r), f)
		if err == nil && len(found) >= p.Limit {
			next = service.PositionOfTask(found[len(found)-1])
		}
		list, err = mapped(found, err, view)
		return list, next, err
	}
	trees, err := s.Backend.TaskTrees(r.Context(), actor(r), f)
	list, err = mapped(trees, err, func(t service.TreeTask) taskView { return inTree(view(t.Task), t) })
	return list, behindTrees(trees, p.Limit), err
}

// behindTrees is behind what the next page of trees begins: the last of the tasks that were
// looked for. A tree that has some of the next ones too is there again.
func behindTrees(trees []service.TreeTask, limit int) service.Position {
	var matches []errand.Task
	for _, t := range trees {
		if t.Matches {
			matches = append(matches, t.Task)
		}
	}
	if len(matches) < limit {
		return nil
	}
	return service.PositionOfTask(slices.MinFunc(matches, func(a, b errand.Task) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(string(b.ID), string(a.ID)))
	}))
}

// longestInTree is how much of each text of a task a list of trees has, in characters: it
// is read again and again.
const longestInTree = 600

func inTree(v taskView, t service.TreeTask) taskView {
	v.shorten()
	v.Level, v.Branch, v.Matches = &t.Depth, &t.Branch, &t.Matches
	return v
}

// shorten cuts what is long of a task that is one of many.
func (v *taskView) shorten() {
	v.Text, v.Result, v.Error = errand.Cut(v.Text, longestInTree), errand.Cut(v.Result, longestInTree), errand.Cut(v.Error, longestInTree)
	v.Briefing = nil
}

type inTask struct {
	ID string `path:"id" id:"task" description:"task id, or its unique beginning"`
}

type taskIn struct {
	inTask
	ofPerson
	Wait int `query:"wait" maximum:"40" description:"answer when the task has ended, or after so many seconds"`
}

func (s *Server) getTask(r *http.Request, in taskIn) (taskView, error) {
	ctx, cancel := s.untilEnd(r.Context())
	defer cancel()
	t, err := s.Backend.AwaitTask(ctx, actor(r), in.ID, in.Person, time.Duration(in.Wait)*time.Second, s.mayReadOn(r))
	if errors.Is(err, errGone) { // it is answered to who they are by now
		var now caller
		if now, err = s.identify(r); err == nil {
			t, err = s.Backend.FindTask(r.Context(), now.Actor, in.ID, in.Person)
		}
	}
	return s.viewFor(r)(t), err
}

// A taskView is a task as the API shows it: its agents are one string too.
type taskView struct {
	errand.Task
	Agent string `json:"agent"`
	Depth int    `json:"depth"`

	Level   *int              `json:"level,omitempty" description:"of a list of trees: how many delegations below the first of its tree it is"`
	Branch  *errand.BranchSum `json:"branch,omitempty" description:"likewise: it and all below it, with what they have used"`
	Matches *bool             `json:"matches,omitempty" description:"likewise: it was looked for; the others are there because they belong to its tree"`
}

// viewFor shows a task to whoever asks: a person at a page reads its end in their own
// language, a program as it is kept.
func (s *Server) viewFor(r *http.Request) func(errand.Task) taskView {
	phrases, kept := s.textsFor(r), isProgram(r)
	return func(t errand.Task) taskView {
		if !kept {
			t.Result, t.Error = phrases.TaskResult(&t), phrases.TaskError(&t)
		}
		return taskView{Task: t, Agent: t.AgentList(), Depth: t.Origin.Depth}
	}
}

type delegateIn struct {
	Body struct {
		Agent     string             `json:"agent" description:"one agent, or several with commas"`
		Agents    []errand.AgentName `json:"agents"`
		Text      string             `json:"text" required:"true" description:"what is to be done; with a procedure, what is said to it"`
		Procedure string             `json:"procedure" description:"one that errand.yaml names: it says who is asked, for what, and what follows"`
		Chat      string             `json:"chat" description:"where the result is told, by its name on the page; nowhere when left out"`
		DeliverTo string             `json:"deliver_to" description:"where it is told instead: a chat of yours on any channel, as telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has an account of its own, or a session id"`
		Context   *service.Context   `json:"context" description:"a conversation of yours whose last messages the task needs"`
		Expect    service.Expect     `json:"expect" enum:"report,decision" description:"decision: each agent gives its verdict, YES, NO or ABSTAIN, and the policy says what they come to"`
		Policy    string             `json:"policy" description:"of a decision: all, any, majority (the default) or quorum:3, and behind it weights:finn=2, veto:priest, rest:finish"`
		Deadline  int                `json:"deadline" description:"seconds after which it ends with what is there; never when left out"`
		Then      *errand.Branch     `json:"then" description:"the task that follows a yes"`
		Else      *errand.Branch     `json:"else" description:"the task that follows any other answer"`
	}
}

func (s *Server) postTask(r *http.Request, in delegateIn) (taskView, error) {
	agents := append(in.Body.Agents, errand.AgentNames(in.Body.Agent)...)
	d := service.Delegation{Route: errand.Route{Channel: errand.ChannelWeb}, Agents: agents, Text: in.Body.Text, DeliverTo: in.Body.DeliverTo, Context: in.Body.Context, Procedure: strings.ToLower(strings.TrimSpace(in.Body.Procedure)), Decides: service.Decides{
		Expect: in.Body.Expect, Policy: in.Body.Policy, Deadline: time.Duration(in.Body.Deadline) * time.Second, Then: in.Body.Then, Else: in.Body.Else}}
	if in.Body.Chat != "" {
		var err error
		if d.Route, err = service.WebRoute(in.Body.Chat); err != nil {
			return taskView{}, err
		}
	}
	t, err := s.Backend.Delegate(r.Context(), actor(r), d)
	return s.viewFor(r)(t), err
}

// changeTask names a task to change, which a master_admin may of others too.
type changeTask struct {
	inTask
	Person errand.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
}

type cancelIn struct {
	changeTask
	Body struct {
		Reason string `json:"reason"`
	}
}

func (s *Server) postCancel(r *http.Request, in cancelIn) (taskView, error) {
	return s.onTask(r, in.changeTask, func(ctx context.Context, by service.Actor, id errand.TaskID) (errand.Task, error) {
		return s.Backend.CancelTask(ctx, by, id, in.Body.Reason)
	})
}

func (s *Server) postRetry(r *http.Request, in changeTask) (taskView, error) {
	return s.onTask(r, in, s.Backend.RetryTask)
}

type steerIn struct {
	changeTask
	Body struct {
		Text string `json:"text" required:"true"`
	}
}

func (s *Server) postSteer(r *http.Request, in steerIn) (taskView, error) {
	return s.onTask(r, in.changeTask, func(ctx context.Context, by service.Actor, id errand.TaskID) (errand.Task, error) {
		done, err := s.Backend.SteerTask(ctx, by, id, service.Steering{Text: in.Body.Text})
		return done.Task, err
	})
}

type continueIn struct {
	changeTask
	Body struct {
		Text string `json:"text" required:"true"`
		Chat string `json:"chat" description:"where the result is told; nowhere when left out"`
	}
}

func (s *Server) postContinue(r *http.Request, in continueIn) (taskView, error) {
	return s.onTask(r, in.changeTask, func(ctx context.Context, by service.Actor, id errand.TaskID) (errand.Task, error) {
		steering := service.Steering{Text: in.Body.Text, Route: errand.Route{Channel: errand.ChannelWeb}}
		if in.Body.Chat != "" {
			var err error
			if steering.Route, err = service.WebRoute(in.Body.Chat); err != nil {
				return errand.Task{}, err
			}
		}
		return s.Backend.ContinueTask(ctx, by, id, steering)
	})
}

func (s *Server) onTask(r *http.Request, in changeTask, do func(context.Context, service.Actor, errand.TaskID) (errand.Task, error)) (taskView, error) {
	t, err := s.Backend.FindTask(r.Context(), actor(r), in.ID, in.Person)
	if err == nil {
		t, err = do(r.Context(), actor(r), t.ID)
	}
	return s.viewFor(r)(t), err
}
