package api

import (
	"net/http"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Context names a conversation in errand whose last messages go with a task.
type Context struct {
	Session string `json:"session" required:"true" description:"id of the session, or the unique beginning of it"`
	N       int    `json:"n" description:"number of its last messages; default 10, at most 20"`
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
	Agent     string           `json:"agent,omitempty" description:"one agent, or several separated by commas"`
	Agents    []core.AgentName `json:"agents,omitempty"`
	Text      string           `json:"text" required:"true" description:"the task for the agents; with a procedure, its {text}"`
	Procedure string           `json:"procedure,omitempty" description:"a procedure of errand.yaml; it defines the agents, the task and the follow-up"`
	Chat      string           `json:"chat,omitempty" description:"name of the chat on the page that gets the result; omitted: none"`
	DeliverTo string           `json:"deliver_to,omitempty" description:"instead of chat, one of your chats on any channel: telegram/finn (your private chat on that account), telegram, telegram/finn/42, the name of an agent that has its own account, or a session id"`
	Context   *Context         `json:"context,omitempty" description:"one of your conversations; the task gets its last messages"`
	Expect    Expect           `json:"expect,omitempty" enum:"report,decision" description:"decision: each agent answers YES, NO or ABSTAIN, and the policy counts the verdicts"`
	Policy    string           `json:"policy,omitempty" description:"for a decision: all, any, majority (default) or quorum:3, optionally followed by weights:finn=2, veto:priest, rest:finish"`
	Deadline  int              `json:"deadline,omitempty" description:"seconds after which the task ends with what it has; omitted: no deadline"`
	Then      *core.Branch     `json:"then,omitempty" description:"the task that follows a YES"`
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
	Person core.PersonID `query:"person" description:"id of the person whose tasks they are, for a master_admin; * for any person"`
	Body   struct {
		IDs    []string `json:"ids" required:"true" description:"the ids of tasks, or their unique beginnings; at most 100"`
		Reason string   `json:"reason"`
	}
}

// A BulkTask is the result for one of several tasks.
type BulkTask struct {
	ID    string        `json:"id" description:"as in the request"`
	Task  *Task         `json:"task,omitempty" description:"the task as it is now; after a retry, the new task"`
	Error *ProblemError `json:"error,omitempty" description:"why nothing was done for this id"`
}

var CancelTasks = Op[CancelTasksInput, []BulkTask]{
	Name: "cancelTasks", Needs: rights.TasksCancel, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/cancel", Deeds: []core.Deed{core.DeedTaskCancel},
	About: "Cancel several tasks and everything that they delegated. This cannot be undone", Answer: "one result for each id, in the order of the ids",
}

type RetryTasksInput struct {
	Person core.PersonID `query:"person" description:"id of the person whose tasks they are, for a master_admin; * for any person"`
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
