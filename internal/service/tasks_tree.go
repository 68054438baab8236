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
	States []errand.TaskState
	Agent  errand.AgentName
	Text   string // in what is to be done, what became of it, or the id
	Before time.Time
	After  Position // in the list
	Limit  int
}

// Tasks lists tasks, the newest first: the actor's own, or, for those who may look at
// them, those of f's person.
func (s *Service) Tasks(ctx context.Context, by Actor, f TaskFilter) ([]errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	stored, err := s.stored(by, f)
	if err != nil {
		return nil, err
	}
	return paged(s.Store.Tasks(ctx, stored))
}

// stored is f as the store takes it, for what the actor may look at.
func (s *Service) stored(by Actor, f TaskFilter) (store.TaskFilter, error) {
	person, err := s.whose(by, f.Person)
	return store.TaskFilter{Person: person, Session: f.Key, States: f.States, Agent: f.Agent, Text: strings.TrimSpace(f.Text), Before: f.Before, After: f.After, Limit: f.Limit}, err
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
	stored, err := s.stored(by, f)
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

// A Timeline says who was at work when, for a task and all that was delegated below it.
type Timeline struct {
	From time.Time     `json:"from"`
	To   time.Time     `json:"to" description:"when the last of it ended; now, while something is at work"`
	Rows []TimelineRow `json:"rows" description:"one for each agent of each task, each below the task that delegated it"`
}

// A TimelineRow is the work of one agent on one task.
type TimelineRow struct {
	Task  errand.TaskID    `json:"task_id"`
	Agent errand.AgentName `json:"agent"`
	Level int              `json:"level" description:"how many delegations below the first row"`
	State errand.TaskState `json:"state" description:"of the task"`
	Title string           `json:"title"`
	Begun time.Time        `json:"begun"`
	Ended time.Time        `json:"ended,omitzero" description:"left out while it is at work"`
	Waits []TimelineWait   `json:"waits,omitempty" description:"when it waited for a person"`
}

// A TimelineWait is a time in which a question of an agent was open.
type TimelineWait struct {
	Question errand.QuestionID `json:"question_id"`
	From     time.Time         `json:"from"`
	To       time.Time         `json:"to,omitzero" description:"left out while it is open"`
}

// TaskTimeline says who was at work when on the task that a person means by a prefix of
// its id, and on all that was delegated below it.
func (s *Service) TaskTimeline(ctx context.Context, by Actor, prefix string, person errand.PersonID) (Timeline, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return Timeline{}, err
	}
	top, err := s.FindTask(ctx, by, prefix, person)
	if err != nil {
		return Timeline{}, err
	}
	tasks, err := s.Store.TaskTree(ctx, top.ID)
	if err != nil {
		return Timeline{}, Known(err)
	}
	stints, err := s.Store.Stints(ctx, tasks)
	if err != nil {
		return Timeline{}, err
	}
	ids := make([]errand.TaskID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	questions, err := s.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Limit: 1000})
	if err != nil {
		return Timeline{}, err
	}
	line := Timeline{From: top.Created, To: top.Finished}
	for _, p := range errand.Tree(tasks) {
		for _, agent := range p.Agents {
			row := timelineRow(p, agent, stints, questions)
			if row.Ended.IsZero() {
				line.To = s.Now()
			} else if row.Ended.After(line.To) {
				line.To = row.Ended
			}
			line.Rows = append(line.Rows, row)
		}
	}
	return line, nil
}

// timelineRow is the row of one agent of a task. What is not known of its transcript is
// that of the task.
func timelineRow(p errand.PlacedTask, agent errand.AgentName, stints []store.Stint, questions []errand.Question) TimelineRow {
	row := TimelineRow{Task: p.ID, Agent: agent, Level: p.Depth, State: p.State, Title: p.Title, Begun: p.Created, Ended: p.Finished}
	first := true
	for _, st := range stints {
		if st.Task != p.ID || st.Agent != agent {
			continue
		}
		if first {
			row.Begun, first = st.Begun, false
		}
		if !st.Ended.IsZero() || !p.State.Terminal() {
			row.Ended = st.Ended
		}
	}
	for _, q := range questions {
		if q.Task == p.ID && q.Agent == agent {
			row.Waits = append(row.Waits, TimelineWait{q.ID, q.Created, q.Answered})
		}
	}
	return row
}
