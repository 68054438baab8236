package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A TurnCall is one call of a tool in a turn, as people look it up.
type TurnCall struct {
	Step      int       `json:"step"`
	Index     int       `json:"index" description:"within its step, from 1"`
	Tool      string    `json:"tool" description:"as the model has called it"`
	About     string    `json:"about,omitempty" description:"what the call is about: one of its arguments"`
	Arguments string    `json:"arguments" description:"as the model has written them, 4,000 characters at most"`
	Result    string    `json:"result,omitempty" description:"what the agent was given, 8,000 characters at most; empty: nothing yet"`
	Cut       bool      `json:"cut,omitempty" description:"arguments or result are longer"`
	Failed    bool      `json:"failed,omitempty" description:"the result is an error"`
	Begun     time.Time `json:"begun" description:"when the agent asked for it"`
	Ended     time.Time `json:"ended,omitzero"`
}

// How much of a call people are shown, in characters, and of how many calls of a turn.
const (
	longestArguments = 4_000
	longestResult    = 8_000
	mostCalls        = 200
	mostToolsUsed    = 20
)

// shownAsCall reports whether a call is shown as what a tool did: what is delegated, asked
// or handed over is shown as that.
func shownAsCall(by By) bool {
	return !slices.Contains([]By{ByDelegation, ByHandover, ByVerdict, ByQuestion}, by)
}

// An answerRow is what a model answered at a step of a turn: its calls, and what was planned.
type answerRow struct {
	Step          int
	Calls, Result string
	Created       int64
}

func (r answerRow) each(tell func(index int, c errand.ToolCall)) error {
	var calls []errand.ToolCall
	var planned StepResult
	if err := json.Unmarshal([]byte(r.Calls), &calls); err != nil {
		return fmt.Errorf("calls of step %d: %w", r.Step, err)
	}
	if r.Result != "" {
		if err := json.Unmarshal([]byte(r.Result), &planned); err != nil {
			return fmt.Errorf("outcome of step %d: %w", r.Step, err)
		}
	}
	for i, c := range calls {
		if i >= len(planned.Calls) || shownAsCall(planned.Calls[i].By) {
			tell(i+1, c)
		}
	}
	return nil
}

func answersOf(q sqldb.Querier, owner errand.Owner, turn int) ([]answerRow, error) {
	var rows []answerRow
	err := q.All(&rows, `SELECT step, calls, result, created FROM messages WHERE owner = ? AND turn = ? AND idx = 0 AND step > 0 AND calls <> ''
		ORDER BY step LIMIT ?`, owner, turn, mostCalls)
	return rows, err
}

func toolsUsed(q sqldb.Querier, owner errand.Owner, turn int) ([]errand.ToolUse, error) {
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	var used []errand.ToolUse
	for _, r := range rows {
		err := r.each(func(_ int, c errand.ToolCall) {
			name := toolName(c)
			at := slices.IndexFunc(used, func(u errand.ToolUse) bool { return u.Tool == name })
			switch {
			case at >= 0:
				used[at].Calls++
			case len(used) < mostToolsUsed:
				used = append(used, errand.ToolUse{Tool: name, About: c.About(), Calls: 1})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return used, nil
}

func toolName(c errand.ToolCall) string { return errand.Cut(c.Name, 64) }

// TurnCalls returns the calls of tools in a turn, in order.
func (s *Store) TurnCalls(ctx context.Context, owner errand.Owner, turn int) ([]TurnCall, error) {
	q := s.read(ctx)
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	results, err := shownWhere(q, `owner = ? AND turn = ? AND speaker = 'tool' ORDER BY step, idx LIMIT ?`, owner, turn, 10*mostCalls)
	if err != nil {
		return nil, err
	}
	list := []TurnCall{}
	for _, r := range rows {
		err := r.each(func(index int, c errand.ToolCall) {
			if len(list) == mostCalls {
				return
			}
			call := TurnCall{Step: r.Step, Index: index, Tool: toolName(c), About: c.About(), Begun: at(r.Created)}
			call.Arguments, call.Cut = shortened(c.Arguments, longestArguments)
			i := slices.IndexFunc(results, func(m errand.Message) bool { return m.Step == r.Step && m.Index == index })
			if i >= 0 {
				var cut bool
				call.Result, cut = shortened(results[i].Text, longestResult)
				call.Cut, call.Failed, call.Ended = call.Cut || cut, strings.HasPrefix(results[i].Text, "error: "), results[i].Created
			}
			list = append(list, call)
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func shortened(text string, most int) (string, bool) {
	cut := errand.Cut(text, most)
	return cut, cut != text
}
