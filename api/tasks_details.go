package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

type GetTaskDetailsInput struct {
	TaskID
	Person
}

// TaskDetails has what belongs to a task.
type TaskDetails struct {
	Above      []Task         `json:"above" description:"the tasks that delegated it, the first of its tree first; long texts are cut, as below"`
	Tree       []Task         `json:"tree" description:"it and all below it, each below the one that delegated it"`
	Questions  []Question     `json:"questions" description:"what the agents of the tree have asked, with the answers"`
	Deliveries []TaskDelivery `json:"deliveries" description:"how it was told, with receipts, the oldest first"`
	Files      []core.File    `json:"files" description:"what the agents of the tree have written, as it is now: GET /api/files/{of}/content has it, of this task"`
}

// A TaskDelivery is a message sent to people for a task, without its text.
type TaskDelivery struct {
	ID       int64            `json:"id"`
	Route    core.Route       `json:"route"`
	Event    core.EventType   `json:"event"`
	State    core.OutboxState `json:"state"`
	Attempts int              `json:"attempts"`
	Error    string           `json:"error,omitempty" description:"of the last attempt"`
	Receipts []string         `json:"receipts,omitempty" description:"the platform's ids, one for each part sent"`
	Created  time.Time        `json:"created"`
	SentAt   time.Time        `json:"sent_at,omitzero"`
}

// GetTaskDetails leaves out files that the actor may not read.
var GetTaskDetails = Op[GetTaskDetailsInput, TaskDetails]{
	Name: "getTaskDetails", Needs: rights.TasksRead, Also: []string{rights.OthersRead}, Route: "GET /api/tasks/{id}/details",
	About: "Get the details of a task: its tree, questions, deliveries and files",
}
