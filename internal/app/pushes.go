package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/config"
	"errand/internal/webpush"
)

// newBrowsers makes what tells browsers things while no page is open. All workers of a store
// have one key, which the first one draws.
func (a *App) newBrowsers(ctx context.Context, cfg *config.Config) (*webpush.Sender, error) {
	key, err := webpush.NewKey()
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.PushKey(ctx, key.Private())
	if err == nil {
		key, err = webpush.ParseKey(kept)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare web push: %w", err)
	}
	return webpush.New(webpush.Options{Key: key, Contact: pushContact(cfg), Allow: cfg.Hooks.Allow})
}

// pushContact is whom push services can write to. Some take nothing from somebody who says
// nothing.
func pushContact(cfg *config.Config) string {
	if strings.HasPrefix(cfg.PublicURL, "https://") {
		return cfg.PublicURL
	}
	return "mailto:nobody@example.org"
}

// seenWithin is how long a page that is open has to say that what has come was seen on it. Of
// that no browser is told.
const seenWithin = 3 * time.Second

// startPushes has browsers told of what this process announces, until Stop. What it misses,
// the watchdog has told. What is under way needs the store.
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

func (a *App) startPush(ctx context.Context, e errand.Event) {
	if e.Type != errand.EventLate && e.Type != errand.EventQuestion {
		return
	}
	due, err := a.Store.DuePushes(ctx, e.Key, e.ID)
	for i := 0; err == nil && i < len(due); i++ {
		err = a.Dispatch.StartPush(ctx, due[i].ID, due[i].Person, seenWithin)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("a browser is not told yet; the watchdog has it told", "error", err)
	}
}
