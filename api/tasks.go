package api

import (
	"net/http"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Task is a task as people and programs read it.
type Task struct {
	core.Task
	Agent string `json:"agent"`
	Depth int    `json:"depth"`

	Level   *int            `json:"level,omitempty" description:"of a list of trees: how many delegations below the first of its tree it is"`
	Branch  *core.BranchSum `json:"branch,omitempty" description:"likewise: it and all below it, with what they have used"`
	Matches *bool           `json:"matches,omitempty" description:"likewise: it was looked for; the others are there because they belong to its tree"`

	// Readers are the agents that will read what [SteerTask] added. Only SteerTask sets it.
	Readers []core.AgentName `json:"-"`
}

// TaskID is part of inputs with a task in the path.
type TaskID struct {
	ID string `path:"id" id:"task" description:"task id, or its unique beginning"`
}

// A TaskFilter selects tasks. A zero field excludes none, but Person defaults to the caller.
type TaskFilter struct {
	Chat    string         `query:"chat" description:"of one chat"`
	Agent   core.AgentName `query:"agent" description:"of which this is an agent"`
	Text    string         `query:"q" maxLength:"200" description:"in which this stands, in any case: in what is to be done, in what became of it, or in the id"`
	Session string         `query:"session" maxLength:"60" description:"of the conversation that this session, by its id or its unique beginning, is of"`
	Since   DateOrTime     `query:"since" description:"begun at this time or date, or later"`
	Before  DateOrTime     `query:"before" description:"begun before this time"`
	Person
	// Here selects all tasks of a conversation, of all its people, even if the result goes to
	// another chat. Only commands set it.
	Here core.SessionKey `wire:"-"`
}

type ListTasksInput struct {
	TaskFilter
	State []core.TaskState `query:"state" description:"one state, or several with commas; may be repeated"`
	Limit int              `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
	After
	Tree bool `query:"tree" description:"true: whole trees, each task below the one that delegated it, with level, branch and matches; long texts are cut, GET /api/tasks/{id} has all of them"`
}

var ListTasks = Op[ListTasksInput, List[Task]]{
	Name: "listTasks", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/tasks",
	About: "List tasks, newest first", Answer: "tasks",
}

// TaskCounts has the number of tasks in each state.
type TaskCounts struct {
	Total  int         `json:"total"`
	States TaskNumbers `json:"states"`
}

type TaskNumbers struct {
	Submitted     int `json:"submitted"`
	Working       int `json:"working"`
	InputRequired int `json:"input_required"`
	Completed     int `json:"completed"`
	Failed        int `json:"failed"`
	Canceled      int `json:"canceled"`
	Rejected      int `json:"rejected"`
}

var CountTasks = Op[TaskFilter, TaskCounts]{
	Name: "countTasks", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/tasks/counts",
	About: "Count the tasks in each state",
}

type GetTaskInput struct {
	TaskID
	Person
	Wait int `query:"wait" maximum:"40" description:"answer when the task has ended, or after so many seconds"`

	Session core.SessionKey      `wire:"-"` // set by commands: finds only tasks of this conversation
	AtMost  time.Duration        `wire:"-"` // replaces Wait
	Until   func(core.Task) bool `wire:"-"` // ends the wait; nil: when the task has ended
}

var GetTask = Op[GetTaskInput, Task]{
	Name: "getTask", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/tasks/{id}", Waits: true,
	About: "Get a task", Answer: "the task",
}

// An AgentTranscript has the messages of one agent of a task, including its tool calls.
type AgentTranscript struct {
	Agent    core.AgentName `json:"agent"`
	Messages []core.Message `json:"messages" description:"the latest 200, the oldest first; none of an agent that works in another system"`
}

type TranscriptInput struct {
	ID string `wire:"-"` // of one of the actor's own tasks, or its unique beginning
}

var GetTaskTranscript = Op[TranscriptInput, []AgentTranscript]{
	Name: "getTaskTranscript", Needs: rights.TasksRead,
	About: "Get the transcripts of a task's agents",
}

// A TaskRef names a task: by id, among the tasks of a person or of a conversation.
type TaskRef struct {
	TaskID
	Person core.PersonID `query:"person" description:"whose, for a master_admin: another's id, or * for anybody's"`
	// Session limits the search to the conversation that the actor writes in. Only commands set it.
	Session core.SessionKey `wire:"-"`
}

type CancelTaskInput struct {
	TaskRef
	Body struct {
		Reason string `json:"reason"`
	}
}

var CancelTask = Op[CancelTaskInput, Task]{
	Name: "cancelTask", Needs: rights.TasksCancel, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/{id}/cancel", Deeds: []core.Deed{core.DeedTaskCancel},
	About: "Cancel a task and everything that it delegated. This cannot be undone", Answer: "the task",
}

var RetryTask = Op[TaskRef, Task]{
	Name: "retryTask", Needs: rights.TasksRetry, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/{id}/retry", Rate: RateMessage,
	About: "Run a task that has ended again, as a new task", Answer: "the new task",
}

type SteerTaskInput struct {
	TaskRef
	Key  string `wire:"-"` // messages with the same key are one; empty: each is new
	Body struct {
		Text string `json:"text" required:"true"`
	}
}

var SteerTask = Op[SteerTaskInput, Task]{
	Name: "steerTask", Needs: rights.TasksSteer, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/{id}/steer", Rate: RateMessage,
	About: "Add text to a running task; its agents read it before their next step", Answer: "the task",
}

type ContinueTaskInput struct {
	TaskRef
	Key     string     `wire:"-"` // messages with the same key are one; empty: each is new
	Route   core.Route `wire:"-"` // where the result goes, instead of Chat; without a chat: nowhere
	Group   bool       `wire:"-"` // others read that chat
	ReplyTo string     `wire:"-"` // id of the message that asks for it
	Body    struct {
		Text string `json:"text" required:"true"`
		Chat string `json:"chat" description:"where the result is told; nowhere when left out"`
	}
}

var ContinueTask = Op[ContinueTaskInput, Task]{
	Name: "continueTask", Needs: rights.TasksSteer, Also: []string{rights.TasksRead, rights.OthersRead, rights.OthersChange},
	Route: "POST /api/tasks/{id}/continue", Status: http.StatusCreated, Rate: RateMessage,
	About: "Create a task that continues one that has ended", Answer: "the new task",
}

// A ToolTaskInput names a task for a tool of an agent.
type ToolTaskInput struct {
	ID     core.TaskID `wire:"-"`
	Reason string      `wire:"-"`
}

// CancelTaskByTool carries out the tool kill_async_agent for a person.
var CancelTaskByTool = Op[ToolTaskInput, core.Task]{
	Name: "cancelTaskByTool", Needs: rights.TasksCancel, Tool: true, Deeds: []core.Deed{core.DeedTaskCancel},
	About: "Cancel a task of the conversation",
}

// A SteerTaskByToolInput is a message of an agent to a task.
type SteerTaskByToolInput struct {
	ID   core.TaskID `wire:"-"`
	Key  string      `wire:"-"` // of the tool call; a repeated call adds nothing
	Text string      `wire:"-"`
}

// SteerTaskByTool carries out the tool steer_task for a person.
var SteerTaskByTool = Op[SteerTaskByToolInput, core.Task]{
	Name: "steerTaskByTool", Needs: rights.TasksSteer, Tool: true,
	About: "Add text to a running task of the conversation",
}
