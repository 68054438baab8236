package activities

import (
	"context"
	"errors"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

const longestPreview = 120 // characters

// announceAnswer says in the conversation in which a person has asked for an agent that its
// answer is in their chat with it: once for a task, whether or not the answer is sent again.
func (a *Activities) announceAnswer(ctx context.Context, n errand.Notification, receipt notifiers.Receipt) error {
	if n.Source == "" || n.Task == "" {
		return nil
	}
	task, err := a.Store.Task(ctx, n.Task)
	if errors.Is(err, store.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	route, _, err := n.Source.Parse()
	if err != nil {
		return nil //nolint:nilerr // a conversation that nobody can be told in
	}
	person, err := a.Store.Person(ctx, task.Origin.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	phrases := a.Texts.For(person.Language, a.Language)
	args := []string{"agent", together(task.Agents, phrases), "id", string(task.ID)}
	var link string
	if len(receipt.IDs) > 0 {
		link = errand.MessageLink(n.Route, receipt.IDs[0])
	}
	text := ""
	if link != "" {
		text = phrases.Localize("team.there_link", append(args, "link", link)...)
	} else {
		text = phrases.Localize("team.there_line", append(args, "line", preview(&task, phrases.TaskResult(&task)+phrases.TaskError(&task)))...)
	}
	_, err = a.Store.Answer(ctx, errand.Notification{Key: "there:" + string(task.ID), Route: route, Session: n.Source, Event: errand.EventNotice, Text: text})
	if err != nil {
		return err
	}
	if err := a.Sessions.WakeOutbox(ctx, route); err != nil {
		// The watchdog wakes it. What was delivered is noted as that, Temporal or no.
		a.Logger.Warn("a chat is told later that an answer is there", "task", task.ID, "channel", route.Channel, "chat", route.Chat, "error", err)
	}
	return nil
}

// answerWhereAsked delivers the answer of an agent to the conversation in which a person
// asked for it, because the platform refuses it in their chat with that agent. If others
// read that conversation, it says only how to read the answer. delivered is false if the
// conversation has no chat or the task was deleted.
func (a *Activities) answerWhereAsked(ctx context.Context, n errand.Notification) (delivered bool, err error) {
	route, _, err := n.Source.Parse()
	if err != nil {
		return false, nil //nolint:nilerr // a conversation without a chat
	}
	task, err := a.Store.Task(ctx, n.Task)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	person, err := a.Store.Person(ctx, task.Origin.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	answer := errand.Notification{
		Key: "late:there:" + string(task.ID), Route: route, Session: n.Source, Agent: n.Agent, Task: n.Task, Event: errand.EventLate, Text: n.Text,
	}
	if task.Briefing == nil || task.Briefing.Open {
		phrases := a.Texts.For(person.Language, a.Language)
		answer.Key, answer.Agent, answer.Task, answer.Event = "there:"+string(task.ID), "", "", errand.EventNotice
		answer.Text = phrases.Localize("team.there_refused", "agent", together(task.Agents, phrases), "id", string(task.ID))
	}
	if _, err := a.Store.Answer(ctx, answer); err != nil {
		return false, err
	}
	return true, a.Sessions.WakeOutbox(ctx, route)
}

// preview is the first line of an answer; where others read the chat in which it was asked
// for, it is what was asked.
func preview(task *errand.Task, text string) string {
	if task.Briefing == nil || task.Briefing.Open {
		return task.Title
	}
	return errand.FirstLine(text, longestPreview)
}
