package app

import (
	"context"
	"fmt"

	"errand"
	"errand/internal/config"
)

// checkBotIDs makes sure that no account has the token of a bot that another account was
// so far: people would be told things by a bot they were not talking with. That an
// account is a bot which no account was is a person's choice, and noted.
func (a *App) checkBotIDs(ctx context.Context, cfg *config.Config) error {
	was, err := a.Store.Bots(ctx)
	if err != nil {
		return err
	}
	of := map[string]errand.Account{} // by channel and id, of the accounts that there still are
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
