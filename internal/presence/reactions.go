package presence

import (
	"context"

	"errand/internal/core"
	"errand/notifiers"
)

// reactions mark messages as seen and answered. Each account has its own queue, so that a slow
// account does not delay the others, and marks arrive in order.
type reactions struct {
	p      *Presence
	queues map[account]chan reaction // used by Run only
}

type account struct{ channel, name string }

type reaction struct {
	to      core.Route
	message string
	turn    turn
	mark    notifiers.Mark
}

// Marks beyond maxReactions are dropped.
const maxReactions = 256

func (m *reactions) seen(ctx context.Context, to core.Route, message string) {
	if message != "" {
		m.put(ctx, reaction{to: to, message: message, mark: notifiers.Seen})
	}
}

// done marks a turn's message as done, or removes the mark if the turn was stopped.
func (m *reactions) done(ctx context.Context, to core.Route, t turn, end core.EventType) {
	how := notifiers.Done
	if end == core.EventNotice {
		how = notifiers.None
	}
	m.put(ctx, reaction{to: to, turn: t, mark: how})
}

func (m *reactions) put(ctx context.Context, one reaction) {
	if !m.p.Reacts(one.to) {
		return
	}
	of := account{one.to.Channel, one.to.Account}
	queue := m.queues[of]
	if queue == nil {
		queue = make(chan reaction, maxReactions)
		m.queues[of] = queue
		m.p.work.Go(func() { m.show(ctx, queue) })
	}
	select {
	case queue <- one:
	default:
	}
}

func (m *reactions) show(ctx context.Context, queue <-chan reaction) {
	for {
		select {
		case <-ctx.Done():
			return
		case one := <-queue:
			m.react(ctx, one)
		}
	}
}

func (m *reactions) react(ctx context.Context, one reaction) {
	messages := []string{one.message}
	if one.message == "" {
		var err error
		if messages, err = m.p.Store.TurnMessages(ctx, one.turn.session, one.turn.number); err != nil {
			return
		}
	}
	for _, id := range messages {
		call, cancel := context.WithTimeout(ctx, politeness)
		err := m.p.Notifiers.React(call, one.to, id, one.mark)
		cancel()
		if err != nil && ctx.Err() == nil {
			m.p.Logger.Debug("message not marked", "channel", one.to.Channel, "account", one.to.Account, "error", err)
		}
	}
}
