package web

import (
	"errors"
	"net/http"

	"errand"
	"errand/internal/service"
)

type bulkIn struct {
	Person errand.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
	Body   struct {
		IDs []string `json:"ids" required:"true" description:"the ids of tasks, or their unique beginnings; at most 100"`
	}
}

type bulkCancelIn struct {
	Person errand.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
	Body   struct {
		IDs    []string `json:"ids" required:"true" description:"the ids of tasks, or their unique beginnings; at most 100"`
		Reason string   `json:"reason"`
	}
}

// A bulkTask is what came of one task of several.
type bulkTask struct {
	ID    string        `json:"id" description:"as it was asked for"`
	Task  *taskView     `json:"task,omitempty" description:"the task as it is now; of a retry, the new one"`
	Error *problemError `json:"error,omitempty" description:"why nothing was done with this one"`
}

func (s *Server) postTasksCancel(r *http.Request, in bulkCancelIn) ([]bulkTask, error) {
	list, err := s.Backend.CancelTasks(r.Context(), actor(r), in.Body.IDs, in.Person, in.Body.Reason)
	return s.bulk(r, list, err)
}

func (s *Server) postTasksRetry(r *http.Request, in bulkIn) ([]bulkTask, error) {
	list, err := s.Backend.RetryTasks(r.Context(), actor(r), in.Body.IDs, in.Person, func() error {
		return s.Backend.AllowMessage(actor(r), errand.WebRoute("").At())
	})
	return s.bulk(r, list, err)
}

func (s *Server) bulk(r *http.Request, list []service.BulkTask, err error) ([]bulkTask, error) {
	view := s.viewFor(r)
	return mapped(list, err, func(b service.BulkTask) bulkTask {
		if b.Err == nil {
			v := view(b.Task)
			v.shorten()
			return bulkTask{ID: b.ID, Task: &v}
		}
		var known *service.Error
		if !errors.As(b.Err, &known) {
			s.Logger.Error("one task of several not changed", "task", b.ID, "error", b.Err)
			known = errInternal
		}
		return bulkTask{ID: b.ID, Error: &problemError{Code: known.Code, Message: known.Text(s.textsFor(r))}}
	})
}
