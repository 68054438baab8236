package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// Limits of what people see: characters of a call and of its result, and calls of a turn.
const (
	longestArguments = 4_000
	longestResult    = 8_000
	mostCalls        = 200
	mostToolsUsed    = 20
)

func shownAsCall(by By) bool {
	return !slices.Contains([]By{ByDelegation, ByHandover, ByVerdict, ByQuestion}, by)
}

type answerRow struct {
	Step          int
	Calls, Result string
	Created       int64
}

func (r answerRow) each(tell func(index int, c core.ToolCall)) error {
	var calls []core.ToolCall
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

func answersOf(q sqldb.Querier, owner core.Owner, turn int) ([]answerRow, error) {
	var rows []answerRow
	err := q.All(&rows, `SELECT step, calls, result, created FROM messages WHERE owner = ? AND turn = ? AND idx = 0 AND step > 0 AND calls <> ''
		ORDER BY step LIMIT ?`, owner, turn, mostCalls)
	return rows, err
}

func toolsUsed(q sqldb.Querier, owner core.Owner, turn int) ([]core.ToolUse, error) {
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	var used []core.ToolUse
	for _, r := range rows {
		err := r.each(func(_ int, c core.ToolCall) {
			name := toolName(c)
			at := slices.IndexFunc(used, func(u core.ToolUse) bool { return u.Tool == name })
			switch {
			case at >= 0:
				used[at].Calls++
			case len(used) < mostToolsUsed:
				used = append(used, core.ToolUse{Tool: name, About: c.About(), Calls: 1})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return used, nil
}

func toolName(c core.ToolCall) string { return core.Cut(c.Name, 64) }

// TurnCalls returns the tool calls of a turn, in order.
func (s *Store) TurnCalls(ctx context.Context, owner core.Owner, turn int) ([]core.TurnCall, error) {
	q := s.read(ctx)
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	results, err := shownWhere(q, `owner = ? AND turn = ? AND speaker = 'tool' ORDER BY step, idx LIMIT ?`, owner, turn, 10*mostCalls)
	if err != nil {
		return nil, err
	}
	list := []core.TurnCall{}
	for _, r := range rows {
		err := r.each(func(index int, c core.ToolCall) {
			if len(list) == mostCalls {
				return
			}
			call := core.TurnCall{Step: r.Step, Index: index, Tool: toolName(c), About: c.About(), Begun: at(r.Created)}
			call.Arguments, call.Cut = shortened(c.Arguments, longestArguments)
			i := slices.IndexFunc(results, func(m core.Message) bool { return m.Step == r.Step && m.Index == index })
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
	cut := core.Cut(text, most)
	return cut, cut != text
}
