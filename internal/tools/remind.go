package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/api"
	"errand/internal/ops"
	"errand/internal/store"
)

// RemindMe is the tool that sets a reminder.
const RemindMe = "remind_me"

// Remind returns the tools for reminders.
func Remind(r *ops.Runner) []Tool {
	t := remindTools{r}
	return []Tool{{
		Name: RemindMe,
		Description: "Set a reminder for the user. When it is due, you get its text in this conversation and remind the user. " +
			"Never promise a reminder without this call. Pass either at or rrule. Tell the user the time that the result states.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"at": {"type": "string", "description": "for one time: RFC 3339, such as 2026-12-24T18:00 (local time in zone) or 2026-12-24T17:00:00Z. The status note has the current time"},
			"rrule": {"type": "string", "description": "for repeated times: an RFC 5545 RRULE, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0 or FREQ=HOURLY;INTERVAL=2"},
			"zone": {"type": "string", "description": "IANA time zone of local times in at or rrule, such as Europe/Oslo. Default: the time zone in the status note"},
			"text": {"type": "string", "description": "what to remind them of, understandable by itself"}}, "required": ["text"]}`),
		Effect: Idempotent, Doing: "doing.reminder", Run: t.set,
	}, {
		Name:        "list_reminders",
		Description: "List the user's active reminders with id and time.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {}}`),
		Effect:      ReadOnly, Doing: "doing.reminders", Run: t.list,
	}, {
		Name:        "cancel_reminder",
		Description: "Cancel a reminder of the user.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"id": {"type": "string", "description": "the id of the reminder, or its unique beginning"}}, "required": ["id"]}`),
		Effect:      Idempotent, Doing: "doing.cancel_reminder", Run: t.cancel,
	}}
}

type remindTools struct{ runner *ops.Runner }

type remindArgs struct {
	ID   string `json:"id"`
	At   string `json:"at"`
	Rule string `json:"rrule"`
	Zone string `json:"zone"`
	// A phrase for [when.Parse], because the demonstration model cannot compute times.
	When string `json:"when"`
	Text string `json:"text"`
}

func (t remindTools) set(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[remindArgs](args)
	switch {
	case err != nil:
		return "error: " + err.Error(), nil
	case call.Task != nil:
		return "error: a sub-agent cannot set reminders. Write in your report what the user should be reminded of, and when.", nil
	case call.Origin.SessionKey == "":
		return "error: there is no chat here for a reminder", nil
	case strings.TrimSpace(in.At+in.Rule+in.When) == "":
		return `error: "at" or "rrule" is missing`, nil
	case strings.TrimSpace(in.Text) == "":
		return `error: "text" is missing`, nil
	}
	r, err := ops.Do(ctx, t.runner, api.CreateReminderByTool, call.Actor(RemindMe), api.CreateReminderByToolInput{
		At: in.At, Rule: in.Rule, Zone: in.Zone, When: in.When, Text: in.Text, Session: call.Session, Group: call.Origin.Group, Call: call.Key})
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("Reminder %s is set: %s.", r.ID, r.Comes), nil
}

func (t remindTools) list(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
	list, err := ops.Do(ctx, t.runner, api.ListRemindersByTool, call.Actor("list_reminders"), api.ListRemindersByToolInput{Group: call.Origin.Group})
	if err != nil {
		return toolError(err)
	}
	if len(list) == 0 {
		return "No reminders are set.", nil
	}
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s  %s  %s\n", r.ID, r.Comes, strings.Join(strings.Fields(r.Text), " "))
	}
	return b.String(), nil
}

func (t remindTools) cancel(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[remindArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if call.Task != nil {
		return "error: a sub-agent cannot cancel reminders", nil
	}
	r, err := ops.Do(ctx, t.runner, api.CancelReminderByTool, call.Actor("cancel_reminder"), api.CancelReminderByToolInput{ID: in.ID, Group: call.Origin.Group})
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("Reminder %s is canceled.", r.ID), nil
}

// toolError turns errors with an ErrorCode into text for the model.
func toolError(err error) (string, error) {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return "error: " + err.Error(), nil
	}
	return "", err
}
