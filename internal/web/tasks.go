package web

import (
	"context"
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

func (s *Server) getTasks(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := number(q, "limit", 0, 1000)
	if err != nil {
		return err
	}
	states, err := oneOf(q, "state", errand.Submitted, errand.Working, errand.InputRequired, errand.Completed, errand.Failed, errand.Canceled, errand.Rejected)
	if err != nil {
		return err
	}
	person, err := s.whose(r)
	if err != nil {
		return err
	}
	var key errand.SessionKey
	if chat := q.Get("chat"); chat != "" {
		if key, err = keyOf(chat, person); err != nil {
			return err
		}
	}
	list, err := s.Backend.Tasks(r.Context(), person, key, states, limit)
	views := make([]taskView, len(list))
	for i := range list {
		views[i] = viewOf(list[i])
	}
	return replyList(w, views, err)
}

func (s *Server) getTask(w http.ResponseWriter, r *http.Request) error {
	person, err := s.whose(r)
	if err != nil {
		return err
	}
	t, err := s.task(r, person)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, viewOf(t))
}

// task returns the task that a request names, if it is person's.
func (s *Server) task(r *http.Request, person errand.PersonID) (errand.Task, error) {
	id, err := idOf(r, "task")
	if err != nil {
		return errand.Task{}, err
	}
	return s.Backend.FindTask(r.Context(), id, person)
}

// A taskView is a task as the API shows it: its agents are one string too.
type taskView struct {
	errand.Task
	Agent string `json:"agent"`
	Depth int    `json:"depth"`
}

func viewOf(t errand.Task) taskView { return taskView{t, t.AgentList(), t.Origin.Depth} }

func (s *Server) postTask(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Agent  string             `json:"agent"`
		Agents []errand.AgentName `json:"agents"`
		Text   string             `json:"text"`
		Chat   string             `json:"chat"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	for name := range strings.SplitSeq(in.Agent, ",") {
		if name = strings.TrimSpace(name); name != "" {
			in.Agents = append(in.Agents, errand.AgentName(strings.ToLower(name)))
		}
	}
	by := actor(r)
	d := service.Delegation{Route: errand.Route{Channel: errand.ChannelWeb}, Person: by.Person, Role: by.Role, Agents: in.Agents, Text: in.Text}
	if in.Chat != "" {
		var err error
		if d.Route, err = service.WebRoute(in.Chat); err != nil {
			return err
		}
	}
	t, err := s.Backend.Delegate(r.Context(), d)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, viewOf(t))
}

func (s *Server) postCancel(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	return s.onTask(w, r, func(ctx context.Context, id errand.TaskID) (errand.Task, error) {
		return s.Backend.CancelTask(ctx, id, in.Reason)
	})
}

func (s *Server) postRetry(w http.ResponseWriter, r *http.Request) error {
	return s.onTask(w, r, s.Backend.RetryTask)
}

func (s *Server) onTask(w http.ResponseWriter, r *http.Request, do func(context.Context, errand.TaskID) (errand.Task, error)) error {
	person, err := s.changes(r)
	if err != nil {
		return err
	}
	t, err := s.task(r, person)
	if err != nil {
		return err
	}
	if t, err = do(r.Context(), t.ID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, viewOf(t))
}
