package service

import (
	"context"
	"errors"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// A Deleted says what the deletion of a session removed.
type Deleted struct {
	Session   errand.SessionID `json:"session_id"`
	Rows      store.Deleted    `json:"rows"`            // by kind
	Tasks     []errand.TaskID  `json:"tasks,omitempty"` // that were deleted with it
	Histories int              `json:"histories"`       // of workflows, in Temporal
}

// DeleteSession deletes a session for good: its rows, its words in the index,
// what was remembered in it, and the histories of its workflows. Everybody may
// delete what is their own; a master_admin anything. While tasks of it are at
// work it is refused, unless force cancels them.
//
// The session ends first, so that nothing is added; then go the histories, and
// the rows last: a deletion that was cut off can be repeated, and maintenance
// finishes it.
func (s *Service) DeleteSession(ctx context.Context, by Actor, id errand.SessionID, force bool) (Deleted, error) {
	if err := s.may(by, rights.SessionsDelete); err != nil {
		return Deleted{}, err
	}
	ctx = doing(ctx, by)
	found, err := s.resolveSession(ctx, by, string(id))
	if err != nil {
		return Deleted{}, err
	}
	if found.Person != by.Person && s.changesOthers(by) != nil {
		return Deleted{}, Forbidden("refusal.others_session", "role", s.leastFor(rights.OthersChange))
	}
	deletion, err := s.Store.MarkForDeletion(ctx, found.ID, force)
	var open *store.OpenTasksError
	if errors.As(err, &open) {
		if open.Number == 1 {
			return Deleted{}, conflict("open_tasks", "refusal.open_task", "task", strings.Join(open.Some, ", "))
		}
		return Deleted{}, conflict("open_tasks", "refusal.open_tasks", "number", open.Number, "tasks", strings.Join(open.Some, ", "))
	}
	if err != nil {
		return Deleted{}, Known(err)
	}
	out := Deleted{Session: found.ID}
	for _, t := range deletion.Tasks {
		out.Tasks = append(out.Tasks, t.ID)
	}
	s.warnOfPeers(ctx, deletion.Tasks)
	key := deletion.Session.Key
	run, err := s.Dispatch.TerminateSession(ctx, key, found.ID, deletion.Current, "its session was deleted")
	if err != nil {
		return out, err
	}
	if out.Histories, err = s.Dispatch.ForgetRun(ctx, key, found.ID, deletion.Workflows(), run); err != nil {
		return out, err
	}
	out.Rows, err = s.Store.DeleteSession(ctx, found.ID, nil)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // somebody else has finished it
		return out, err
	}
	s.scrub(ctx)
	s.Logger.Info("session deleted", "session", found.ID, "tasks", len(out.Tasks), "histories", out.Histories)
	return out, s.wakeWaiting(ctx, key)
}

// scrubFor is how long a deletion waits for its words to be gone from the files,
// too. Where the index is so large that it takes longer, maintenance does it.
const scrubFor = 5 * time.Second

func (s *Service) scrub(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, scrubFor)
	defer cancel()
	if err := s.Store.Scrub(ctx, nil); err != nil {
		s.Logger.Warn("deleted words are still in the files of the store; maintenance removes them", "error", err)
	}
}

// wakeWaiting signals a session for which messages wait: what came while its workflow
// was ended has nobody else to take it, for a minute.
func (s *Service) wakeWaiting(ctx context.Context, key errand.SessionKey) error {
	waits, err := s.Store.Waits(ctx, key)
	if err != nil || !waits {
		return err
	}
	return s.Dispatch.WakeSession(ctx, key, 0)
}
