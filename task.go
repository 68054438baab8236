package errand

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A TaskState is one of A2A's task states
// (https://a2a-protocol.org/latest/specification/, TaskState).
type TaskState string

// The states. Those from Completed on are terminal and final: trying again is
// a new task.
const (
	Submitted     TaskState = "submitted" // the row is there, the workflow not yet
	Working       TaskState = "working"
	InputRequired TaskState = "input_required"
	Completed     TaskState = "completed"
	Failed        TaskState = "failed"
	Canceled      TaskState = "canceled"
	Rejected      TaskState = "rejected"
)

// TaskStates returns all of them.
func TaskStates() []TaskState {
	return []TaskState{Submitted, Working, InputRequired, Completed, Failed, Canceled, Rejected}
}

// OpenStates returns the states of a task that is not over.
func OpenStates() []TaskState { return []TaskState{Submitted, Working, InputRequired} }

// Terminal reports whether s is final.
func (s TaskState) Terminal() bool {
	switch s {
	case Completed, Failed, Canceled, Rejected:
		return true
	}
	return false
}

// A Way is how the result of a task reached whoever asked for it. It is decided
// once per task.
type Way string

// The ways of a result.
const (
	WayUndecided    Way = ""
	WayTurn         Way = "turn"         // something waited for it
	WayFold         Way = "fold"         // a turn of the same session told it
	WayNotification Way = "notification" // told in the sub-agent's own voice
	WayNone         Way = "none"         // nobody to tell: kept in the store
)

// Ways returns those of a result whose way is decided.
func Ways() []Way { return []Way{WayTurn, WayFold, WayNotification, WayNone} }

// A Task is one delegated piece of work.
type Task struct {
	ID         TaskID         `json:"id"`
	State      TaskState      `json:"state"`
	Agents     []AgentName    `json:"agents"`         // whom it was delegated to, in order
	From       AgentName      `json:"from,omitempty"` // who delegated it
	Nonce      Nonce          `json:"-"`              // of the prompts of its agents
	Text       string         `json:"task"`           // what is to be done
	Briefing   *Briefing      `json:"briefing,omitempty" description:"what went with the task, where a person gave it by /team"`
	Title      string         `json:"title"` // Text cut to 60 characters
	Caller     CallKey        `json:"-"`     // the tool call that asked for it; zero for people and scripts
	Waits      bool           `json:"-"`     // call_agent: its caller waits
	Parent     TaskID         `json:"parent,omitempty"`
	RetryOf    TaskID         `json:"retry_of,omitempty"`
	Continues  TaskID         `json:"continues,omitempty" description:"the task that had ended and that it goes on with"`
	First      TaskID         `json:"-"` // with which that began; empty: it continues none
	LateOf     TaskID         `json:"late_of,omitempty" description:"the task for which a peer has said this, after whoever waited for it had ended"`
	LateFor    Owner          `json:"-"` // likewise, the sub-agent of the task that the person has seen: LateOf, or the one above it
	Late       LateKind       `json:"late,omitempty" description:"what a peer has said late: result, status, error or input-required"`
	Added      int            `json:"added,omitempty" description:"how many messages were added to it while it was at work"`
	Origin     Origin         `json:"origin"`
	Result     string         `json:"result,omitempty"` // set when completed
	Error      string         `json:"error,omitempty"`  // set when failed, canceled or rejected
	Reason     Reason         `json:"reason,omitempty" description:"a code for error, where that is errand's own and not somebody's words"`
	Plans      []Plan         `json:"plans,omitempty" description:"what each of its agents means to do, where it keeps a list"`
	Policy     Policy         `json:"policy,omitempty" description:"what makes a yes and a no of its agents' verdicts, where it is to decide something"`
	Deadline   time.Time      `json:"deadline,omitzero" description:"when it ends with what is there"`
	Then       *Branch        `json:"then,omitempty" description:"the task that follows a yes"`
	Else       *Branch        `json:"else,omitempty" description:"the task that follows any other answer"`
	Decision   Answer         `json:"decision,omitempty" description:"YES, NO, TIE or NO_QUORUM"`
	Verdicts   []GivenVerdict `json:"verdicts,omitempty" description:"each agent's part in the decision, in the order in which they were named"`
	FollowedBy TaskID         `json:"followed_by,omitempty" description:"the task that follows the decision"`
	Follows    TaskID         `json:"follows,omitempty" description:"the decision that it follows, and whose reasons its agents read"`
	Trouble    string         `json:"trouble,omitempty" description:"why its model does not answer just now; while the task is open"`
	Way        Way            `json:"way,omitempty"`
	ToldBy     string         `json:"told_by,omitempty" description:"what told its outcome: turn:SESSION:TURN of a session, or the key of a delivery"`
	Delivery   OutboxState    `json:"delivery,omitempty"` // of the row that told it
	ModelCalls int            `json:"model_calls"`
	Tokens     int            `json:"tokens"`
	Cached     int            `json:"cached_tokens,omitempty" description:"of tokens: those that providers had in their caches"`
	Cost       float64        `json:"cost" description:"USD"`
	Created    time.Time      `json:"created"`
	Finished   time.Time      `json:"finished,omitzero"`
}

// NotFollowed begins the end of a decision's result that says why what was to follow does not.
const NotFollowed = "By the order of whoever asked, this was to follow, and has not been started, for "

// Next returns what is to follow t's decision; nil: nothing, or it has not decided.
func (t *Task) Next() *Branch {
	switch t.Decision {
	case "":
		return nil
	case AnswerYes:
		return t.Then
	}
	return t.Else
}

// AgentList returns the names of t's agents, as "sasha" or "sasha,finn".
func (t *Task) AgentList() string {
	return strings.Join(Strings(t.Agents), ",")
}

// AgentNames are the agents that people name in lists, as "sasha, @Finn": in lower case, and
// in their order.
func AgentNames(lists ...string) (names []AgentName) {
	for _, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "@")); name != "" {
				names = append(names, AgentName(name))
			}
		}
	}
	return names
}

// StoppedByPerson is the result of a tool call whose turn a person stopped; what it
// had asked for was canceled for [ReasonStopped].
const StoppedByPerson = "stopped by the person"

// Report is what the agent that delegated t is told about it, with the nonce of its
// prompts. What the sub-agent wrote is marked as its report; it does not know the
// nonce, so that it cannot pass for anything else.
func (t *Task) Report(n Nonce) string {
	head := n.Mark("task " + string(t.ID) + ", " + t.AgentList() + ": " + string(t.State))
	switch {
	case t.Late != "":
		return head + "\n" + t.lateReport(n)
	case t.State == Completed:
		return head + "\n" + n.Report(t.Result)
	case t.State.Terminal():
		return head + "\n" + n.Report(t.Error)
	case t.State == InputRequired:
		return head + "\nIt waits for the person's answer to a question that they were shown. The result will be told when it is there; do not invent it."
	default:
		return head + "\nStill at work. The result will be told when it is there; do not wait for it and do not invent it."
	}
}

// Display returns n as people read it: "Sasha".
func (n AgentName) Display() string {
	if n == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(string(n))
	return strings.ToUpper(string(r)) + string(n)[size:]
}

// Age says how long something has been there, in a word: "2 min".
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(max(d, 0).Seconds())) + " s"
	case d < 2*time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " d"
}

// Title cuts text to one line of at most 60 characters, whole words where that
// is possible.
func Title(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(line) <= 60 {
		return line
	}
	cut := string([]rune(line)[:59])
	if i := strings.LastIndexByte(cut, ' '); i > 30 {
		cut = cut[:i]
	}
	return cut + "…"
}

var reportEscaper = strings.NewReplacer("<report>", "&lt;report&gt;", "</report>", "&lt;/report&gt;", "[task ", "&#91;task ")

// Report is what agents wrote, for another to read: whatever it contains, it is theirs
// from its beginning to its end.
func (n Nonce) Report(text string) string { return n.Block("report", reportEscaper.Replace(text)) }

// Cut returns s with at most n runes, ended by "…" where something was cut off.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
