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

	Level   *int            `json:"level,omitempty" description:"in a list of trees: depth below the root of the tree"`
	Branch  *core.BranchSum `json:"branch,omitempty" description:"in a list of trees: totals of the task and all tasks below it"`
	Matches *bool           `json:"matches,omitempty" description:"in a list of trees: true if the task itself matches the filter; other tasks of the tree are listed too"`

	// Readers are the agents that will read what [SteerTask] added. Only SteerTask sets it.
	Readers []core.AgentName `json:"-"`
}

// TaskID is part of inputs with a task in the path.
type TaskID struct {
	ID string `path:"id" id:"task" description:"task id, or its unique beginning"`
}

// A TaskFilter selects tasks. A zero field excludes none, but Person defaults to the caller.
type TaskFilter struct {
	Chat    string         `query:"chat" description:"only tasks of this chat"`
	Agent   core.AgentName `query:"agent" description:"only tasks of this agent"`
	Text    string         `query:"q" maxLength:"200" description:"only tasks with this text in the task, the outcome or the id; case-insensitive"`
	Session string         `query:"session" maxLength:"60" description:"only tasks of the conversation with this session: its id, or the unique beginning of it"`
	Since   DateOrTime     `query:"since" description:"only tasks created at this time or date or later"`
	Before  DateOrTime     `query:"before" description:"only tasks created before this time"`
	Person
	// Here selects all tasks of a conversation, of all its people, even if the result goes to
	// another chat. Only commands set it.
	Here core.SessionKey `wire:"-"`
}

type ListTasksInput struct {
	TaskFilter
	State []core.TaskState `query:"state" description:"one state, or several separated by commas; may be repeated"`
	Limit int              `query:"limit" default:"100" maximum:"1000" description:"maximum number of tasks, default 100"`
	After
	Tree bool `query:"tree" description:"true: list whole trees, each task below the one that delegated it, with level, branch and matches. Long texts are cut; GET /api/tasks/{id} has the complete text"`
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
	Wait int `query:"wait" maximum:"40" description:"wait up to this many seconds for the end of the task"`

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
	Messages []core.Message `json:"messages" description:"the latest 200, oldest first; empty for an agent of another system"`
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
	Person core.PersonID `query:"person" description:"id of the person whose task it is, for a master_admin; * for any person"`
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
		Chat string `json:"chat" description:"name of the chat on the page that gets the result; omitted: none"`
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
