package app

import (
	"errand/internal/config"
	"errand/internal/ownerkey"
)

// ownerKey prefers the key from the environment, which several workers can share.
func ownerKey(cfg *config.Config) (string, error) {
	if cfg.Key != "" {
		return cfg.Key.Reveal(), nil
	}
	return ownerkey.Ensure(cfg.Data)
}

// Key returns the owner's key. A client that sends it as a token may do everything.
func (a *App) Key() string { return a.key }
