package service

import (
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// The declaration of getChatWork documents this limit.
const maxChatFiles = 200

// ChatWork has the operation that reads what belongs to a chat besides its messages and tasks.
type ChatWork struct {
	*Env
	reminders *Reminders
}

func (c *ChatWork) bind(r *ops.Runner) { ops.Bind(r, api.GetChatWork, c.read) }

func (c *ChatWork) read(ctx context.Context, by actor.Actor, in api.GetChatWorkInput) (api.ChatWork, error) {
	out := api.ChatWork{Kept: []core.File{}, Sent: []core.Artifact{}, Reminders: []core.Reminder{}}
	key, err := webKey(in.Chat, by.Person)
	if err != nil {
		return out, err
	}
	if c.check(by, api.ListReminders.Spec()) == nil {
		list, err := c.reminders.inChat(ctx, by, key)
		if err != nil {
			return out, err
		}
		out.Reminders = append(out.Reminders, list...)
	}
	current, err := c.Store.Current(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil || c.check(by, api.ListFiles.Spec()) != nil {
		return out, err
	}
	out.Session = current.ID
	kept, err := c.Store.Files(ctx, store.SessionPlace(current), store.FileFilter{Limit: maxChatFiles})
	if err != nil {
		return out, err
	}
	sent, err := c.Store.SentFiles(ctx, key, maxChatFiles)
	out.Kept, out.Sent = append(out.Kept, kept...), append(out.Sent, sent...)
	return out, err
}
