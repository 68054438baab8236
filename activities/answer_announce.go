package activities

import (
	"context"
	"errors"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

const longestPreview = 120 // characters

// announceAnswer posts in the conversation where a person asked that the answer has arrived in
// another chat. It does so once for each task, even if the answer is sent again.
func (s *Sender) announceAnswer(ctx context.Context, n core.Notification, receipt notifiers.Receipt) error {
	if n.Source == "" || n.Task == "" {
		return nil
	}
	task, err := s.store.Task(ctx, n.Task)
	if errors.Is(err, store.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	route, _, err := n.Source.Parse()
	if err != nil {
		return nil //nolint:nilerr // a conversation without a chat
	}
	person, err := s.store.Person(ctx, task.Origin.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	phrases := s.phrases(person.Language)
	args := []string{"agent", together(task.Agents, phrases), "id", string(task.ID)}
	var link string
	if len(receipt.IDs) > 0 {
		link = core.MessageLink(n.Route, receipt.IDs[0])
	}
	text := ""
	if link != "" {
		text = phrases.Localize("team.there_link", append(args, "link", link)...)
	} else {
		text = phrases.Localize("team.there_line", append(args, "line", preview(&task, phrases.TaskResult(&task)+phrases.TaskError(&task)))...)
	}
	_, err = s.store.Answer(ctx, core.Notification{Key: "there:" + string(task.ID), Route: route, Session: n.Source, Event: core.EventNotice, Text: text})
	if err != nil {
		return err
	}
	if err := s.sessions.WakeOutbox(ctx, route); err != nil {
		// The watchdog will wake it. The answer was delivered, so the attempt must not fail here.
		s.logger.Warn("chat will be told later that an answer is there", "task", task.ID, "channel", route.Channel, "chat", route.Chat, "error", err)
	}
	return nil
}

// answerWhereAsked delivers the answer of an agent to the conversation in which the person asked,
// because the platform refuses it in the person's chat with that agent. If others read that
// conversation, the message only says how to read the answer. delivered is false if the
// conversation has no chat or the task was deleted.
func (s *Sender) answerWhereAsked(ctx context.Context, n core.Notification) (delivered bool, err error) {
	route, _, err := n.Source.Parse()
	if err != nil {
		return false, nil //nolint:nilerr // a conversation without a chat
	}
	task, err := s.store.Task(ctx, n.Task)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	person, err := s.store.Person(ctx, task.Origin.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	answer := core.Notification{
		Key: "late:there:" + string(task.ID), Route: route, Session: n.Source, Agent: n.Agent, Task: n.Task, Event: core.EventLate, Text: n.Text,
	}
	if task.Briefing == nil || task.Briefing.Open {
		phrases := s.phrases(person.Language)
		answer.Key, answer.Agent, answer.Task, answer.Event = "there:"+string(task.ID), "", "", core.EventNotice
		answer.Text = phrases.Localize("team.there_refused", "agent", together(task.Agents, phrases), "id", string(task.ID))
	}
	if _, err := s.store.Answer(ctx, answer); err != nil {
		return false, err
	}
	return true, s.sessions.WakeOutbox(ctx, route)
}

// preview returns only the title of the task if others read the chat.
func preview(task *core.Task, text string) string {
	if task.Briefing == nil || task.Briefing.Open {
		return task.Title
	}
	return core.FirstLine(text, longestPreview)
}
