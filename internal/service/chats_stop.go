package service

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

func (c *Chats) stop(ctx context.Context, by actor.Actor, in api.StopChatInput) (api.StoppedChat, error) {
	if err := c.changes(by, in.Key); err != nil {
		return api.StoppedChat{}, err
	}
	ended, err := c.stopTurn(ctx, by, in.Key, in.All)
	if err != nil || ended {
		return api.StoppedChat{Any: ended}, err
	}
	open, err := c.Store.Tasks(ctx, store.TaskFilter{Session: in.Key, States: core.OpenStates(), Limit: 1})
	return api.StoppedChat{Left: len(open) > 0}, err
}

func (c *Chats) stopTurn(ctx context.Context, by actor.Actor, key core.SessionKey, all bool) (bool, error) {
	var whose core.PersonID // empty: all people's
	if c.forAll(by, key, "/stop") != nil {
		whose = by.Person
	}
	// Close the rows first, so that no model call of the turn or of those tasks starts after stop
	// has returned.
	closed, err := c.Store.StopTurn(ctx, key, whose)
	if err != nil {
		return false, err
	}
	for _, t := range closed.Tasks {
		if err := c.dispatch.StopTask(ctx, t.ID); err != nil {
			c.Logger.Warn("stopped task: workflow not canceled; the watchdog will cancel it", "task", t.ID, "error", err)
		}
	}
	if closed.Turn > 0 {
		if err := c.dispatch.StopTurn(ctx, key, closed.Session, closed.Turn); err != nil {
			return closed.Any, err
		}
	}
	if !all {
		return closed.Any, nil
	}
	some, err := c.tasks.cancelAll(ctx, store.TaskFilter{Session: key, Person: whose}, "stopped")
	if err != nil {
		return closed.Any || some, err
	}
	withdrawn, err := c.Store.WithdrawApprovals(ctx, key, whose)
	return closed.Any || some || withdrawn > 0, err
}

func (c *Chats) busyMode(ctx context.Context, by actor.Actor, in api.ConversationKey) (string, error) {
	if err := c.reads(by, in.Key); err != nil {
		return "", err
	}
	now, err := c.Store.Current(ctx, in.Key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	return cmp.Or(now.Busy, string(c.busy)), nil
}

func (c *Chats) setBusyMode(ctx context.Context, by actor.Actor, in api.SetBusyModeInput) (api.None, error) {
	mode := wire.BusyMode(in.Mode)
	if !mode.Valid() {
		modes := core.Strings([]wire.BusyMode{wire.Collect, wire.Steer, wire.Queue, wire.Interrupt})
		return api.None{}, Invalid("mode", "busy.unknown", "mode", core.Cut(in.Mode, 40), "modes", strings.Join(modes, ", "))
	}
	if err := cmp.Or(c.changes(by, in.Key), c.forAll(by, in.Key, "/busy")); err != nil {
		return api.None{}, err
	}
	return api.None{}, c.dispatch.SetBusy(ctx, in.Key, in.ID, mode)
}
