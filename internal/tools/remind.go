package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/when"
)

// RemindMe is the tool that sets a reminder.
const RemindMe = "remind_me"

// Reminders sets, lists and cancels reminders for the person that a call is made
// for; package service implements it. Errors with an ErrorCode are for the model
// to read.
type Reminders interface {
	RemindFor(ctx context.Context, call store.Call, at when.Time, text string) (store.Reminder, error)
	RemindersFor(context.Context, store.Call) ([]store.Reminder, error)
	CancelReminderFor(ctx context.Context, call store.Call, id string) (store.Reminder, error)
}

// Remind are the tools for reminders.
func Remind(r Reminders) []Tool {
	t := remindTools{r}
	return []Tool{{
		Name: RemindMe,
		Description: "Set a reminder for the person: at that time you are told its text, in this conversation, and tell them. " +
			"Never promise to remind without calling this, and tell the person the time that it answers with.",
		Parameters: json.RawMessage(`{"type": "object", "properties": {
			"at": {"type": "string", "description": "when, if once: RFC 3339, such as 2026-12-24T18:00 by the clocks of zone, or 2026-12-24T17:00:00Z. The note at the end says what time it is"},
			"rrule": {"type": "string", "description": "when, if again and again: an RFC 5545 RRULE, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0 or FREQ=HOURLY;INTERVAL=2"},
			"zone": {"type": "string", "description": "the IANA time zone of the local times in at or rrule, such as Europe/Oslo. Default: the time zone in the note at the end"},
			"text": {"type": "string", "description": "what to remind them of, complete in itself"}}, "required": ["text"]}`),
		Effect: Idempotent, Doing: "doing.reminder", Run: t.set,
	}, {
		Name:        "list_reminders",
		Description: "List the person's reminders that will come, with id and time.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {}}`),
		Effect:      ReadOnly, Doing: "doing.reminders", Run: t.list,
	}, {
		Name:        "cancel_reminder",
		Description: "Cancel a reminder of the person.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"id": {"type": "string", "description": "the id of the reminder, or its unique beginning"}}, "required": ["id"]}`),
		Effect:      Idempotent, Doing: "doing.cancel_reminder", Run: t.cancel,
	}}
}

type remindTools struct{ reminders Reminders }

type remindArgs struct {
	ID   string `json:"id"`
	At   string `json:"at"`
	Rule string `json:"rrule"`
	Zone string `json:"zone"`
	When string `json:"when"` // a phrase of [when.Parse]: the demonstration model does not compute times
	Text string `json:"text"`
}

func (t remindTools) set(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[remindArgs](args)
	switch {
	case err != nil:
		return "error: " + err.Error(), nil
	case call.Task != nil:
		return "error: reminders are set in the conversation with the person, not by a sub-agent. Say in your report what they should be reminded of, and when.", nil
	case call.Origin.SessionKey == "":
		return "error: there is no chat here to remind anybody in", nil
	case strings.TrimSpace(in.At+in.Rule+in.When) == "":
		return `error: "at" or "rrule" is missing`, nil
	case strings.TrimSpace(in.Text) == "":
		return `error: "text" is missing`, nil
	}
	r, err := t.reminders.RemindFor(ctx, call, when.Time{At: in.At, Rule: in.Rule, Zone: in.Zone, Words: in.When}, in.Text)
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("Reminder %s is set: %s.", r.ID, r.Comes(texts.Shipped())), nil
}

func (t remindTools) list(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
	list, err := t.reminders.RemindersFor(ctx, call)
	if err != nil {
		return toolError(err)
	}
	if len(list) == 0 {
		return "No reminders are set.", nil
	}
	var b strings.Builder
	for _, r := range list {
		fmt.Fprintf(&b, "%s  %s  %s\n", r.ID, r.Comes(texts.Shipped()), strings.Join(strings.Fields(r.Text), " "))
	}
	return b.String(), nil
}

func (t remindTools) cancel(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[remindArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if call.Task != nil {
		return "error: reminders are canceled in the conversation with the person, not by a sub-agent", nil
	}
	r, err := t.reminders.CancelReminderFor(ctx, call, in.ID)
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("Reminder %s is canceled.", r.ID), nil
}

// toolError tells the model an error that is meant for whoever asked; any other says
// that the tool could not be run.
func toolError(err error) (string, error) {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return "error: " + err.Error(), nil
	}
	return "", err
}
