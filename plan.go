package errand

import (
	"fmt"
	"slices"
	"strings"
)

// A PlanState says how far an item of a plan is.
type PlanState string

// The states of an item.
const (
	PlanPending PlanState = "pending"
	PlanDoing   PlanState = "doing"
	PlanDone    PlanState = "done"
)

// PlanStates returns all of them.
func PlanStates() []PlanState { return []PlanState{PlanPending, PlanDoing, PlanDone} }

// A PlanItem is one thing that an agent means to do.
type PlanItem struct {
	Text  string    `json:"text"`
	State PlanState `json:"state" enum:"pending,doing,done"`
}

// Mark is the state as people read it in a chat.
func (i PlanItem) Mark() string {
	switch i.State {
	case PlanDone:
		return "✔"
	case PlanDoing:
		return "▸"
	}
	return "○"
}

// A Plan is what an agent means to do, in order, and how far it is. It is the agent's
// word.
type Plan struct {
	Agent AgentName  `json:"agent"`
	Turn  int        `json:"turn,omitempty"` // of the session, in which it was written last
	Items []PlanItem `json:"items"`
}

// Done is how many items of p are.
func (p Plan) Done() int {
	n := 0
	for _, i := range p.Items {
		if i.State == PlanDone {
			n++
		}
	}
	return n
}

// Over reports whether there is nothing left to do of p.
func (p Plan) Over() bool { return p.Done() == len(p.Items) }

// ShownIn reports whether p is shown in a turn of its session: while there is something
// left to do, and in the turn in which it was written last.
func (p Plan) ShownIn(turn int) bool { return len(p.Items) > 0 && (p.Turn == turn || !p.Over()) }

// Line is p in one line, without a word of ours: "2/4: Read the timetables". It names
// the first item that is being done, or else the first that is to be.
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

// List is p item by item, a line each.
func (p Plan) List() string {
	lines := make([]string, len(p.Items))
	for n, i := range p.Items {
		lines[n] = i.Mark() + " " + i.Text
	}
	return strings.Join(lines, "\n")
}

// PlanLine is how far the agents of t are, while it is open, in one line; empty where
// none has a plan.
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
