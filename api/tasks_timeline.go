package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// A Timeline shows when each agent worked on a task and on the tasks delegated below it.
type Timeline struct {
	From time.Time     `json:"from"`
	To   time.Time     `json:"to" description:"when the last of it ended; now, while something is at work"`
	Rows []TimelineRow `json:"rows" description:"one for each agent of each task, each below the task that delegated it"`
	Gaps []core.Outage `json:"gaps" description:"times when the task was at work but no worker ran"`
}

// A TimelineRow is the work of one agent on one task.
type TimelineRow struct {
	Task  core.TaskID    `json:"task_id"`
	Agent core.AgentName `json:"agent"`
	Level int            `json:"level" description:"how many delegations below the first row"`
	State core.TaskState `json:"state" description:"of the task"`
	Title string         `json:"title"`
	Begun time.Time      `json:"begun"`
	Ended time.Time      `json:"ended,omitzero" description:"left out while it is at work"`
	Waits []TimelineWait `json:"waits,omitempty" description:"when it waited for a person"`
	Steps []TimelineStep `json:"steps,omitempty" description:"with steps=true: its model calls and what they have called, in their order"`
}

// A TimelineWait is a time during which an agent's question was open.
type TimelineWait struct {
	Question core.QuestionID `json:"question_id"`
	From     time.Time       `json:"from"`
	To       time.Time       `json:"to,omitzero" description:"left out while it is open"`
}

// Kinds of a [TimelineStep].
const (
	StepModel = "model"
	StepTool  = "tool"
	StepTask  = "task" // a delegation
)

// A TimelineStep is a model call, or a tool call that a model call requested.
type TimelineStep struct {
	Kind     string      `json:"kind" enum:"model,tool,task"`
	Name     string      `json:"name" description:"the model or the tool"`
	Step     int         `json:"step" description:"which of the model calls it is, or is of, from 1"`
	Task     core.TaskID `json:"task_id,omitempty" description:"of kind task: the task that was delegated"`
	Begun    time.Time   `json:"begun"`
	Ended    time.Time   `json:"ended,omitzero" description:"left out while it is at work, and where it has no answer"`
	Attempts int         `json:"attempts,omitempty" description:"of kind model, as all below: calls of the provider"`
	Tokens   int         `json:"tokens,omitempty"`
	Cached   int         `json:"cached_tokens,omitempty" description:"of tokens: those that providers had in their caches"`
	Cost     float64     `json:"cost,omitempty" description:"USD"`

	Turn     int    `json:"turn,omitempty" description:"only for kind tool, like all fields below. turn, turn_step and index identify the call in GET /api/tasks/{id}/calls; omitted if the call is not listed there"`
	TurnStep int    `json:"turn_step,omitempty"`
	Index    int    `json:"index,omitempty"`
	About    string `json:"about,omitempty" description:"the argument that says what the call is about"`
	Failure  string `json:"failure,omitempty" description:"first line of the error"`
	Results  int    `json:"results,omitempty" description:"number of results of a web search"`
	Words    int    `json:"words,omitempty" description:"number of words in the result"`
}

type TimelineInput struct {
	TaskID
	Person
	Steps bool `query:"steps" description:"true: with the model calls of each row, and what they have called"`
}

var GetTimeline = Op[TimelineInput, Timeline]{
	Name: "getTimeline", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/tasks/{id}/timeline",
	About: "Get the timeline of a task and of all tasks below it: who worked when",
}

type ListTaskCallsInput struct {
	TaskID
	Person
	Agent core.AgentName `query:"agent" description:"an agent of the task; omitted: the first"`
	Turn  int            `query:"turn" maximum:"1000000000" description:"number of the agent's turn, from the timeline"`
}

var ListTaskCalls = Op[ListTaskCallsInput, []core.TurnCall]{
	Name: "listTaskCalls", Needs: rights.TasksRead, Also: []string{rights.SessionsRead, rights.OthersRead}, Route: "GET /api/tasks/{id}/calls",
	About:  "List the tool calls of an agent's turn on a task, with arguments and results",
	Answer: "the calls, in order; of a running turn, the calls so far",
}
