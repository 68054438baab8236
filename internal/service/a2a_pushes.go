package service

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

const (
	maxA2APushes  = 10
	maxA2ASecrets = 8000 // of a receiver, in bytes
)

func (a *A2A) setPush(ctx context.Context, by actor.Actor, in api.A2APushInput) (core.A2APush, error) {
	task, err := a.ownTask(ctx, by, in.Push.Task)
	if err != nil {
		return in.Push, err
	}
	p, err := a.normalizePush(in.Push)
	if err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = core.ShortID(8)
	}
	err = a.Store.PutA2APush(ctx, p, maxA2APushes)
	if errors.Is(err, store.ErrTooLarge) {
		return p, Refuse(KindTooMany, "too_many", "refusal.a2a_push_many", "number", maxA2APushes)
	}
	if err != nil {
		return p, err
	}
	if err := a.dispatch.StartWebhooks(ctx, task); err != nil {
		a.Logger.Warn("task's receiver not called; the watchdog will call it", "task", task.ID, "error", err)
	}
	return p, nil
}

func (a *A2A) checkPush(_ context.Context, _ actor.Actor, in api.A2APushInput) (none api.None, err error) {
	_, err = a.normalizePush(in.Push)
	return none, err
}

func (a *A2A) normalizePush(p core.A2APush) (core.A2APush, error) {
	to, err := a.webhooks.Check(p.URL)
	if err != nil {
		return p, Invalid("push_url", "refusal.callback", "why", err.Error())
	}
	p.URL = to
	secret := p.Token + p.Credentials
	switch p.Scheme = strings.ToLower(p.Scheme); {
	case len(p.ID) > maxA2AName || len(secret) > maxA2ASecrets || !utf8.ValidString(p.ID+secret) || strings.ContainsFunc(p.ID+secret, unicode.IsControl):
		return p, Invalid("push_config", "refusal.a2a_push_config", "most", maxA2AName, "secrets", maxA2ASecrets)
	case p.Scheme == "bearer":
		p.Scheme = "Bearer"
	case p.Scheme == "basic":
		p.Scheme = "Basic"
	case p.Scheme != "" || p.Credentials != "":
		return p, Invalid("push_scheme", "refusal.a2a_push_scheme")
	}
	return p, nil
}

func (a *A2A) listPushes(ctx context.Context, by actor.Actor, in api.A2ATaskID) ([]core.A2APush, error) {
	if _, err := a.ownTask(ctx, by, in.Task); err != nil {
		return nil, err
	}
	return a.Store.A2APushes(ctx, in.Task)
}

func (a *A2A) deletePush(ctx context.Context, by actor.Actor, in api.DeleteA2APushInput) (none api.None, err error) {
	if _, err = a.ownTask(ctx, by, in.Task); err == nil {
		err = a.Store.DeleteA2APush(ctx, in.Task, in.ID)
	}
	return none, err
}
