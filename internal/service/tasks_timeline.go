package service

import (
	"cmp"
	"context"
	"slices"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

func (t taskViews) timeline(ctx context.Context, by actor.Actor, in api.TimelineInput) (api.Timeline, error) {
	top, err := t.find(ctx, by, api.TaskRef{TaskID: in.TaskID, Person: in.Person.Person})
	if err != nil {
		return api.Timeline{}, err
	}
	tasks, err := t.Store.TaskTree(ctx, top.ID)
	if err != nil {
		return api.Timeline{}, Known(err)
	}
	stints, err := t.Store.Stints(ctx, tasks)
	if err != nil {
		return api.Timeline{}, err
	}
	ids := make([]core.TaskID, len(tasks))
	for i, one := range tasks {
		ids[i] = one.ID
	}
	questions, err := t.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Limit: 1000})
	if err != nil {
		return api.Timeline{}, err
	}
	var did []store.TaskStep
	if in.Steps {
		if did, err = t.Store.TaskSteps(ctx, tasks); err != nil {
			return api.Timeline{}, err
		}
		if t.readsCalls(by, top) != nil {
			withoutWords(did)
		}
	}
	line := api.Timeline{From: top.Created, To: top.Finished, Gaps: []core.Outage{}}
	for _, p := range core.Tree(tasks) {
		for _, agent := range p.Agents {
			row, hasTurn := timelineRow(p, agent, stints, questions)
			if in.Steps {
				row.Steps = timelineSteps(row, hasTurn, did, tasks)
			}
			if row.Ended.IsZero() {
				line.To = t.Now()
			} else if row.Ended.After(line.To) {
				line.To = row.Ended
			}
			line.Rows = append(line.Rows, row)
		}
	}
	outages, err := t.Store.Outages(ctx)
	if err != nil {
		return api.Timeline{}, err
	}
	for _, out := range outages {
		if gap := gapOf(out, top, line.Rows); gap.From.Before(gap.To) {
			line.Gaps = append(line.Gaps, gap)
		}
	}
	return line, nil
}

// gapOf returns the part of an outage that interrupted the agents of a task, or an empty Outage. A
// worker renews its lease only every few seconds, so a recorded outage can begin too early: the gap
// begins after the last step that ended before the end of the outage.
func gapOf(out core.Outage, top core.Task, rows []api.TimelineRow) (gap core.Outage) {
	for _, row := range rows {
		if row.Task != top.ID || !row.Begun.Before(out.To) || !row.Ended.IsZero() && row.Ended.Before(out.To) {
			continue
		}
		if slices.ContainsFunc(row.Waits, func(w api.TimelineWait) bool { return w.From.Before(out.From) && (w.To.IsZero() || w.To.After(out.To)) }) {
			continue
		}
		gap = core.Outage{From: later(out.From, row.Begun), To: out.To}
		for _, step := range row.Steps {
			if step.Ended.Before(out.To) {
				gap.From = later(gap.From, step.Ended)
			}
		}
		return gap
	}
	return gap
}

func (t taskViews) calls(ctx context.Context, by actor.Actor, in api.ListTaskCallsInput) ([]core.TurnCall, error) {
	task, err := t.find(ctx, by, api.TaskRef{TaskID: in.TaskID, Person: in.Person.Person})
	if err == nil {
		err = t.readsCalls(by, task)
	}
	if err != nil {
		return nil, err
	}
	agent := cmp.Or(in.Agent, task.Agents[0])
	if in.Turn < 1 || !slices.Contains(task.Agents, agent) {
		return nil, badRequest("turn", "agent must be an agent of the task, and turn the number of one of its turns")
	}
	return t.Store.TurnCalls(ctx, core.SubAgentOwner(task.ID, agent), in.Turn)
}

// readsCalls returns an error unless the actor may read what the agents of a task gave to their
// tools, and what they got.
func (t taskViews) readsCalls(by actor.Actor, task core.Task) error {
	if err := t.may(by, rights.SessionsRead); err != nil || !task.Origin.SessionKey.Shared() {
		return err
	}
	return t.reads(by, task.Origin.SessionKey)
}

// withoutWords removes arguments and results from steps.
func withoutWords(steps []store.TaskStep) {
	for _, step := range steps {
		for i := range step.Calls {
			step.Calls[i].About, step.Calls[i].Failure = "", ""
		}
	}
}

// timelineRow returns the row of an agent, and whether the agent has had a turn. Times that its
// transcript lacks are the task's.
func timelineRow(p core.PlacedTask, agent core.AgentName, stints []store.Stint, questions []core.Question) (row api.TimelineRow, hasTurn bool) {
	row = api.TimelineRow{Task: p.ID, Agent: agent, Level: p.Depth, State: p.State, Title: p.Title, Begun: p.Created, Ended: p.Finished}
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
			row.Waits = append(row.Waits, api.TimelineWait{Question: q.ID, From: q.Created, To: q.Answered})
		}
	}
	return row, hasTurn
}

// timelineSteps returns the steps of a row. The running step is not in the transcript yet: it is a
// model call, unless a tool call waits for its result.
func timelineSteps(row api.TimelineRow, hasTurn bool, did []store.TaskStep, tasks []core.Task) (list []api.TimelineStep) {
	n, waits := 0, false
	last := row.Begun
	for _, st := range did {
		if st.Task != row.Task || st.Agent != row.Agent {
			continue
		}
		n++
		list = append(list, api.TimelineStep{Kind: api.StepModel, Name: st.Model, Step: n, Begun: st.Begun, Ended: st.Ended, Attempts: st.Attempts, Tokens: st.Tokens, Cached: st.Cached, Cost: st.Cost})
		last = later(last, st.Ended)
		for _, c := range st.Calls {
			call := api.TimelineStep{Kind: api.StepTool, Name: c.Name, Step: n, Begun: st.Ended, Ended: c.Ended, About: c.About, Failure: c.Failure, Results: c.Results, Words: c.Words}
			if c.Shown {
				call.Turn, call.TurnStep, call.Index = st.Turn, st.Step, c.Index
			}
			key := core.CallKey{StepKey: core.StepKey{Owner: core.SubAgentOwner(st.Task, st.Agent), Turn: st.Turn, Step: st.Step}, Index: c.Index}
			for _, t := range tasks {
				if t.Caller == key {
					call.Kind, call.Task = api.StepTask, t.ID
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
	if hasTurn && row.Ended.IsZero() && !waits && row.State == core.Working {
		list = append(list, api.TimelineStep{Kind: api.StepModel, Step: n + 1, Begun: last})
	}
	return list
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
