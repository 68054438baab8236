package core

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A TaskState is one of A2A's task states
// (https://a2a-protocol.org/latest/specification/, TaskState).
type TaskState string

// The states from Completed on are final. A retry is a new task.
const (
	Submitted     TaskState = "submitted" // stored, without a workflow yet
	Working       TaskState = "working"
	InputRequired TaskState = "input_required"
	Completed     TaskState = "completed"
	Failed        TaskState = "failed"
	Canceled      TaskState = "canceled"
	Rejected      TaskState = "rejected"
)

func TaskStates() []TaskState {
	return []TaskState{Submitted, Working, InputRequired, Completed, Failed, Canceled, Rejected}
}

// OpenStates returns the states of a task that has not ended.
func OpenStates() []TaskState { return []TaskState{Submitted, Working, InputRequired} }

// Terminal reports whether s is final.
func (s TaskState) Terminal() bool {
	switch s {
	case Completed, Failed, Canceled, Rejected:
		return true
	}
	return false
}

// A Way is how the result of a task reached its caller. It is decided once.
type Way string

const (
	WayUndecided    Way = ""
	WayTurn         Way = "turn"         // the caller waited for it
	WayFold         Way = "fold"         // a turn of the same session reported it
	WayNotification Way = "notification" // delivered in the sub-agent's own words
	WayNone         Way = "none"         // no reader: stored only
)

// Ways returns the ways of results whose way is decided.
func Ways() []Way { return []Way{WayTurn, WayFold, WayNotification, WayNone} }

// A Task is one delegated piece of work.
type Task struct {
	ID         TaskID         `json:"id"`
	State      TaskState      `json:"state"`
	Agents     []AgentName    `json:"agents"`
	From       AgentName      `json:"from,omitempty"`
	Nonce      Nonce          `json:"-"` // of the prompts of its agents
	Text       string         `json:"task"`
	Briefing   *Briefing      `json:"briefing,omitempty" description:"the messages that went with a task of /team"`
	Title      string         `json:"title"` // Text cut to 60 characters
	Caller     CallKey        `json:"-"`     // the tool call that delegated it; zero: a person or script did
	Waits      bool           `json:"-"`     // delegated by call_agent: the caller waits
	Parent     TaskID         `json:"parent,omitempty"`
	RetryOf    TaskID         `json:"retry_of,omitempty"`
	Continues  TaskID         `json:"continues,omitempty" description:"the ended task that it continues"`
	First      TaskID         `json:"-"` // of the chain of continued tasks; empty: it continues none
	LateOf     TaskID         `json:"late_of,omitempty" description:"the task that this late answer of a peer belongs to"`
	LateFor    Owner          `json:"-"` // of a late answer: the sub-agent of the task that the person has seen, LateOf or the one above it
	Late       LateKind       `json:"late,omitempty" description:"kind of a peer's late answer: result, status, error or input-required"`
	Added      int            `json:"added,omitempty" description:"number of messages that were added while it ran"`
	Origin     Origin         `json:"origin"`
	Result     string         `json:"result,omitempty"` // set when completed
	Error      string         `json:"error,omitempty"`  // set when failed, canceled or rejected
	Reason     Reason         `json:"reason,omitempty" description:"code of an error of errand itself"`
	Plans      []Plan         `json:"plans,omitempty" description:"the plans of its agents, if they keep one"`
	Policy     Policy         `json:"policy,omitempty" description:"for a decision: how the verdicts count"`
	Deadline   time.Time      `json:"deadline,omitzero" description:"when the task ends with what it has"`
	Then       *Branch        `json:"then,omitempty" description:"the task that follows a YES"`
	Else       *Branch        `json:"else,omitempty" description:"the task that follows any other answer"`
	Decision   Answer         `json:"decision,omitempty" description:"YES, NO, TIE or NO_QUORUM"`
	Verdicts   []GivenVerdict `json:"verdicts,omitempty" description:"for a decision: each agent's verdict, in the order of agents"`
	FollowedBy TaskID         `json:"followed_by,omitempty" description:"the task that follows the decision"`
	Follows    TaskID         `json:"follows,omitempty" description:"the decision that it follows; its agents read the reasons"`
	Trouble    string         `json:"trouble,omitempty" description:"while the task is open: why its model does not answer now"`
	Way        Way            `json:"way,omitempty"`
	ToldBy     string         `json:"told_by,omitempty" description:"how the outcome was told: turn:SESSION:TURN of a session, or the key of a delivery"`
	Delivery   OutboxState    `json:"delivery,omitempty"` // of the row that delivered it
	ModelCalls int            `json:"model_calls"`
	Tokens     int            `json:"tokens"`
	Cached     int            `json:"cached_tokens,omitempty" description:"of tokens: read from providers' caches"`
	Cost       float64        `json:"cost" description:"USD"`
	Created    time.Time      `json:"created"`
	Finished   time.Time      `json:"finished,omitzero"`
}

// An AddedMessage is a message that was added to a task while it ran.
type AddedMessage struct {
	Person  PersonID  `json:"person"`
	Agent   AgentName `json:"agent,omitempty" description:"the agent that sent it for the person"`
	Text    string    `json:"text" description:"at most 600 characters"`
	Created time.Time `json:"created"`
	Read    bool      `json:"read,omitempty" description:"an agent of the task has read it"`
}

// NotFollowed begins the last part of a decision's result if its branch could not be started.
const NotFollowed = "A follow-up task was requested but not started, because "

// Next returns the task that follows t's decision; nil: none, or no decision.
func (t *Task) Next() *Branch {
	switch t.Decision {
	case "":
		return nil
	case AnswerYes:
		return t.Then
	}
	return t.Else
}

// AgentList returns the names of t's agents: "sasha" or "sasha,finn".
func (t *Task) AgentList() string {
	return strings.Join(Strings(t.Agents), ",")
}

// AgentNames parses lists such as "sasha, @Finn" into names in lower case, in order.
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

// StoppedByPerson is the result of a tool call if a person stopped its turn.
const StoppedByPerson = "stopped by the user"

// Report returns the text for the agent that delegated t, with the nonce of its prompts. It marks
// the sub-agent's words as a report. The sub-agent does not know the nonce, so its words cannot
// pass for anything else.
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
		return head + "\nIt waits for the user's answer to a question that was sent to them. You will get the result later; never invent it."
	default:
		return head + "\nStill at work. You will get the result later. Do not wait for it, and never invent it."
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

// Age formats a duration: "2 min".
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

// Title shortens text to one line of at most 60 characters, at a word boundary if possible.
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

// Report marks the text of an agent for another agent, from its beginning to its end.
func (n Nonce) Report(text string) string { return n.Block("report", reportEscaper.Replace(text)) }

var reportMarks = regexp.MustCompile(`\[task t-[^\]]*\]\s*|</?report>\s*`)

// WithoutReportMarks returns an unmarked text without what [Task.Report] writes around reports.
func WithoutReportMarks(text string) string { return reportMarks.ReplaceAllString(text, "") }

// Cut shortens s to n characters. A shortened text ends with "…".
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// A Briefing accompanies a task that a person, or a program for them, gave beside a conversation:
// who asks, and messages of that conversation.
type Briefing struct {
	By     string      `json:"by,omitempty"`
	With   AgentName   `json:"with,omitempty"` // the agent that led the conversation; empty: a program did
	Choice BriefingWay `json:"choice"`
	Of     int         `json:"of"`             // the number of messages in the conversation
	Open   bool        `json:"open,omitempty"` // others read the conversation
	// Messages accompany the task, the oldest first.
	Messages []BriefingMessage `json:"messages,omitempty"`
	// Own are the last messages of the agent's own chat with the person, if it will answer there.
	Own []BriefingMessage `json:"own,omitempty"`
}

// A BriefingWay is how the messages of a Briefing were selected.
type BriefingWay string

const (
	BriefingLast    BriefingWay = "last"    // the last ones of the conversation
	BriefingRanked  BriefingWay = "ranked"  // by full-text rank for the task
	BriefingGiven   BriefingWay = "given"   // the last ones of those that a program supplied
	BriefingMissing BriefingWay = "missing" // none, because they could not be read
)

// A BriefingMessage is a message of a Briefing. Who is empty if Text names the speaker, as in
// shared conversations.
type BriefingMessage struct {
	Who  string `json:"who,omitempty"`
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty" description:"number of characters cut from the end of text"`
}

// A LateKind is the kind of a peer's answer after the sub-agent here has ended: timed out,
// canceled, or killed with its caller.
type LateKind string

const (
	LateResult        LateKind = "result"
	LateStatus        LateKind = "status" // still working; reports its progress
	LateError         LateKind = "error"
	LateInputRequired LateKind = "input-required" // it asks a question or needs a login
)

// State returns the final state of the late answer's task row. It is failed if the peer has failed,
// or waits for an answer that it can no longer get.
func (k LateKind) State() TaskState {
	if k == LateError || k == LateInputRequired {
		return Failed
	}
	return Completed
}

// LateKind returns the kind of p as a late answer; empty: nothing to report.
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

// MemoryKey returns the key of t in the working memory of agents, after the prefix.
func (t *Task) MemoryKey() string {
	if t.Late == "" {
		return string(t.ID)
	}
	return "a2a/" + string(t.LateTask()) + "/" + string(t.Late)
}

// LateTask returns the task that t is a late answer to and that the person has seen.
func (t *Task) LateTask() TaskID {
	id, _, _ := t.LateFor.Task()
	return cmp.Or(id, t.LateOf)
}

// LateText returns the text of a late answer; empty: it was lost.
func (t *Task) LateText() string {
	if t.State == Completed {
		return t.Result
	}
	return t.Error
}

func (t *Task) lateReport(n Nonce) string {
	arrived := "a late " + string(t.Late) + " arrived from " + t.AgentList() + " for your completed sub-agent " + string(t.LateFor) +
		". Tell the user that it came late, from which agent and for which task. It is stored as notifications/" + t.MemoryKey()
	if t.Late == LateInputRequired {
		arrived += ". It can no longer be answered there: what it asks for needs a new task"
	}
	if t.LateText() == "" {
		return n.Mark(arrived) + "\n" + n.Mark("its text is lost. Tell the user that a late "+string(t.Late)+" from "+t.AgentList()+" arrived and is lost")
	}
	return n.Mark(arrived) + "\n" + n.Report(t.LateText())
}

// A Reason is a code for why errand itself ended a task. People read it in their language (key
// "reason." and the code in package texts), models and programs as [Reason.Text]. Empty: the words
// come from a person, an agent, or an error of a model.
type Reason string

// The texts of reasons are stored in histories and rows, so they must never change.
const (
	ReasonTerminated         Reason = "terminated"           // its workflow was terminated in Temporal
	ReasonEndedOutside       Reason = "ended_outside"        // its workflow was ended, but not by errand
	ReasonBroken             Reason = "broken"               // an error in errand itself
	ReasonCanceled           Reason = "canceled"             // no reason was given
	ReasonCanceledInTemporal Reason = "canceled_in_temporal" // in Temporal's Web UI or command line
	ReasonStopped            Reason = "stopped"              // /stop
	ReasonAbove              Reason = "above"                // its caller ended
	ReasonDeleted            Reason = "deleted"              // its session was deleted
	ReasonNoReport           Reason = "no_report"            // its agent left no report
	ReasonUnknownPolicy      Reason = "unknown_policy"       // from a newer version
	ReasonUnknownKind        Reason = "unknown_kind"
)

func Reasons() []Reason {
	return []Reason{ReasonTerminated, ReasonEndedOutside, ReasonBroken, ReasonCanceled, ReasonCanceledInTemporal, ReasonStopped,
		ReasonAbove, ReasonDeleted, ReasonNoReport, ReasonUnknownPolicy, ReasonUnknownKind}
}

// Text returns the reason for models and programs.
func (r Reason) Text() string {
	switch r {
	case ReasonTerminated:
		return "its workflow was terminated"
	case ReasonEndedOutside:
		return "its workflow was ended from outside"
	case ReasonBroken:
		return "it broke off: an error of errand itself; the Temporal Web UI shows it"
	case ReasonCanceled:
		return "canceled"
	case ReasonCanceledInTemporal:
		return "canceled from the Temporal Web UI or command line"
	case ReasonStopped:
		return "stopped by the user"
	case ReasonAbove:
		return "the task above it ended"
	case ReasonDeleted:
		return "its session was deleted"
	case ReasonNoReport:
		return "(no report)"
	case ReasonUnknownPolicy:
		return "this version of errand does not know the policy"
	case ReasonUnknownKind:
		return "this version of errand does not know the kind"
	}
	return ""
}

// ReasonOf returns the reason with this text; empty: the text is not errand's own.
func ReasonOf(text string) Reason {
	if text == "" {
		return ""
	}
	if text == "stopped" { // the text of /stop, too
		return ReasonStopped
	}
	for _, r := range Reasons() {
		if more, is := strings.CutPrefix(text, r.Text()); is && (more == "" || r.detail() != "" && strings.HasPrefix(more, r.detail())) {
			return r
		}
	}
	return ""
}

// detail returns what separates a reason's text from its detail; empty: it has no detail.
func (r Reason) detail() string {
	switch r {
	case ReasonAbove: // followed by why the caller ended
		return ": "
	case ReasonUnknownPolicy, ReasonUnknownKind: // followed by its name
		return ` "`
	}
	return ""
}
