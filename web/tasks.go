package web

import (
	"net/http"
	"strconv"
	"strings"

	"errand"
)

// A taskJSON is a task as the API shows it: agent is its agents in one word.
type taskJSON struct {
	errand.Task
	Agent string `json:"agent"`
}

func taskOut(t errand.Task) taskJSON { return taskJSON{t, t.AgentList()} }

const maxTasks = 1000

func (s *Server) listTasks(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	query := TaskQuery{Chat: q.Get("chat"), Limit: 100}
	for _, name := range values(q["state"]) {
		state := errand.TaskState(name)
		if !state.Terminal() && state != errand.Submitted && state != errand.Working && state != errand.InputRequired {
			return badRequest("state", "there is no task state %q; there are submitted, working, input_required, completed, failed, canceled and rejected", name)
		}
		query.States = append(query.States, state)
	}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxTasks {
			return badRequest("limit", "limit is a number from 1 to %d", maxTasks)
		}
		query.Limit = n
	}
	tasks, err := s.Backend.Tasks(r.Context(), query)
	if err != nil {
		return err
	}
	out := make([]taskJSON, len(tasks))
	for i, t := range tasks {
		out[i] = taskOut(t)
	}
	list(w, out)
	return nil
}

// values takes a parameter that may be repeated, or list several with commas.
func values(params []string) []string {
	return strings.FieldsFunc(strings.Join(params, ","), func(r rune) bool { return r == ',' })
}

func (s *Server) getTask(w http.ResponseWriter, r *http.Request) error {
	task, err := s.Backend.Task(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	write(w, http.StatusOK, taskOut(task))
	return nil
}

func (s *Server) createTask(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Agent  errand.AgentName   `json:"agent"`
		Agents []errand.AgentName `json:"agents"`
		Text   string             `json:"text"`
		Chat   string             `json:"chat"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.Agent != "" {
		in.Agents = append([]errand.AgentName{in.Agent}, in.Agents...)
	}
	switch {
	case len(in.Agents) == 0:
		return badRequest("agent", "say which agent")
	case strings.TrimSpace(in.Text) == "":
		return badRequest("empty", "say what is to be done: the text is empty")
	}
	task, err := s.Backend.Delegate(r.Context(), in.Chat, in.Agents, in.Text)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/tasks/"+string(task.ID))
	write(w, http.StatusCreated, taskOut(task))
	return nil
}

func (s *Server) cancelTask(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	task, err := s.Backend.CancelTask(r.Context(), r.PathValue("id"), in.Reason)
	if err != nil {
		return err
	}
	write(w, http.StatusOK, taskOut(task))
	return nil
}

func (s *Server) retryTask(w http.ResponseWriter, r *http.Request) error {
	if err := read(w, r, &struct{}{}); err != nil {
		return err
	}
	task, err := s.Backend.RetryTask(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/tasks/"+string(task.ID))
	write(w, http.StatusCreated, taskOut(task))
	return nil
}
