package a2aserver

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

// Clients see a task that waits for an approval as working, because they cannot approve.
var fromWire = map[a2a.TaskState]core.TaskState{
	a2a.TaskStateSubmitted: core.Submitted, a2a.TaskStateWorking: core.Working, a2a.TaskStateInputRequired: core.InputRequired,
	a2a.TaskStateCompleted: core.Completed, a2a.TaskStateFailed: core.Failed, a2a.TaskStateCanceled: core.Canceled, a2a.TaskStateRejected: core.Rejected,
}

var toWire = func() map[core.TaskState]a2a.TaskState {
	m := map[core.TaskState]a2a.TaskState{}
	for wire, state := range fromWire {
		m[state] = wire
	}
	return m
}()

type seen struct {
	core.Task
	asked []core.Question // questions that the client may answer
	waits bool            // a person has to decide elsewhere
}

func (s *Server) see(ctx context.Context, by actor.Actor, t core.Task) (*seen, error) {
	v := &seen{Task: t}
	return v, s.ask(ctx, by, v)
}

func (s *Server) ask(ctx context.Context, by actor.Actor, v *seen) error {
	if v.State.Terminal() {
		return nil
	}
	open, err := ops.Do(ctx, s.Runner, api.ListTaskQuestions, by, api.ListTaskQuestionsInput{ID: v.ID})
	for _, q := range open {
		if q.Kind == core.AsksApproval {
			v.waits = true
		} else {
			v.asked = append(v.asked, q)
		}
	}
	return err
}

func (v *seen) state() a2a.TaskState {
	switch {
	case len(v.asked) > 0 && !v.State.Terminal():
		return a2a.TaskStateInputRequired
	case v.State == core.InputRequired:
		return a2a.TaskStateWorking
	}
	return toWire[v.State]
}

// rests reports whether the task waits for the client or has ended.
func (v *seen) rests() bool { return v.state().Terminal() || v.state() == a2a.TaskStateInputRequired }

func (v *seen) mark() string {
	ids := make([]string, len(v.asked))
	for i, q := range v.asked {
		ids[i] = string(q.ID)
	}
	return strings.Join(append([]string{string(v.state())}, ids...), " ")
}

func (v *seen) doing() string {
	if v.waits && !v.State.Terminal() {
		return "It waits for an approval, which a person gives on the page or in a chat."
	}
	return progress(&v.Task)
}

func progress(t *core.Task) string {
	switch {
	case t.State.Terminal():
		return ""
	case t.Trouble != "":
		return t.Trouble
	}
	var doing []string
	for _, p := range t.Plans {
		for _, i := range p.Items {
			if i.State == core.PlanDoing {
				doing = append(doing, i.Text)
			}
		}
	}
	return strings.Join(doing, "; ")
}

func (v *seen) info() a2a.TaskInfo {
	return a2a.TaskInfo{TaskID: a2a.TaskID(v.ID), ContextID: service.ContextOf(v.Task)}
}

// status gives its messages stable ids, so that repeated reads agree.
func (v *seen) status() a2a.TaskStatus {
	at := v.Created
	if !v.Finished.IsZero() {
		at = v.Finished
	}
	at = at.UTC().Truncate(time.Millisecond)
	out := a2a.TaskStatus{State: v.state(), Timestamp: &at}
	say := func(id string, parts ...*a2a.Part) {
		out.Message = a2a.NewMessageForTask(a2a.MessageRoleAgent, v.info(), parts...)
		out.Message.ID = string(v.ID) + "/" + id
	}
	switch doing := v.doing(); {
	case v.State.Terminal() && v.Error != "":
		say("end", a2a.NewTextPart(v.Error))
	case len(v.asked) > 0 && !v.State.Terminal():
		q := v.asked[0]
		data := map[string]any{"questionId": q.ID, "agent": q.Agent}
		if len(q.Options) > 0 {
			data["options"] = q.Options
		}
		if len(v.asked) > 1 {
			data["more"] = len(v.asked) - 1
		}
		say(string(q.ID), a2a.NewTextPart(q.Text), a2a.NewDataPart(data))
	case doing != "":
		say("doing", a2a.NewTextPart(doing))
	}
	return out
}

// task returns the wire form of a task. history is the maximum number of messages; nil: all.
func (s *Server) task(ctx context.Context, c call, v *seen, history *int, artifacts bool) (*a2a.Task, error) {
	out := &a2a.Task{ID: a2a.TaskID(v.ID), ContextID: service.ContextOf(v.Task), Status: v.status()}
	if history == nil || *history > 0 {
		m := a2a.NewMessageForTask(a2a.MessageRoleUser, v.info(), a2a.NewTextPart(v.Text))
		m.ID = string(v.ID) + "/task"
		out.History = []*a2a.Message{m}
	}
	if !artifacts {
		return out, nil
	}
	var err error
	out.Artifacts, err = s.artifacts(ctx, c, v.Task)
	return out, err
}

const mostFiles = 100

// artifacts returns the result and links to the files. Only clients that may read the files can
// use the links.
func (s *Server) artifacts(ctx context.Context, c call, t core.Task) ([]*a2a.Artifact, error) {
	if t.State != core.Completed {
		return nil, nil
	}
	result := &a2a.Artifact{ID: "result", Name: "result", Parts: a2a.ContentParts{a2a.NewTextPart(t.Result)}}
	if t.Decision != "" {
		result.Parts = append(result.Parts, a2a.NewDataPart(map[string]any{"decision": t.Decision}))
	}
	list := []*a2a.Artifact{result}
	files, err := ops.Do(ctx, s.Runner, api.ListFiles, c.by, api.ListFilesInput{FilesOf: api.FilesOf{Of: string(t.ID)}, Limit: mostFiles})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		link := c.base + "/api/files/" + string(t.ID) + "/content?" + url.Values{"path": {f.Path}, "version": {strconv.Itoa(f.Version)}}.Encode()
		part := a2a.NewFileURLPart(a2a.URL(link), f.Type)
		part.Filename = path.Base(f.Path)
		list = append(list, &a2a.Artifact{ID: a2a.ArtifactID("file:" + f.Path), Name: f.Path, Parts: a2a.ContentParts{part}})
	}
	return list, nil
}

func (c call) isFor(t core.Task) bool {
	return c.agent == House || slices.Equal(t.Agents, []core.AgentName{core.AgentName(c.agent)})
}
