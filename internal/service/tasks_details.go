package service

import (
	"context"
	"slices"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// TaskDetails are what belongs to a task beside itself.
type TaskDetails struct {
	Above      []errand.Task // that delegated it, the first of its tree first
	Tree       []errand.PlacedTask
	Questions  []errand.Question
	Deliveries []TaskDelivery
	Files      []File // that its agents, and those below, have written, as they are now
}

// A TaskDelivery is something that was sent to people for a task, without its words.
type TaskDelivery struct {
	ID       int64              `json:"id"`
	Route    errand.Route       `json:"route"`
	Event    errand.EventType   `json:"event"`
	State    errand.OutboxState `json:"state"`
	Attempts int                `json:"attempts"`
	Error    string             `json:"error,omitempty" description:"of the last attempt"`
	Receipts []string           `json:"receipts,omitempty" description:"the platform's ids, one for each part sent"`
	Created  time.Time          `json:"created"`
	SentAt   time.Time          `json:"sent_at,omitzero"`
}

// TaskDetails returns what belongs to the task that a person means by a prefix of its id:
// its tree, what its agents have asked, how it was told, and the files they have written.
func (s *Service) TaskDetails(ctx context.Context, by Actor, prefix string, person errand.PersonID) (TaskDetails, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return TaskDetails{}, err
	}
	t, err := s.FindTask(ctx, by, prefix, person)
	if err != nil {
		return TaskDetails{}, err
	}
	var d TaskDetails
	seen := map[errand.TaskID]bool{t.ID: true}
	for parent := t.Parent; parent != "" && !seen[parent]; {
		above, err := s.Store.Task(ctx, parent)
		if err != nil || above.Origin.Person != t.Origin.Person {
			break // it is gone
		}
		seen[parent] = true
		d.Above = append(d.Above, above)
		parent = above.Parent
	}
	slices.Reverse(d.Above)
	tasks, err := s.Store.TaskTree(ctx, t.ID)
	if err != nil {
		return d, Known(err)
	}
	d.Tree = errand.Tree(tasks)
	ids := make([]errand.TaskID, len(tasks))
	for i, one := range tasks {
		ids[i] = one.ID
	}
	if d.Questions, err = s.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Limit: 1000}); err != nil {
		return d, err
	}
	sent, err := s.Store.TaskDeliveries(ctx, t)
	for _, n := range sent {
		d.Deliveries = append(d.Deliveries, TaskDelivery{n.ID, n.Route, n.Event, n.State, n.Attempts, n.Error, n.Receipts, n.Created, n.SentAt})
	}
	if err != nil {
		return d, err
	}
	d.Files, err = s.filesOf(ctx, by, t, tasks)
	return d, err
}

// filesOf are the files that the agents of some tasks have written; none for those who may
// not read them.
func (s *Service) filesOf(ctx context.Context, by Actor, top errand.Task, tasks []errand.Task) ([]File, error) {
	if s.may(by, rights.FilesRead) != nil {
		return nil, nil
	}
	if key := top.Origin.SessionKey; key.Shared() && s.reads(by, key) != nil {
		return nil, nil // they are everybody's in that chat
	}
	list, err := s.Store.Files(ctx, store.TaskPlace(top), FileFilter{Limit: 1000})
	return slices.DeleteFunc(list, func(f File) bool {
		of, _, ok := f.Owner.Task()
		return !ok || !slices.ContainsFunc(tasks, func(t errand.Task) bool { return t.ID == of })
	}), err
}
