package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/push"
)

// newBrowsers uses one key for all workers of a store, which the first worker generates.
func (a *App) newBrowsers(ctx context.Context, cfg *config.Config) (*push.BrowserSender, error) {
	key, err := push.NewKey()
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.PushKey(ctx, key.Private())
	if err == nil {
		key, err = push.ParseKey(kept)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare web push: %w", err)
	}
	return push.NewBrowserSender(push.Options{Key: key, Contact: pushContact(cfg), Allow: cfg.Hooks.Allow})
}

// pushContact is never empty, because some push services require a contact.
func pushContact(cfg *config.Config) string {
	if strings.HasPrefix(cfg.PublicURL, "https://") {
		return cfg.PublicURL
	}
	return "mailto:nobody@example.org"
}

// If a page shows the event within seenWithin, browsers get no push message.
const seenWithin = 3 * time.Second

// startPushes stops before the store. The watchdog sends messages that it misses.
func (a *App) startPushes() {
	happening, stop := a.Store.Bus().Watch()
	a.runUntilStop(func(ctx context.Context) {
		defer stop()
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-happening:
				a.startPush(ctx, e)
			}
		}
	})
}

func (a *App) startPush(ctx context.Context, e core.Event) {
	if e.Type != core.EventLate && e.Type != core.EventQuestion {
		return
	}
	due, err := a.Store.DuePushes(ctx, e.Key, e.ID)
	for i := 0; err == nil && i < len(due); i++ {
		err = a.Dispatch.StartPush(ctx, due[i].ID, due[i].Person, seenWithin)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("browser not notified yet; the watchdog will notify it", "error", err)
	}
}
