package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// A TaskFilter narrows a list of tasks; zero fields do not.
type TaskFilter struct {
	Person errand.PersonID   // the actor by default; "*" is everybody
	Key    errand.SessionKey // of this conversation
	// Session names a conversation by the id of a session of it, or its beginning, instead.
	Session string
	States  []errand.TaskState
	Agent   errand.AgentName
	Text    string    // in what is to be done, what became of it, or the id
	Since   time.Time // begun then, or later
	Before  time.Time // begun before
	After   Position  // in the list
	Limit   int
}

// Tasks lists tasks, the newest first: the actor's own, or, for those who may look at
// them, those of f's person.
func (s *Service) Tasks(ctx context.Context, by Actor, f TaskFilter) ([]errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return paged(s.Store.Tasks(ctx, stored))
}

func (s *Service) stored(ctx context.Context, by Actor, f TaskFilter) (store.TaskFilter, error) {
	person, err := s.whose(by, f.Person)
	if err == nil && f.Session != "" {
		var of Session
		of, err = s.resolveSession(ctx, by, f.Session)
		f.Key = of.Key
	}
	return store.TaskFilter{Person: person, Session: f.Key, States: f.States, Agent: f.Agent, Text: strings.TrimSpace(f.Text), Begun: f.Since, Before: f.Before, After: f.After, Limit: f.Limit}, err
}

// CountTasks counts the tasks that f lets pass by their state, whatever f says of states.
func (s *Service) CountTasks(ctx context.Context, by Actor, f TaskFilter) (map[errand.TaskState]int, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return s.Store.TaskCounts(ctx, stored)
}

// A TreeTask is a task in the tree that it belongs to. Matches says that it is one that
// was looked for; the others are there because they belong to its tree.
type TreeTask struct {
	errand.PlacedTask
	Matches bool
}

// TaskTrees lists the trees in which f lets some task pass, the newest first, each task
// below the one that delegated it.
func (s *Service) TaskTrees(ctx context.Context, by Actor, f TaskFilter) ([]TreeTask, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	stored, err := s.stored(ctx, by, f)
	if err != nil {
		return nil, err
	}
	tasks, matches, err := s.Store.TaskTrees(ctx, stored)
	if err != nil {
		_, err = paged(tasks, err)
		return nil, err
	}
	placed := errand.Tree(tasks)
	list := make([]TreeTask, len(placed))
	for i, p := range placed {
		list[i] = TreeTask{p, slices.Contains(matches, p.ID)}
	}
	return list, nil
}
