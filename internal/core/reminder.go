package core

import "time"

type ReminderState string

const (
	ReminderActive   ReminderState = "active"
	ReminderDone     ReminderState = "done"     // it will not come again
	ReminderCanceled ReminderState = "canceled" // by the person, or when they were removed
)

// A Reminder wakes a conversation at a set time.
type Reminder struct {
	ID      ReminderID    `json:"id"`
	State   ReminderState `json:"state" enum:"active,done,canceled"`
	Text    string        `json:"text"`
	When    string        `json:"when" description:"in words"`
	Recurs  bool          `json:"recurs,omitempty" description:"true: it comes again and again"`
	Next    time.Time     `json:"next,omitzero"`  // zero: it will not come again
	Last    time.Time     `json:"last,omitzero"`  // the due time of the last reminder
	Times   int           `json:"times"`          // how often it has come
	Chat    string        `json:"chat,omitempty"` // the chat that it wakes
	Channel string        `json:"channel"`
	Person  PersonID      `json:"person"`
	Agent   AgentName     `json:"agent,omitempty"` // the agent that set it; empty: the person did
	Created time.Time     `json:"created"`
}
