package intake

import (
	"context"
	"errors"

	"errand/internal/core"
	"errand/internal/store"
)

// takeBack handles a deleted message. It silently ignores unknown messages and other people's.
func (i *Intake) takeBack(ctx context.Context, in Inbound) (Outcome, error) {
	forgotten, err := i.deps.Store.ForgetPairingMessage(ctx, in.Route, in.MessageID)
	if err != nil || forgotten {
		return Outcome{Refused: "is unknown"}, err
	}
	var p core.Person
	if len(in.Sender.IDs) > 0 {
		var err error
		p, err = i.deps.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
		if errors.Is(err, store.ErrNotFound) {
			return Outcome{Refused: "is unknown"}, nil
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	removed, err := i.deps.Store.TakeBack(ctx, in.Route, p.ID, in.MessageID)
	if removed {
		i.deps.Logger.Info("message retracted", "channel", in.Route.Channel, "chat", in.Route.Chat)
	}
	return Outcome{Person: p.ID}, err
}
