package errand

import "cmp"

// A LateKind is what a peer says of a task when the sub-agent that waited for it there has
// ended: it was waited out, canceled, or killed with what is above it.
type LateKind string

// The kinds of late answers.
const (
	LateResult        LateKind = "result"
	LateStatus        LateKind = "status" // it is still at work, and says how far it is
	LateError         LateKind = "error"
	LateInputRequired LateKind = "input-required" // it asks, or wants somebody to log in
)

// State is the one that the task row of a late answer has ended with: what was asked has
// failed where the peer says so, and where it waits for an answer that nobody can give it
// any more.
func (k LateKind) State() TaskState {
	if k == LateError || k == LateInputRequired {
		return Failed
	}
	return Completed
}

// LateKind is what p would be, if nobody waited for it any more; empty: it says nothing that
// somebody would want to know.
func (p PeerTask) LateKind() LateKind {
	switch {
	case p.Gone:
		return ""
	case p.State == Completed:
		return LateResult
	case p.State.Terminal():
		return LateError
	case p.State == InputRequired || p.Login:
		return LateInputRequired
	case p.Text != "":
		return LateStatus
	}
	return ""
}

// MemoryKey is under what key the working memory of agents shows t, behind the prefix of
// what they were told.
func (t *Task) MemoryKey() string {
	if t.Late == "" {
		return string(t.ID)
	}
	return "a2a/" + string(t.LateTask()) + "/" + string(t.Late)
}

// LateTask is the task that t is a late answer to, as the person has seen it.
func (t *Task) LateTask() TaskID {
	id, _, _ := t.LateFor.Task()
	return cmp.Or(id, t.LateOf)
}

// LateText is what the peer of a late answer has said; empty: it is lost.
func (t *Task) LateText() string {
	if t.State == Completed {
		return t.Result
	}
	return t.Error
}

func (t *Task) lateReport(n Nonce) string {
	arrived := "a late " + string(t.Late) + " arrived from " + t.AgentList() + " for your completed sub-agent " + string(t.LateFor) +
		". Tell the person that it came late, from whom, and for which task; it is kept as notifications/" + t.MemoryKey()
	if t.Late == LateInputRequired {
		arrived += ". Nobody can answer it there any more: what it asks for is for a new task"
	}
	if t.LateText() == "" {
		return n.Mark(arrived) + "\n" + n.Mark("what it said is lost; tell the person that a late "+string(t.Late)+" of "+t.AgentList()+" came and is lost")
	}
	return n.Mark(arrived) + "\n" + n.Report(t.LateText())
}
