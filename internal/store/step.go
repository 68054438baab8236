package store

import (
	"time"

	"errand"
)

// An Amount is what a budget counts.
type Amount struct {
	Calls  int
	Tokens int
	Cost   float64 // USD
	Cached int     // of Tokens: those that providers had in their caches. No budget limits them
}

// Limits bound every tree of work and every person's day; a zero field does not
// limit.
type Limits struct {
	Turn      Amount // one root (a turn, an API call, a reminder) with all its tasks
	PersonDay Amount // one person, one UTC day
	Files     FileLimits
	OpenTasks int // of one person; 0: no limit
	// Workspaces is the size of all files with their versions, in bytes.
	Workspaces WorkspaceLimits
}

// WorkspaceLimits are sizes in bytes; a zero field does not limit.
type WorkspaceLimits struct {
	Person int64 // of what one person and their agents wrote
	All    int64
}

// MaxClaimed is how many results one step takes at most. A step that took so many
// may have left some.
const MaxClaimed = 50

// StoppedTurn is the reason of a turn that a person stopped: the log says so. A
// turn that was closed for another reason is followed by one that answers.
const StoppedTurn = "stopped"

// ResetTurn is the reason of a turn that ended with its session: no other turn
// answers it, and the log says so.
const ResetTurn = "reset"

// A BeginStep asks for the first of a step's two transactions.
type BeginStep struct {
	Key             errand.StepKey
	Session         errand.SessionKey // whose turn it is; empty for a sub-agent's
	Rows            Claim             // of Session's inbox
	NeedTranscripts bool              // fail with ErrUntranscribed, and take nothing, if there is something to write down; else that is left
	Results         bool              // take outcomes of tasks that nobody has been told yet
	Window          int               // begin with at most so many of the latest messages; 0: all since the summary
	// Leaders are the agents that a session may stay with, by the role of its person;
	// nil: it stays with the one it is with, and no message answers a question.
	Leaders map[errand.Role]Leaders
	// Decisions and Consents are what an *[UndecidedError] has asked for.
	Decisions []LeadDecision
	Consents  []Consent
	// Primary is the agent whose prompt shows what is in its memory.
	Primary errand.AgentName
	// Approved has the step run calls that were approved after their turn had stopped
	// waiting for that, in place of a model call.
	Approved bool
	Reserve  Reserve // for the model call; one call in any case
}

// A StepInput is what the first transaction found. Exactly one of Done and Empty may
// be set; otherwise the model is to be called.
type StepInput struct {
	Done  *StepResult // this step has an outcome already: an earlier attempt's
	Empty *StepResult // nothing was there to be claimed; Outbox names the notifications that were made

	Key           errand.StepKey
	Session       errand.SessionID  // of the chat it belongs to; of the origin for a sub-agent
	SessionKey    errand.SessionKey // likewise; empty where there is no chat
	Route         errand.Route
	Group         bool         // others read that chat
	Nonce         errand.Nonce // of Transcript, and of what else the prompt says
	Person        errand.PersonID
	Role          errand.Role      // the lesser of the person's when it was asked for and now
	Language      string           // of the person; empty: not known
	TimeZone      string           // likewise, an IANA name; empty: the installation's
	Agent         errand.AgentName // who thinks
	TakenOverFrom errand.AgentName // from whom Agent took the session over just now; empty: from nobody
	TakeoverCause string           // then the LeadDecision's
	DeclinedAgent errand.AgentName // to whom the person has just declined to be handed over; empty: to nobody
	Task          *errand.Task     // the sub-agent's own task; nil for a session
	VerdictAsked  bool             // it has been asked a second time for its verdict on Task, or has given one
	Cause         Cause
	Root          string    // key of the budget of the whole tree
	ReplyTo       string    // platform's id of the last message of the turn
	Began         time.Time // when the turn did

	Attempts     Attempts               // at its model call
	Pending      errand.PendingResponse // what an attempt before this one has left at a provider
	PromptTokens int                    // estimated, of the prompt of that call

	Summary    string            // of what came before Transcript
	Transcript []errand.Message  // in order, this turn's messages included
	Older      int               // messages since the summary that Window left out; counted up to as many as Window
	Pictures   []PromptPicture   // of Transcript, in order
	OpenTasks  []errand.Task     // of this session or sub-agent, oldest first
	Questions  []errand.Question // that wait for an answer in the chat of this session, oldest first
	Plan       errand.Plan       // what is to be done here, as an agent wrote it; without items: nothing
	Notes      []string          // keys of the agent's notes about the person, where it is BeginStep.Primary
	Unread     []errand.Task     // results that were told without it and that it has not looked at; likewise

	Client *errand.ClientTools // what the program offers that the turn answers; nil: nothing

	// Registered are the agents that the person has registered, where Agent may send them on
	// tasks. The store leaves it to its caller to read them: they are no part of the step.
	Registered []RegisteredAgent

	asked   bool    // a question waits for an answer in the chat of the session
	claims  int     // for the StepResult
	left    bool    // likewise
	taken   []int64 // likewise
	notices bool    // the chat was told something beside the reply
}

// A Cause is what a turn was run for.
type Cause string

// The causes.
const (
	CauseMessage  Cause = "message"  // a person wrote
	CauseReminder Cause = "reminder" // the time of a reminder has come, and nobody wrote
	CauseResults  Cause = "results"  // late results only
	CauseTask     Cause = "task"     // a sub-agent's task
)

// A CommitStep asks for the second of a step's two transactions.
type CommitStep struct {
	Step      *StepInput
	Text      string              // what the model said
	Calls     []errand.ToolCall   // what it asks for; none: Text is the turn's reply
	Planned   []PlannedCall       // one for each call, in order; Task is filled in by the store
	Tasks     map[int]NewTask     // by the call's index, for each ByDelegation
	Questions map[int]NewQuestion // by the call's index, for each ByQuestion
	Approvals map[int]NewApproval // by the call's index, for each ByApproval
	// Ask is the question that the reply of a session's turn is; nil: it asks nothing.
	Ask    *NewQuestion
	Errors map[int]string // by the call's index, for each ByNobody: what the model is told
	// State is what the provider of the answer wants back with the next request; nil: nothing.
	State  *errand.ProviderState
	Failed bool // Text says, in errand's words, why there is no reply
	// EndsEarly is why Text is not whole: [errand.CutOff] or [errand.Withheld].
	EndsEarly string
	// Rejected, with Failed, of a sub-agent: its work was refused before it began.
	Rejected bool
	Usage    []errand.Usage // of every model call made for this step

	// Verdict and Confidence are, with the turn's reply, those of an agent that decides
	// something with others; Text is its reasoning.
	Verdict    errand.Verdict
	Confidence float64
	// VerdictAsked says that the agent is asked once more for its verdict: by AskAgain, if
	// that is not empty, and else by what its call is answered with.
	VerdictAsked bool
	// AskAgain is what the agent is told whose reply is not to be told as it is: another
	// step follows. Empty: nothing is wrong with it.
	AskAgain string

	Role     errand.Role      // what the agent may do with; tasks it delegates get it
	HandOver *HandOver        // of the one call of kind ByHandover
	Propose  errand.AgentName // the reply asks whether to hand the session over to it
	Options  []string         // what the reply offers as answers
	StickFor time.Duration    // the session stays with its agent for so long after this reply; 0: it is the primary, or stays
}

// A HandOver puts another agent in charge of a session.
type HandOver struct {
	To       errand.AgentName
	Notice   string        // what the person reads
	Result   string        // what the call is answered with: the next agent reads it
	StickFor time.Duration // as in CommitStep
}

// A NewTask is a task that a tool call asks for.
type NewTask struct {
	Agents []errand.AgentName
	Text   string
	Waits  bool
	// Briefing is what goes with a task that a person gave by /team. Request names the
	// mention that asks for it: for one there is one task. Empty: nothing does.
	Briefing *errand.Briefing
	Request  string
	A2A      *A2AMessage   // that asks for it, likewise; nil: none does
	Policy   errand.Policy // says what its agents' verdicts come to; empty: they report
	// Deadline is after what time it ends with what is there; 0: never.
	Deadline time.Duration
	// Then follows a yes, Else any other answer; nil: nothing does.
	Then, Else *errand.Branch
	// Follows is the decision that it follows, where it is made again; empty: none.
	Follows errand.TaskID
	// Webhook is where a program is told of its end; empty: nowhere. Replay makes the same
	// request the same task; nil: none is.
	Webhook string
	Replay  *Replay
}

func (b *StepInput) origin() errand.Origin {
	return errand.Origin{Person: b.Person, SessionKey: b.SessionKey, Group: b.Group}
}
