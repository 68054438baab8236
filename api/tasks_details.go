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
	Above      []Task              `json:"above" description:"the tasks above it, the root first; long texts are cut, here and in tree"`
	Tree       []Task              `json:"tree" description:"the task and all tasks below it, each below the one that delegated it"`
	Questions  []Question          `json:"questions" description:"questions of the tree's agents, with the answers"`
	Messages   []core.AddedMessage `json:"messages" description:"messages added to the task while it ran, oldest first"`
	Deliveries []TaskDelivery      `json:"deliveries" description:"deliveries of the result, with receipts, oldest first"`
	Chat       string              `json:"chat,omitempty" description:"title of the chat in which the task was requested"`
	Files      []core.File         `json:"files" description:"current files of the tree's agents; download them with GET /api/files/{of}/content and this task's id"`
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
