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
	maxSources       = 12
)

func shownAsCall(by By) bool {
	return !slices.Contains([]By{ByDelegation, ByHandover, ByVerdict, ByQuestion}, by)
}

type answerRow struct {
	Step          int
	Calls, Result string
	Created       int64
}

// each calls do with each call and its plan.
func (r answerRow) each(do func(core.ToolCall, PlannedCall)) error {
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
		p := PlannedCall{Index: i + 1}
		if i < len(planned.Calls) {
			p = planned.Calls[i]
			p.Index = i + 1
		}
		do(c, p)
	}
	return nil
}

func answersOf(q sqldb.Querier, owner core.Owner, turn int) ([]answerRow, error) {
	var rows []answerRow
	err := q.All(&rows, `SELECT step, calls, result, created FROM messages WHERE owner = ? AND turn = ? AND idx = 0 AND step > 0 AND calls <> ''
		ORDER BY step LIMIT ?`, owner, turn, mostCalls)
	return rows, err
}

// toolsUsed returns the tools that a turn called. answer is the final text of the turn.
func toolsUsed(q sqldb.Querier, owner core.Owner, turn int, answer string) ([]core.ToolUse, error) {
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	var used []core.ToolUse
	web := map[[2]int]string{} // web tools by step and index of the call
	for _, r := range rows {
		err := r.each(func(c core.ToolCall, p PlannedCall) {
			name, shown := toolName(c), shownAsCall(p.By)
			if shown && (name == "web_fetch" || name == "web_search") {
				web[[2]int{r.Step, p.Index}] = name
			}
			at := slices.IndexFunc(used, func(u core.ToolUse) bool { return u.Tool == name })
			switch {
			case !shown:
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
	if len(web) == 0 {
		return used, nil
	}
	sources, err := sourcesOf(q, owner, turn, web, answer)
	for i := range used {
		used[i].Sources = sources[used[i].Tool]
	}
	return used, err
}

// sourcesOf returns, by tool, the pages that the web tools of a turn read, and the found pages whose
// address is in answer. If there are none, it returns all found pages.
func sourcesOf(q sqldb.Querier, owner core.Owner, turn int, tools map[[2]int]string, answer string) (map[string][]core.Source, error) {
	results, err := resultsOf(q, owner, turn)
	named, found := map[string][]core.Source{}, map[string][]core.Source{}
	for _, m := range results {
		tool := tools[[2]int{m.Step, m.Index}]
		for _, s := range core.Sources(tool, m.Text) {
			into := found
			if tool == "web_fetch" || strings.Contains(answer, s.Address) {
				into = named
			}
			known := slices.ContainsFunc(into[tool], func(k core.Source) bool { return k.Address == s.Address })
			if !known && len(into[tool]) < maxSources {
				into[tool] = append(into[tool], s)
			}
		}
	}
	if len(named) == 0 {
		return found, err
	}
	return named, err
}

func resultsOf(q sqldb.Querier, owner core.Owner, turn int) ([]core.Message, error) {
	return shownWhere(q, `owner = ? AND turn = ? AND speaker = 'tool' ORDER BY step, idx LIMIT ?`, owner, turn, 10*mostCalls)
}

func toolName(c core.ToolCall) string { return core.Cut(c.Name, 64) }

// TurnCalls returns the tool calls of a turn, in order.
func (s *Store) TurnCalls(ctx context.Context, owner core.Owner, turn int) ([]core.TurnCall, error) {
	q := s.read(ctx)
	rows, err := answersOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	results, err := resultsOf(q, owner, turn)
	if err != nil {
		return nil, err
	}
	list := []core.TurnCall{}
	for _, r := range rows {
		err := r.each(func(c core.ToolCall, p PlannedCall) {
			if !shownAsCall(p.By) || len(list) == mostCalls {
				return
			}
			call := core.TurnCall{Step: r.Step, Index: p.Index, Tool: toolName(c), About: c.About(), Begun: at(r.Created)}
			call.Arguments, call.Cut = shortened(c.Arguments, longestArguments)
			i := slices.IndexFunc(results, func(m core.Message) bool { return m.Step == r.Step && m.Index == p.Index })
			if i >= 0 {
				var cut bool
				text := results[i].Text
				call.Result, cut = shortened(text, longestResult)
				call.Sources = core.Sources(call.Tool, text)
				if strings.HasPrefix(call.Tool, "read_") || call.Tool == "web_fetch" {
					call.Words = len(strings.Fields(text))
				}
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
