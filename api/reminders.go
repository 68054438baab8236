package api

import (
	"net/http"

	"errand/internal/core"
	"errand/internal/rights"
)

type ListRemindersInput struct {
	All bool `query:"all" description:"true: those that are over too"`
	After
	Limit int `query:"limit" default:"1000" maximum:"1000" description:"at most so many, 1000 by default"`
	// Session limits the list to one conversation. Only commands set it.
	Session core.SessionKey `wire:"-"`
}

var ListReminders = Op[ListRemindersInput, List[core.Reminder]]{
	Name: "listReminders", Needs: rights.RemindersRead, Also: []string{rights.OthersRead}, Route: "GET /api/reminders",
	About: "List reminders",
}

type CreateReminderInput struct {
	Body struct {
		Chat string `json:"chat" description:"where it wakes the session; main by default"`
		When string `json:"when" required:"true" description:"\"tomorrow at 9\", \"every monday at 8:00\", an RFC 3339 time or an RRULE"`
		Text string `json:"text" required:"true"`
	}
}

var CreateReminder = Op[CreateReminderInput, core.Reminder]{
	Name: "createReminder", Needs: rights.RemindersSet, Route: "POST /api/reminders", Status: http.StatusCreated, Rate: RateMessage,
	About: "Set a reminder", Answer: "the reminder",
}

type ChangeReminderInput struct {
	ID   string `path:"id" id:"reminder" description:"reminder id, or its unique beginning"`
	Body struct {
		When string `json:"when" description:"as in POST /api/reminders; omitted: unchanged"`
		Text string `json:"text" description:"omitted: unchanged"`
	}
}

var ChangeReminder = Op[ChangeReminderInput, core.Reminder]{
	Name: "changeReminder", Needs: rights.RemindersSet, Route: "POST /api/reminders/{id}", Rate: RateMessage,
	About: "Change one of your reminders", More: "The changed reminder has a new id; the old one is canceled.", Answer: "the changed reminder",
}

type CancelReminderInput struct {
	ID string `path:"id" id:"reminder" description:"reminder id, or its unique beginning"`
}

var CancelReminder = Op[CancelReminderInput, core.Reminder]{
	Name: "cancelReminder", Needs: rights.RemindersCancel, Route: "DELETE /api/reminders/{id}",
	About: "Cancel a reminder", Answer: "the reminder",
}

// A ToolReminder is a reminder as an agent reads it.
type ToolReminder struct {
	core.Reminder
	Comes string // when it comes; if it recurs, also when it comes next
}

// CreateReminderByToolInput has the time as At or Rule, both in Zone, or in words as When.
type CreateReminderByToolInput struct {
	At      string         `wire:"-"`
	Rule    string         `wire:"-"`
	Zone    string         `wire:"-"`
	When    string         `wire:"-"`
	Text    string         `wire:"-"`
	Session core.SessionID `wire:"-"`
	Group   bool           `wire:"-"` // others read the conversation
	Call    core.CallKey   `wire:"-"` // the tool call; it sets only one reminder
}

// CreateReminderByTool carries out the tool remind_me for a person.
var CreateReminderByTool = Op[CreateReminderByToolInput, ToolReminder]{
	Name: "createReminderByTool", Needs: rights.RemindersSet, Tool: true, About: "Set a reminder in the conversation",
}

type ListRemindersByToolInput struct {
	Group bool `wire:"-"` // others read the conversation
}

// ListRemindersByTool carries out the tool list_reminders for a person.
var ListRemindersByTool = Op[ListRemindersByToolInput, []ToolReminder]{
	Name: "listRemindersByTool", Needs: rights.RemindersRead, Tool: true, About: "List the coming reminders",
}

type CancelReminderByToolInput struct {
	ID    string `wire:"-"` // or its unique beginning
	Group bool   `wire:"-"` // others read the conversation
}

// CancelReminderByTool carries out the tool cancel_reminder for a person.
var CancelReminderByTool = Op[CancelReminderByToolInput, core.Reminder]{
	Name: "cancelReminderByTool", Needs: rights.RemindersCancel, Tool: true, About: "Cancel a reminder",
}
