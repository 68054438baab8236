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

	"errand"
	"errand/internal/service"
)

// fromWire are errand's states by the protocol's. An approval is a person's, and nothing that a
// client could do: a task that waits for one is at work, and no state of authentication.
var fromWire = map[a2a.TaskState]errand.TaskState{
	a2a.TaskStateSubmitted: errand.Submitted, a2a.TaskStateWorking: errand.Working, a2a.TaskStateInputRequired: errand.InputRequired,
	a2a.TaskStateCompleted: errand.Completed, a2a.TaskStateFailed: errand.Failed, a2a.TaskStateCanceled: errand.Canceled, a2a.TaskStateRejected: errand.Rejected,
}

var toWire = func() map[errand.TaskState]a2a.TaskState {
	m := map[errand.TaskState]a2a.TaskState{}
	for wire, state := range fromWire {
		m[state] = wire
	}
	return m
}()

// A seen is a task as a client sees it.
type seen struct {
	errand.Task
	asked []errand.Question // that the client may answer
	waits bool              // for a person who decides elsewhere
}

func (s *Server) see(ctx context.Context, by service.Actor, t errand.Task) (*seen, error) {
	v := &seen{Task: t}
	return v, s.ask(ctx, by, v)
}

func (s *Server) ask(ctx context.Context, by service.Actor, v *seen) error {
	if v.State.Terminal() {
		return nil
	}
	open, err := s.Backend.TaskQuestions(ctx, by, v.ID)
	for _, q := range open {
		if q.Kind == errand.AsksApproval {
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
	case v.State == errand.InputRequired:
		return a2a.TaskStateWorking
	}
	return toWire[v.State]
}

// rests reports whether nothing happens any more before the client does something.
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

func progress(t *errand.Task) string {
	switch {
	case t.State.Terminal():
		return ""
	case t.Trouble != "":
		return t.Trouble
	}
	var doing []string
	for _, p := range t.Plans {
		for _, i := range p.Items {
			if i.State == errand.PlanDoing {
				doing = append(doing, i.Text)
			}
		}
	}
	return strings.Join(doing, "; ")
}

func (v *seen) info() a2a.TaskInfo {
	return a2a.TaskInfo{TaskID: a2a.TaskID(v.ID), ContextID: service.ContextOf(v.Task)}
}

// status is how a task is, with what it asks or what went wrong. The ids of its messages are
// the same whenever it is looked at.
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

// task is a task on the wire. Without artifacts it has none, and of its history the last
// messages are given.
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

// artifacts are what a task has brought: its result, and the files that its agents keep, by
// links that are good for whoever may read them.
func (s *Server) artifacts(ctx context.Context, c call, t errand.Task) ([]*a2a.Artifact, error) {
	if t.State != errand.Completed {
		return nil, nil
	}
	result := &a2a.Artifact{ID: "result", Name: "result", Parts: a2a.ContentParts{a2a.NewTextPart(t.Result)}}
	if t.Decision != "" {
		result.Parts = append(result.Parts, a2a.NewDataPart(map[string]any{"decision": t.Decision}))
	}
	list := []*a2a.Artifact{result}
	files, err := s.Backend.Files(ctx, c.by, string(t.ID), service.FileFilter{Limit: mostFiles})
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

// isFor reports whether a task is one of the agent that a client calls.
func (c call) isFor(t errand.Task) bool {
	return c.agent == House || slices.Equal(t.Agents, []errand.AgentName{errand.AgentName(c.agent)})
}
