package service

import (
	"context"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

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
	Steps []TimelineStep   `json:"steps,omitempty" description:"with steps=true: its model calls and what they have called, in their order"`
}

// A TimelineWait is a time in which a question of an agent was open.
type TimelineWait struct {
	Question errand.QuestionID `json:"question_id"`
	From     time.Time         `json:"from"`
	To       time.Time         `json:"to,omitzero" description:"left out while it is open"`
}

// Kinds of a [TimelineStep].
const (
	StepModel = "model"
	StepTool  = "tool"
	StepTask  = "task" // a delegation
)

// A TimelineStep is a model call, or a call of a tool that it has asked for.
type TimelineStep struct {
	Kind     string        `json:"kind" enum:"model,tool,task"`
	Name     string        `json:"name" description:"the model or the tool"`
	Step     int           `json:"step" description:"which of the model calls it is, or is of, from 1"`
	Task     errand.TaskID `json:"task_id,omitempty" description:"of kind task: the task that was delegated"`
	Begun    time.Time     `json:"begun"`
	Ended    time.Time     `json:"ended,omitzero" description:"left out while it is at work, and where it has no answer"`
	Attempts int           `json:"attempts,omitempty" description:"of kind model, as all below: calls of the provider"`
	Tokens   int           `json:"tokens,omitempty"`
	Cached   int           `json:"cached_tokens,omitempty" description:"of tokens: those that providers had in their caches"`
	Cost     float64       `json:"cost,omitempty" description:"USD"`
}

// TaskTimeline says who was at work when on the task that a person means by a prefix of
// its id, and on all that was delegated below it; with steps also what each did.
func (s *Service) TaskTimeline(ctx context.Context, by Actor, prefix string, person errand.PersonID, steps bool) (Timeline, error) {
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
	var did []store.TaskStep
	if steps {
		if did, err = s.Store.TaskSteps(ctx, tasks); err != nil {
			return Timeline{}, err
		}
	}
	line := Timeline{From: top.Created, To: top.Finished}
	for _, p := range errand.Tree(tasks) {
		for _, agent := range p.Agents {
			row, hasTurn := timelineRow(p, agent, stints, questions)
			if steps {
				row.Steps = timelineSteps(row, hasTurn, did, tasks)
			}
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

// timelineRow is the row of one agent of a task, and whether it has a turn here. What is not
// known of its transcript is that of the task.
func timelineRow(p errand.PlacedTask, agent errand.AgentName, stints []store.Stint, questions []errand.Question) (row TimelineRow, hasTurn bool) {
	row = TimelineRow{Task: p.ID, Agent: agent, Level: p.Depth, State: p.State, Title: p.Title, Begun: p.Created, Ended: p.Finished}
	for _, st := range stints {
		if st.Task != p.ID || st.Agent != agent {
			continue
		}
		if !hasTurn {
			row.Begun, hasTurn = st.Begun, true
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
	return row, hasTurn
}

// timelineSteps are the steps of a row. What it does just now has no row in the transcript
// yet: it is the model that is asked, where no call waits for its result.
func timelineSteps(row TimelineRow, hasTurn bool, did []store.TaskStep, tasks []errand.Task) (list []TimelineStep) {
	n, waits := 0, false
	last := row.Begun
	for _, st := range did {
		if st.Task != row.Task || st.Agent != row.Agent {
			continue
		}
		n++
		list = append(list, TimelineStep{Kind: StepModel, Name: st.Model, Step: n, Begun: st.Begun, Ended: st.Ended, Attempts: st.Attempts, Tokens: st.Tokens, Cached: st.Cached, Cost: st.Cost})
		last = later(last, st.Ended)
		for _, c := range st.Calls {
			call := TimelineStep{Kind: StepTool, Name: c.Name, Step: n, Begun: st.Ended, Ended: c.Ended}
			key := errand.CallKey{StepKey: errand.StepKey{Owner: errand.SubAgentOwner(st.Task, st.Agent), Turn: st.Turn, Step: st.Step}, Index: c.Index}
			for _, t := range tasks {
				if t.Caller == key {
					call.Kind, call.Task = StepTask, t.ID
				}
			}
			if call.Ended.IsZero() {
				call.Ended = row.Ended // it was cut off
				waits = true
			}
			last = later(last, call.Ended)
			list = append(list, call)
		}
	}
	if hasTurn && row.Ended.IsZero() && !waits && row.State == errand.Working {
		list = append(list, TimelineStep{Kind: StepModel, Step: n + 1, Begun: last})
	}
	return list
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
