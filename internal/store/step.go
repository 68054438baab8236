package store

import (
	"time"

	"errand/internal/core"
)

// An Amount is what a budget counts.
type Amount struct {
	Calls  int
	Tokens int
	Cost   float64 // USD
	Cached int     // how many of Tokens providers read from their caches; no budget limits them
}

// Limits bound every tree of tasks and every person's day. A zero field does not limit.
type Limits struct {
	Turn      Amount // one root (a turn, an API call or a reminder) with all its tasks
	PersonDay Amount // one person, one UTC day
	Files     FileLimits
	OpenTasks int // per person; 0: no limit
	// Workspaces limits the size of all files with their versions.
	Workspaces WorkspaceLimits
}

// WorkspaceLimits are sizes in bytes; a zero field does not limit.
type WorkspaceLimits struct {
	Person int64 // files that one person and their agents wrote
	All    int64
}

// MaxClaimed is how many results one step takes at most. The next step takes more.
const MaxClaimed = 50

// StoppedTurn is the reason of a turn that a person stopped. Only a turn closed for another
// reason is followed by a turn that answers its messages.
const StoppedTurn = "stopped"

// ResetTurn is the reason of a turn that ended with its session. No other turn answers it.
const ResetTurn = "reset"

// A BeginStep is the input of [Store.BeginStep].
type BeginStep struct {
	Key             core.StepKey
	Session         core.SessionKey // the session of the turn; empty for a sub-agent
	Rows            Claim           // which rows of Session's inbox to take
	NeedTranscripts bool            // fail with ErrUntranscribed if a voice note has no transcript
	Results         bool            // take outcomes of tasks that were not reported yet
	Window          int             // the most messages to begin with; 0: all since the summary
	// Leaders are the agents that may lead a session, by the role of its person; nil: the
	// session keeps its agent, and no message answers a proposal.
	Leaders map[core.Role]Leaders
	// Decisions and Consents answer earlier *[UndecidedError]s.
	Decisions []LeadDecision
	Consents  []Consent
	// Primary is the agent whose prompt shows its memory.
	Primary core.AgentName
	// Approved makes the step run calls that were approved after their turn had ended, instead
	// of a model call.
	Approved bool
	Reserve  Reserve // for the model call; always one call
}

// A StepInput is the result of [Store.BeginStep]. At most one of Done and Empty is set; if
// neither is, the caller calls the model.
type StepInput struct {
	Done  *StepResult // the outcome that an earlier attempt of this step committed
	Empty *StepResult // there was nothing to take; Outbox has the notifications that were made

	Key           core.StepKey
	Session       core.SessionID  // of the chat; for a sub-agent, of its task's origin
	SessionKey    core.SessionKey // empty if there is no chat
	Route         core.Route
	Group         bool       // other people read that chat
	Nonce         core.Nonce // marks errand's text in Transcript and in the rest of the prompt
	Person        core.PersonID
	Role          core.Role      // the lesser of the person's roles at the request and now
	Language      string         // of the person; empty: unknown
	TimeZone      string         // of the person, an IANA name; empty: the installation's
	Agent         core.AgentName // the agent that runs the step
	TakenOverFrom core.AgentName // the agent before Agent, if Agent took over just now; empty: none
	TakeoverCause string
	DeclinedAgent core.AgentName // the agent that the person declined just now; empty: none
	Task          *core.Task     // the sub-agent's task; nil for a session
	VerdictAsked  bool           // the agent was asked again for its verdict, or has given one
	Cause         Cause
	Root          string    // key of the budget of the whole tree
	ReplyTo       string    // the platform's id of the turn's last message
	Began         time.Time // when the turn began

	Attempts     Attempts             // at the model call
	HasResults   bool                 // the turn has to tell results, and an attempt has failed
	Pending      core.PendingResponse // an answer that an earlier attempt has left at a provider
	PromptTokens int                  // estimated, of the prompt of the model call

	Summary    string          // of the messages before Transcript
	Transcript []core.Message  // in order, including this turn's messages
	Older      int             // messages since the summary that Window left out; at most Window
	Pictures   []PromptPicture // of Transcript, in order
	OpenTasks  []core.Task     // of this session or sub-agent, oldest first
	Questions  []core.Question // open questions in the chat of this session, oldest first
	Plan       core.Plan       // the plan of Agent; no items: none
	Notes      []string        // keys of the agent's notes about the person, for BeginStep.Primary
	Unread     []core.Task

	Client *core.ClientTools // tools of the program that sent the turn's message; nil: none

	// Registered are the person's registered agents that Agent may delegate to. The caller sets
	// them.
	Registered []core.RegisteredAgent

	asked   bool // a question is open in the chat of the session
	claims  int
	left    bool
	taken   []int64
	notices bool // the step announced something in the chat besides the reply
}

// A Cause is why a turn runs.
type Cause string

// The causes of turns.
const (
	CauseMessage  Cause = "message"  // a person wrote
	CauseReminder Cause = "reminder" // a reminder is due; no person wrote
	CauseResults  Cause = "results"  // only late results
	CauseTask     Cause = "task"     // a sub-agent's task
)

// A CommitStep is the input of [Store.CommitStep].
type CommitStep struct {
	Step      *StepInput
	Text      string              // the model's text
	Calls     []core.ToolCall     // the model's calls; none: Text is the turn's reply
	Planned   []PlannedCall       // one per call, in order; the store sets Task
	Tasks     map[int]NewTask     // by the call's index, for each ByDelegation
	Questions map[int]NewQuestion // by the call's index, for each ByQuestion
	Approvals map[int]NewApproval // by the call's index, for each ByApproval
	// Ask is the question that the reply of a session's turn is; nil: it asks nothing.
	Ask    *NewQuestion
	Errors map[int]string // by the call's index, for each ByNobody: the error for the model
	// State is the provider's state for the next request; nil: none.
	State  *core.ProviderState
	Failed bool // Text is errand's explanation of why there is no reply
	// EndsEarly is why Text is incomplete: [core.CutOff] or [core.Withheld].
	EndsEarly string
	// Rejected, with Failed, means that a sub-agent's work was refused before it began.
	Rejected bool
	Usage    []core.Usage // of every model call of this step

	// Verdict and Confidence come with the final reply of an agent that has to decide; Text is
	// its reasoning.
	Verdict    core.Verdict
	Confidence float64
	// VerdictAsked means that the agent is asked again for its verdict, by AskAgain or by the
	// result of its call.
	VerdictAsked bool
	// AskAgain is the text that asks the agent to answer again; another step follows. Empty:
	// the reply counts.
	AskAgain string

	Role     core.Role      // the rights of the agent; tasks that it delegates get them
	HandOver *HandOver      // of the one call of kind ByHandover
	Propose  core.AgentName // the agent to which the reply proposes to hand the session over
	Options  []string       // the answers that the reply offers
	StickFor time.Duration  // how long the session keeps its agent after this reply; 0: no limit
}

// A HandOver puts another agent in charge of a session.
type HandOver struct {
	To       core.AgentName
	Notice   string        // for the person
	Result   string        // the result of the call, which the next agent reads
	StickFor time.Duration // as in CommitStep
}

// A NewTask is a task that a tool call requests.
type NewTask struct {
	Agents []core.AgentName
	Text   string
	Waits  bool
	// Briefing goes with a task that a person requested by /team. Request is the key of the
	// mention, which makes one task; empty: none.
	Briefing *core.Briefing
	Request  string
	A2A      *A2AMessage // the A2A message that requests the task; nil: none
	Policy   core.Policy // how verdicts are counted; empty: the agents report instead
	// Deadline is the time after which the task ends with the verdicts it has; 0: never.
	Deadline time.Duration
	// Then follows a yes, Else any other decision; nil: nothing.
	Then, Else *core.Branch
	// Follows is the decision that a repeated task follows; empty: none.
	Follows core.TaskID
	// Webhook is called at the end; empty: none. Replay identifies a repeated request, which
	// returns the same task.
	Webhook string
	Replay  *Replay
}

func (b *StepInput) origin() core.Origin {
	return core.Origin{Person: b.Person, SessionKey: b.SessionKey, Group: b.Group}
}
