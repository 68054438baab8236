package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A TaskStep is a model call of an agent on a task, with the tool calls it made.
type TaskStep struct {
	Task       core.TaskID
	Agent      core.AgentName
	Turn, Step int
	Begun      time.Time // when all its input was there
	Ended      time.Time // zero: it has no answer
	Model      string
	Attempts   int // calls of the provider; 0: their usage exists only as daily sums
	Tokens     int
	Cached     int
	Cost       float64
	Calls      []StepCall
}

// A StepCall is a tool call of a step.
type StepCall struct {
	Index   int // as in [core.CallKey]
	Name    string
	About   string
	Shown   bool      // [Store.TurnCalls] returns it
	Ended   time.Time // zero: it has no result
	Failure string    // the first line of an error
	Results int       // number of results of a web search
	Words   int       // of the result, counted by its spaces
}

// Limits of what TaskSteps reads.
const (
	mostStepRows   = 5000
	maxResultRead  = "4000" // characters of a tool's result
	longestFailure = 160    // characters
)

// TaskSteps returns the steps of the agents of some tasks, in the order of their beginnings. A
// task with deleted transcripts has at most the usage of its calls.
func (s *Store) TaskSteps(ctx context.Context, tasks []core.Task) ([]TaskStep, error) {
	owners := transcriptsOf(tasks)
	if len(owners) == 0 {
		return nil, nil
	}
	q := s.read(ctx)
	var rows []struct {
		Owner           string
		Turn, Step, Idx int
		Speaker         string
		Calls, Result   string
		Text            string // of a tool's result
		Words           int    // of the whole result, about
		Created         int64
	}
	err := q.All(&rows, `SELECT owner, turn, step, idx, speaker, calls, result, CASE WHEN speaker = 'tool' THEN SUBSTR(text, 1, `+maxResultRead+`) ELSE '' END AS text,
		CASE WHEN speaker = 'tool' THEN 1 + LENGTH(text) - LENGTH(REPLACE(text, ' ', '')) ELSE 0 END AS words, created
		FROM messages WHERE owner IN (`+sqldb.Placeholders(len(owners))+`)
		ORDER BY owner, turn, step, idx LIMIT ?`, append(owners, mostStepRows)...)
	if err != nil {
		return nil, err
	}
	spent, err := stepUsage(q, owners)
	if err != nil {
		return nil, err
	}
	var steps []TaskStep
	var before time.Time // when the last message of the same owner was there
	for i, r := range rows {
		created := at(r.Created)
		if i == 0 || rows[i-1].Owner != r.Owner {
			before = created
		}
		switch core.Speaker(r.Speaker) {
		case core.FromAgent:
			step := TaskStep{Turn: r.Turn, Step: r.Step, Begun: before, Ended: created}
			step.Task, step.Agent, _ = core.Owner(r.Owner).Task()
			if r.Calls != "" {
				answer := answerRow{Step: r.Step, Calls: r.Calls, Result: r.Result}
				err := answer.each(func(c core.ToolCall, p PlannedCall) {
					step.Calls = append(step.Calls, StepCall{Index: p.Index, Name: c.Name, About: c.About(), Shown: shownAsCall(p.By)})
				})
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", r.Owner, r.Turn, err)
				}
			}
			key := core.StepKey{Owner: core.Owner(r.Owner), Turn: r.Turn, Step: r.Step}
			spent[key].into(&step)
			delete(spent, key)
			steps = append(steps, step)
		case core.FromTool:
			if n := len(steps); n > 0 && steps[n-1].owner() == core.Owner(r.Owner) {
				steps[n-1].ends(r.Idx, created, core.Unmarked(r.Text), r.Words)
			}
		}
		if created.After(before) {
			before = created
		}
	}
	for key, used := range spent { // calls without an answer
		step := TaskStep{Turn: key.Turn, Step: key.Step, Begun: at(used.Created)}
		step.Task, step.Agent, _ = key.Owner.Task()
		used.into(&step)
		steps = append(steps, step)
	}
	slices.SortStableFunc(steps, func(a, b TaskStep) int { return a.Begun.Compare(b.Begun) })
	return steps, nil
}

func (s *TaskStep) owner() core.Owner { return core.SubAgentOwner(s.Task, s.Agent) }

func (s *TaskStep) ends(index int, when time.Time, result string, words int) {
	for i := range s.Calls {
		c := &s.Calls[i]
		if c.Index != index {
			continue
		}
		c.Ended = when
		if reason, failed := strings.CutPrefix(result, "error: "); failed {
			first, _, _ := strings.Cut(reason, "\n")
			c.Failure = core.Cut(first, longestFailure)
			continue
		}
		if c.Name == "web_search" {
			c.Results = len(core.Sources(c.Name, result))
		} else {
			c.Words = words
		}
	}
}

type stepSpent struct {
	Owner               string
	Turn, Step          int
	Model               string
	Attempts            int
	Tokens, CachedToken int
	Cost                float64
	Created             int64
}

func (u *stepSpent) into(s *TaskStep) {
	if u != nil {
		s.Model, s.Attempts, s.Tokens, s.Cached, s.Cost = u.Model, u.Attempts, u.Tokens, u.CachedToken, u.Cost
	}
}

func stepUsage(q sqldb.Querier, owners []any) (map[core.StepKey]*stepSpent, error) {
	var rows []stepSpent
	err := q.All(&rows, `SELECT owner, turn, step, MAX(model) AS model, COUNT(*) AS attempts, CAST(SUM(input_tokens + output_tokens) AS BIGINT) AS tokens,
		CAST(SUM(cached_tokens) AS BIGINT) AS cached_token, SUM(cost) AS cost, MIN(created) AS created
		FROM usage WHERE owner IN (`+sqldb.Placeholders(len(owners))+`) GROUP BY owner, turn, step`, owners...)
	if err != nil {
		return nil, err
	}
	spent := make(map[core.StepKey]*stepSpent, len(rows))
	for i, r := range rows {
		spent[core.StepKey{Owner: core.Owner(r.Owner), Turn: r.Turn, Step: r.Step}] = &rows[i]
	}
	return spent, nil
}

func transcriptsOf(tasks []core.Task) []any {
	var owners []any
	for _, t := range tasks {
		for _, a := range t.Agents {
			owners = append(owners, core.SubAgentOwner(t.ID, a))
		}
	}
	return owners
}
