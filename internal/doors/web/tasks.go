package web

import (
	"net/http"

	"errand/api"
	"errand/internal/ops"
)

// taskPage answers 404 if the caller may not see the task.
func (s *Server) taskPage(w http.ResponseWriter, r *http.Request) error {
	in := api.GetTaskInput{TaskID: api.TaskID{ID: r.PathValue("id")}}
	if _, err := ops.Do(r.Context(), s.Runner, api.GetTask, actorOf(r), in); err != nil {
		in.Person.Person = "*"
		if _, all := ops.Do(r.Context(), s.Runner, api.GetTask, actorOf(r), in); all != nil {
			return err
		}
	}
	return s.page("task.html")(w, r)
}
