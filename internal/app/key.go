package app

import (
	"errand/internal/config"
	"errand/internal/ownerkey"
)

// ownerKey returns what makes the owner: the key of the environment, which several
// workers of one installation share, or else that of the data folder.
func ownerKey(cfg *config.Config) (string, error) {
	if cfg.Key != "" {
		return cfg.Key.Reveal(), nil
	}
	return ownerkey.Ensure(cfg.Data)
}

// Key is what makes the owner: shown as a token it may do everything.
func (a *App) Key() string { return a.key }
