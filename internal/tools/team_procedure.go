package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
)

func withProcedures(tool Tool, list []core.Procedure) Tool {
	if len(list) == 0 {
		return tool
	}
	var schema struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
		panic(err) // cannot happen: the schema is a constant
	}
	add := func(name string, about map[string]any) {
		b, err := json.Marshal(about)
		if err != nil {
			panic(err) // cannot happen: strings always marshal
		}
		schema.Properties[name] = b
	}
	add("procedure", map[string]any{"type": "string", "enum": procedureNames(list),
		"description": "run this procedure, which defines who is asked, for what, and what follows; allows only text beside it"})
	add("text", map[string]any{"type": "string", "description": "the subject of the procedure"})
	parameters, err := json.Marshal(schema)
	if err != nil {
		panic(err) // cannot happen: it was just parsed
	}
	tool.Parameters = parameters
	tool.Description += " Pass either a procedure or agents and task."
	return tool
}

func procedureNames(list []core.Procedure) []string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return names
}

// ParseProcedure parses a call of [AskTeam] that names a procedure. ok is false if it
// names none. The model reads the error.
func ParseProcedure(args string, list []core.Procedure) (n store.NewTask, ok bool, err error) {
	in, err := Parse[struct {
		Procedure, Text, Task, Expect, Policy, Deadline string
		Agents                                          []string
		Then, Else                                      *namedBranch
	}](json.RawMessage(args))
	if err != nil || in.Procedure == "" {
		return n, false, err
	}
	name := strings.ToLower(strings.TrimSpace(in.Procedure))
	i := slices.IndexFunc(list, func(p core.Procedure) bool { return p.Name == name })
	text := strings.TrimSpace(in.Text)
	switch {
	case len(list) == 0:
		return n, true, fmt.Errorf("there is no procedure %q: none is configured here. Name agents and a task", core.Cut(name, 40))
	case i < 0:
		return n, true, fmt.Errorf("there is no procedure %q; available procedures: %s", core.Cut(name, 40), strings.Join(procedureNames(list), ", "))
	case len(in.Agents) > 0 || in.Task+in.Expect+in.Policy+in.Deadline != "" || in.Then != nil || in.Else != nil:
		return n, true, fmt.Errorf("the procedure %s says who is asked, for what and what follows: give it \"text\" only", name)
	case text == "" && strings.Contains(list[i].Task, core.ProcedureText):
		return n, true, errors.New(`"text" is missing: say what the procedure is about`)
	case len(text) > maxTask:
		return n, true, fmt.Errorf("the text has %d bytes; at most %d", len(text), maxTask)
	}
	p := list[i].For(text)
	for _, task := range procedureTasks(p) {
		if len(task) > maxTask {
			return n, true, fmt.Errorf("with the text in its places a task of the procedure %s has %d bytes; at most %d: give it a shorter text", name, len(task), maxTask)
		}
	}
	return store.NewTask{Waits: true, Agents: p.Agents, Text: p.Task, Policy: p.Policy, Deadline: p.Deadline, Then: p.Then, Else: p.Else}, true, nil
}

func procedureTasks(p core.Procedure) []string {
	tasks := []string{p.Task}
	for _, b := range []*core.Branch{p.Then, p.Else} {
		if b != nil {
			tasks = append(tasks, b.Task)
		}
	}
	return tasks
}
