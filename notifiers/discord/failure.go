package discord

import (
	"errors"

	"errand/internal/channels/discord"
	"errand/notifiers"
)

func (a *account) explain(err error) *notifiers.SendError {
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return send
	}
	return notifiers.NewSendError(discord.Explain(err, a.name))
}
