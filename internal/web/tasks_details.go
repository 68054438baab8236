package web

import (
	"net/http"

	"errand"
	"errand/internal/service"
)

type countsOut struct {
	Total  int         `json:"total"`
	States taskNumbers `json:"states"`
}

type taskNumbers struct {
	Submitted     int `json:"submitted"`
	Working       int `json:"working"`
	InputRequired int `json:"input_required"`
	Completed     int `json:"completed"`
	Failed        int `json:"failed"`
	Canceled      int `json:"canceled"`
	Rejected      int `json:"rejected"`
}

// getTaskCounts counts tasks by state, without listing them.
func (s *Server) getTaskCounts(r *http.Request, in taskFilter) (out countsOut, err error) {
	f, err := in.filter(r)
	if err != nil {
		return out, err
	}
	n, err := s.Backend.CountTasks(r.Context(), actor(r), f)
	for _, one := range n {
		out.Total += one
	}
	out.States = taskNumbers{n[errand.Submitted], n[errand.Working], n[errand.InputRequired], n[errand.Completed], n[errand.Failed], n[errand.Canceled], n[errand.Rejected]}
	return out, err
}

type timelineIn struct {
	inTask
	ofPerson
	Steps bool `query:"steps" description:"true: with the model calls of each row, and what they have called"`
}

func (s *Server) getTimeline(r *http.Request, in timelineIn) (service.Timeline, error) {
	return s.Backend.TaskTimeline(r.Context(), actor(r), in.ID, in.Person, in.Steps)
}

type detailsIn struct {
	inTask
	ofPerson
}

type taskDetails struct {
	Above      []taskView             `json:"above" description:"the tasks that delegated it, the first of its tree first; long texts are cut, as below"`
	Tree       []taskView             `json:"tree" description:"it and all below it, each below the one that delegated it"`
	Questions  []questionView         `json:"questions" description:"what the agents of the tree have asked, with the answers"`
	Deliveries []service.TaskDelivery `json:"deliveries" description:"how it was told, with receipts, the oldest first"`
	Files      []service.File         `json:"files" description:"what the agents of the tree have written, as it is now: GET /api/files/{of}/content has it, of this task"`
}

func (s *Server) getTaskDetails(r *http.Request, in detailsIn) (taskDetails, error) {
	d, err := s.Backend.TaskDetails(r.Context(), actor(r), in.ID, in.Person)
	if err != nil {
		return taskDetails{}, err
	}
	view := s.viewFor(r)
	out := taskDetails{Above: []taskView{}, Tree: []taskView{}, Questions: []questionView{}, Deliveries: []service.TaskDelivery{}, Files: []service.File{}}
	for _, t := range d.Above {
		v := view(t)
		v.shorten()
		out.Above = append(out.Above, v)
	}
	for _, t := range d.Tree {
		out.Tree = append(out.Tree, inTree(view(t.Task), service.TreeTask{PlacedTask: t, Matches: true}))
	}
	for _, q := range d.Questions {
		out.Questions = append(out.Questions, viewQuestion(q))
	}
	out.Deliveries = append(out.Deliveries, d.Deliveries...)
	out.Files = append(out.Files, d.Files...)
	return out, nil
}

// taskPage is the page of one task. Who may not see the task reads that there is none.
func (s *Server) taskPage(w http.ResponseWriter, r *http.Request) error {
	_, err := s.Backend.FindTask(r.Context(), actor(r), r.PathValue("id"), "")
	if err != nil {
		if _, all := s.Backend.FindTask(r.Context(), actor(r), r.PathValue("id"), "*"); all != nil {
			return err
		}
	}
	return s.page("task.html")(w, r)
}
