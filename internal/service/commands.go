package service

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// Commands has the operation that lists the commands of chats.
type Commands struct {
	*Env
	in func(language string) []api.Command // see [Deps.Commands]
}

func (c *Commands) bind(r *ops.Runner) { ops.Bind(r, api.ListCommands, c.list) }

// list uses the person's language even for programs, which show the list to the person.
func (c *Commands) list(_ context.Context, by actor.Actor, _ api.None) (list []api.Command, _ error) {
	if c.in == nil {
		return nil, nil
	}
	for _, one := range c.in(c.Texts.For(by.Reads, by.Language, c.Language).Tag()) {
		if c.Allows(by, rights.Command, one.Name) {
			list = append(list, one)
		}
	}
	return list, nil
}

// CommandAnswer returns the answer of a message's command, see [store.Store.CommandAnswer].
func (i *Internal) CommandAnswer(ctx context.Context, m store.InboxMessage) (answer string, seen, carried bool, err error) {
	return i.Store.CommandAnswer(ctx, m)
}

// NoteCommand records that the command of m was carried out and answered.
func (i *Internal) NoteCommand(ctx context.Context, m store.InboxMessage) error {
	return i.Store.NoteCommand(ctx, m)
}
