package service

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

// remove deletes the rows of a session, its words in the index, its notes, and the histories of its
// workflows. It ends the session first, so that nothing is added. The rows go last, so that a
// failed call can be repeated and maintenance can finish it.
func (s *Sessions) remove(ctx context.Context, by actor.Actor, in api.DeleteSessionInput) (out api.DeletedSession, err error) {
	found, err := s.resolveSession(ctx, by, string(in.ID))
	if err != nil {
		return out, err
	}
	if found.Person != by.Person && s.changesOthers(by) != nil {
		return out, Forbidden("refusal.others_session", "role", s.leastFor(rights.OthersChange))
	}
	deletion, err := s.Store.MarkForDeletion(ctx, found.ID, in.Force)
	var open *store.OpenTasksError
	if errors.As(err, &open) {
		if open.Number == 1 {
			return out, conflict("open_tasks", "refusal.open_task", "task", strings.Join(open.Some, ", "))
		}
		return out, conflict("open_tasks", "refusal.open_tasks", "number", open.Number, "tasks", strings.Join(open.Some, ", "))
	}
	if err != nil {
		return out, Known(err)
	}
	s.warnOfPeers(ctx, deletion.Tasks)
	key := deletion.Session.Key
	run, err := s.dispatch.TerminateSession(ctx, key, found.ID, deletion.Current, "its session was deleted")
	if err != nil {
		return out, err
	}
	histories, err := s.dispatch.ForgetRun(ctx, key, found.ID, deletion.Workflows(), run)
	if err != nil {
		return out, err
	}
	rows, err := s.Store.DeleteSession(ctx, found.ID, nil)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // another call has finished it
		return out, err
	}
	out = api.DeletedSession{Session: found.ID, Removed: map[string]int{}}
	maps.Copy(out.Removed, rows)
	if histories > 0 {
		out.Removed["histories"] = histories
	}
	s.scrub(ctx)
	s.Logger.Info("session deleted", "session", found.ID, "tasks", len(deletion.Tasks), "histories", histories)
	return out, s.wakeWaiting(ctx, key)
}

// scrubFor is how long a deletion waits until its words are removed from the index's files. In a
// large index, maintenance finishes that.
const scrubFor = 5 * time.Second

func (s *Sessions) scrub(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, scrubFor)
	defer cancel()
	if err := s.Store.Scrub(ctx, nil); err != nil {
		s.Logger.Warn("deleted texts are still in the store's files; maintenance removes them", "error", err)
	}
}

// wakeWaiting signals a session that received messages while its workflow was being ended. The
// watchdog would do it a minute later.
func (s *Sessions) wakeWaiting(ctx context.Context, key core.SessionKey) error {
	waits, err := s.Store.Waits(ctx, key)
	if err != nil || !waits {
		return err
	}
	return s.dispatch.WakeSession(ctx, key, 0)
}

// warnOfPeers logs the peers that work for a deleted session. Their late answers are dropped.
func (s *Sessions) warnOfPeers(ctx context.Context, tasks []core.Task) {
	for _, t := range tasks {
		for _, agent := range t.Agents {
			work, err := s.Store.PeerWork(ctx, t.ID, agent)
			if err == nil && work.PeerTask != "" && !work.State.Terminal() {
				s.Logger.Warn("session deleted while a peer works for it; a late answer will be dropped", "task", t.ID, "agent", agent)
			}
		}
	}
}
