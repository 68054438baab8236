package core

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A PlanState is the progress of an item of a plan.
type PlanState string

const (
	PlanPending PlanState = "pending"
	PlanDoing   PlanState = "doing"
	PlanDone    PlanState = "done"
)

func PlanStates() []PlanState { return []PlanState{PlanPending, PlanDoing, PlanDone} }

// A PlanItem is one step of an agent's plan.
type PlanItem struct {
	Text  string    `json:"text"`
	State PlanState `json:"state" enum:"pending,doing,done"`
}

// Mark returns the symbol for the state in a chat.
func (i PlanItem) Mark() string {
	switch i.State {
	case PlanDone:
		return "✔"
	case PlanDoing:
		return "▸"
	}
	return "○"
}

// A Plan is what an agent intends to do, in order, in its own words.
type Plan struct {
	Agent AgentName  `json:"agent"`
	Turn  int        `json:"turn,omitempty"` // the turn of the session that last wrote it
	Items []PlanItem `json:"items"`
}

// Done returns how many items are done.
func (p Plan) Done() int {
	n := 0
	for _, i := range p.Items {
		if i.State == PlanDone {
			n++
		}
	}
	return n
}

// Over reports whether all items are done.
func (p Plan) Over() bool { return p.Done() == len(p.Items) }

// ShownIn reports whether p is shown in a turn: until all items are done, and in the turn that last
// wrote it.
func (p Plan) ShownIn(turn int) bool { return len(p.Items) > 0 && (p.Turn == turn || !p.Over()) }

// Line returns p in one line, "2/4: Read the timetables", with the item in progress or else the
// first pending one.
func (p Plan) Line() string {
	if len(p.Items) == 0 {
		return ""
	}
	line := fmt.Sprintf("%d/%d", p.Done(), len(p.Items))
	for _, state := range []PlanState{PlanDoing, PlanPending} {
		if i := slices.IndexFunc(p.Items, func(i PlanItem) bool { return i.State == state }); i >= 0 {
			return line + ": " + Cut(p.Items[i].Text, 80)
		}
	}
	return line
}

// List returns p with one line for each item.
func (p Plan) List() string {
	lines := make([]string, len(p.Items))
	for n, i := range p.Items {
		lines[n] = i.Mark() + " " + i.Text
	}
	return strings.Join(lines, "\n")
}

// PlanLine returns the progress of t's agents in one line; empty if t has ended or has no plan.
func (t *Task) PlanLine() string {
	if t.State.Terminal() {
		return ""
	}
	var lines []string
	for _, p := range t.Plans {
		line := p.Line()
		if line != "" && len(t.Agents) > 1 {
			line = p.Agent.Display() + " " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// A Procedure is a delegation in the configuration: its agents, task and policy, and the tasks that
// follow.
type Procedure struct {
	Name     string
	Agents   []AgentName
	Task     string        // [ProcedureText] in it stands for the person's text
	Policy   Policy        // for their verdicts; empty: they report
	Deadline time.Duration // after which it ends with the outcomes so far; 0: never
	// Then follows YES, and Else any other answer; nil: nothing follows.
	Then, Else *Branch
}

// ProcedureText stands for the person's text in a procedure.
const ProcedureText = "{text}"

// For returns p with the person's text filled in, or appended if the task has no place for it.
func (p Procedure) For(text string) Procedure {
	fill := func(b *Branch) *Branch {
		if b == nil {
			return nil
		}
		return &Branch{Agents: b.Agents, Task: strings.ReplaceAll(b.Task, ProcedureText, text)}
	}
	p.Then, p.Else = fill(p.Then), fill(p.Else)
	switch {
	case strings.Contains(p.Task, ProcedureText):
		p.Task = strings.ReplaceAll(p.Task, ProcedureText, text)
	case text != "":
		p.Task += "\n\n" + text
	}
	return p
}
