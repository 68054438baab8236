package app

import (
	"context"
	"fmt"

	"errand/internal/config"
	"errand/internal/core"
)

// checkBotIDs rejects an account with the token of a bot that belonged to another account, because
// people would get messages from a bot that they did not write to.
func (a *App) checkBotIDs(ctx context.Context, cfg *config.Config) error {
	was, err := a.Store.Bots(ctx)
	if err != nil {
		return err
	}
	of := map[string]core.Account{} // existing accounts, by channel and bot id
	for _, c := range cfg.Channels {
		if id := was[c.At()]; id != "" {
			of[c.Kind+id] = c.At()
		}
	}
	for _, c := range cfg.Channels {
		id := config.BotID(c.Kind, c.Token)
		if other, known := of[c.Kind+id]; known && other != c.At() {
			return fmt.Errorf("%s:%d: what %s holds is the token of the bot that %s was so far: the tokens may be swapped. If you mean it, take both accounts out, "+
				"let errand run for two minutes without them, and put them in again", cfg.File, c.Line, c.TokenFrom, other)
		}
	}
	for _, c := range cfg.Channels {
		id := config.BotID(c.Kind, c.Token)
		if id == "" || id == was[c.At()] {
			continue
		}
		if was[c.At()] != "" {
			a.log.Warn("the account is another bot than before: people have to write to it, or let it into their groups, before it can tell them anything",
				"channel", c.Kind, "account", c.Account)
		}
		if err := a.Store.NoteBot(ctx, c.At(), id); err != nil {
			return err
		}
	}
	return nil
}
