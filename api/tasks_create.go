package api

import (
	"net/http"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Context names a conversation in errand whose last messages go with a task.
type Context struct {
	Session string `json:"session" required:"true" description:"its id, or the unique beginning of it"`
	N       int    `json:"n" description:"how many of its last messages; 10 by default, at most 20"`
}

// Expect is the kind of outcome that the agents of a task have to give.
type Expect string

const (
	ExpectReport   Expect = "report"
	ExpectDecision Expect = "decision" // each gives its verdict
)

// A NewTask describes a task to create. A task with a procedure has no agents and none of the
// fields from Expect on: the procedure defines them.
type NewTask struct {
	Agent     string           `json:"agent,omitempty" description:"one agent, or several with commas"`
	Agents    []core.AgentName `json:"agents,omitempty"`
	Text      string           `json:"text" required:"true" description:"what is to be done; with a procedure, what is said to it"`
	Procedure string           `json:"procedure,omitempty" description:"one that errand.yaml names: it says who is asked, for what, and what follows"`
	Chat      string           `json:"chat,omitempty" description:"where the result is told, by its name on the page; nowhere when left out"`
	DeliverTo string           `json:"deliver_to,omitempty" description:"where it is told instead: a chat of yours on any channel, as telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has an account of its own, or a session id"`
	Context   *Context         `json:"context,omitempty" description:"a conversation of yours whose last messages the task needs"`
	Expect    Expect           `json:"expect,omitempty" enum:"report,decision" description:"decision: each agent gives its verdict, YES, NO or ABSTAIN, and the policy says what they come to"`
	Policy    string           `json:"policy,omitempty" description:"of a decision: all, any, majority (the default) or quorum:3, and behind it weights:finn=2, veto:priest, rest:finish"`
	Deadline  int              `json:"deadline,omitempty" description:"seconds after which it ends with what is there; never when left out"`
	Then      *core.Branch     `json:"then,omitempty" description:"the task that follows a yes"`
	Else      *core.Branch     `json:"else,omitempty" description:"the task that follows any other answer"`
}

type CreateTaskInput struct {
	Body  NewTask
	Route core.Route `wire:"-"` // where the result goes, instead of Chat; without a chat: nowhere
	// Messages are from a conversation outside errand, the oldest first. The task gets the last 20,
	// each cut to a readable length. With Context there are none.
	Messages []core.BriefingMessage `wire:"-"`
	Callback string                 `wire:"-"` // the URL to call when the task ends; empty: none
	// Key makes the request idempotent: repeated with the same Key and Hash, it returns the same
	// task. Hash is of the request. Empty: each request is new.
	Key  string `wire:"-"`
	Hash string `wire:"-"`
}

var CreateTask = Op[CreateTaskInput, Task]{
	Name: "createTask", Needs: rights.TasksDelegate, Also: []string{rights.SessionsRead},
	Route: "POST /api/tasks", Status: http.StatusCreated, Rate: RateMessage,
	About: "Give a task to agents", Answer: "the task",
}

type CancelTasksInput struct {
	Person core.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
	Body   struct {
		IDs    []string `json:"ids" required:"true" description:"the ids of tasks, or their unique beginnings; at most 100"`
		Reason string   `json:"reason"`
	}
}

// A BulkTask is the result for one of several tasks.
type BulkTask struct {
	ID    string        `json:"id" description:"as it was asked for"`
	Task  *Task         `json:"task,omitempty" description:"the task as it is now; of a retry, the new one"`
	Error *ProblemError `json:"error,omitempty" description:"why nothing was done with this one"`
}

var CancelTasks = Op[CancelTasksInput, []BulkTask]{
	Name: "cancelTasks", Needs: rights.TasksCancel, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/cancel", Deeds: []core.Deed{core.DeedTaskCancel},
	About: "Cancel several tasks and everything that they delegated. This cannot be undone", Answer: "one result for each id, in the order of the ids",
}

type RetryTasksInput struct {
	Person core.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
	Body   struct {
		IDs []string `json:"ids" required:"true" description:"the ids of tasks, or their unique beginnings; at most 100"`
	}
}

// RetryTasks counts the first task with the request, and its function counts each further one: a
// bulk call must not bypass the rate limit.
var RetryTasks = Op[RetryTasksInput, []BulkTask]{
	Name: "retryTasks", Needs: rights.TasksRetry, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/retry", Rate: RateMessage,
	About: "Run several tasks that have ended again, as new tasks; each counts as a message for the rate limit", Answer: "one result for each id, in the order of the ids",
}
