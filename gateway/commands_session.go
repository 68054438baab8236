package gateway

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"errand"
	"errand/store"
	"errand/workflows"
)

func (g *Gateway) reset(ctx context.Context, c chat, _ []string) (string, error) {
	if _, err := g.NewSession(ctx, c.by, c.key, "", c.id); err != nil {
		return "", err
	}
	return c.Say("reset.done"), nil
}

// busy sets what becomes of messages while an agent works, or says what does.
func (g *Gateway) busy(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		s, err := g.Store.Current(ctx, c.key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		mode := cmp.Or(s.Busy, string(g.Settings.Busy))
		return c.Say("busy.now", "mode", mode, "meaning", c.Say("busy."+mode)), nil
	}
	mode := workflows.BusyMode(strings.ToLower(words[0]))
	if !mode.Valid() {
		return c.Say("busy.unknown", "mode", errand.Cut(words[0], 40), "modes", "collect, steer, queue, interrupt"), nil
	}
	// The mode is in the id: a message that is edited may ask for another.
	if err := g.setBusyFor(ctx, c.key, mode, "busy:"+string(mode)+":"+c.id); err != nil {
		return "", err
	}
	return c.Say("busy.set", "mode", string(mode), "meaning", c.Say("busy."+string(mode))), nil
}
