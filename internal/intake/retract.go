package intake

import (
	"context"
	"errors"

	"errand/internal/service"
	"errand/internal/store"
)

// takeBack removes a message that its sender has deleted. What is somebody
// else's, and what never came, is left alone, and nobody is told anything.
func (i *Intake) takeBack(ctx context.Context, in Inbound) (Outcome, error) {
	forgotten, err := i.service.Store.ForgetPairingMessage(ctx, in.Route, in.MessageID)
	if err != nil || forgotten {
		return Outcome{Refused: "is unknown"}, err
	}
	var p service.Person
	if len(in.Sender.IDs) > 0 {
		var err error
		p, err = i.service.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
		if errors.Is(err, store.ErrNotFound) {
			return Outcome{Refused: "is unknown"}, nil
		}
		if err != nil {
			return Outcome{}, err
		}
	}
	removed, err := i.service.Store.TakeBack(ctx, in.Route, p.ID, in.MessageID)
	if removed {
		i.service.Logger.Info("message taken back", "channel", in.Route.Channel, "chat", in.Route.Chat)
	}
	return Outcome{Person: p.ID}, err
}
