package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// An A2AMessage is a message that a program sends over A2A.
type A2AMessage struct {
	ID       string         `wire:"-"` // the program's own; a message with the same ID counts once
	Context  string         `wire:"-"` // the conversation; empty: that of the task, or a new one
	Task     core.TaskID    `wire:"-"` // that it is for; empty: it asks for a task
	Agent    core.AgentName `wire:"-"` // that is asked
	Question string         `wire:"-"` // id of the question that it answers; empty: the first that a program may answer
	Text     string         `wire:"-"`
}

// ReceiveA2A answers the question of the task, adds to a task that is at work, continues the last task
// of the context, or makes a new one. It returns that task.
var ReceiveA2A = Op[A2AMessage, core.Task]{
	Name: "receiveA2A", Needs: rights.TasksDelegate,
	Also: []string{rights.TasksRead, rights.TasksSteer, rights.QuestionsRead, rights.QuestionsAnswer},
	Rate: RateMessage, Deeds: []core.Deed{core.DeedAnswer},
	About: "Receive a message over A2A",
}

type A2ATaskID struct {
	Task core.TaskID `wire:"-"` // the whole id
}

var GetA2ATask = Op[A2ATaskID, core.Task]{
	Name: "getA2ATask", Needs: rights.TasksRead,
	About: "Get one of your tasks",
}

// ListA2ATasksInput narrows the list. An empty field does not.
type ListA2ATasksInput struct {
	Context string           `wire:"-"`
	Agent   core.AgentName   `wire:"-"`
	States  []core.TaskState `wire:"-"`
	Since   time.Time        `wire:"-"` // the task ended after this time or, if it is open, began after it
	After
	Limit int `wire:"-"`
}

// An A2ATaskList is one page, and the number of tasks on all pages.
type A2ATaskList struct {
	List[core.Task]
	Total int
}

var ListA2ATasks = Op[ListA2ATasksInput, A2ATaskList]{
	Name: "listA2ATasks", Needs: rights.TasksRead,
	About: "List your tasks that came over A2A, newest first",
}

type A2APushInput struct {
	Push core.A2APush `wire:"-"`
}

// SetA2APush replaces a receiver with the same id. The addresses of its host are checked at each call.
var SetA2APush = Op[A2APushInput, core.A2APush]{
	Name: "setA2APush", Needs: rights.TasksDelegate, Also: []string{rights.TasksRead},
	About: "Set a receiver for the changes of a task",
}

var CheckA2APush = Op[A2APushInput, None]{
	Name: "checkA2APush", Needs: rights.TasksDelegate,
	About: "Check that a receiver can be called",
}

var ListA2APushes = Op[A2ATaskID, []core.A2APush]{
	Name: "listA2APushes", Needs: rights.TasksRead,
	About: "List the receivers of a task's changes, ordered by id",
}

type DeleteA2APushInput struct {
	A2ATaskID
	ID string `wire:"-"` // of the receiver
}

var DeleteA2APush = Op[DeleteA2APushInput, None]{
	Name: "deleteA2APush", Needs: rights.TasksDelegate, Also: []string{rights.TasksRead},
	About: "Delete a receiver of a task's changes",
}
