package errand

import (
	"strings"
	"time"
)

// A Procedure is a delegation that the configuration names: who is asked, for what, what
// they are to decide, and what follows.
type Procedure struct {
	Name     string
	Agents   []AgentName
	Task     string        // with [ProcedureText] where the words of whoever asks go
	Policy   Policy        // what their verdicts come to; empty: they report
	Deadline time.Duration // after which it ends with what is there; 0: never
	// Then follows a yes, Else any other answer; nil: nothing does.
	Then, Else *Branch
}

// ProcedureText stands in the texts of a procedure for the words of whoever asks.
const ProcedureText = "{text}"

// For returns p with the words of whoever asks in their places. A task without a place for
// them has them at its end.
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
