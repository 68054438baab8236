package app

import (
	"context"

	"errand/notifiers"
	"errand/presence"
)

// present shows on platforms that somebody is at work.
func (a *App) present(out *notifiers.Router) error {
	p, err := presence.New(presence.Options{Store: a.Store, Notifiers: out, Logger: a.log})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	a.serving.Go(func() { defer close(done); p.Run(ctx) })
	a.stopWith(func(context.Context) {
		cancel()
		<-done // what is under way needs the store
	})
	return nil
}
