package service

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// An A2APush is whom a program wants to be told of a task of its person.
type A2APush = store.A2APush

// Bounds of what a program asks for.
const (
	mostA2APushes  = 10
	longestA2APush = 8000 // of its secrets, bytes
)

// SetA2APush has a receiver told of a task of the actor's own, in the place of one of the same
// id. What its name resolves to is looked at whenever it is told.
func (s *Service) SetA2APush(ctx context.Context, by Actor, p A2APush) (A2APush, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return p, err
	}
	task, err := s.OwnTask(ctx, by, p.Task)
	if err != nil {
		return p, err
	}
	if p, err = s.normalizeA2APush(p); err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = errand.ShortID(8)
	}
	err = s.Store.PutA2APush(ctx, p, mostA2APushes)
	if errors.Is(err, store.ErrTooLarge) {
		return p, Refuse(KindTooMany, "too_many", "refusal.a2a_push_many", "number", mostA2APushes)
	}
	if err != nil {
		return p, err
	}
	if err := s.Dispatch.StartWebhooks(ctx, task); err != nil {
		s.Logger.Warn("a program is not told yet; the watchdog has it told", "task", task.ID, "error", err)
	}
	return p, nil
}

// CheckA2APush says why nobody could be told as p says, whatever task it is for.
func (s *Service) CheckA2APush(by Actor, p A2APush) error {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return err
	}
	_, err := s.normalizeA2APush(p)
	return err
}

// normalizeA2APush is p as it is kept, or why it is not.
func (s *Service) normalizeA2APush(p A2APush) (A2APush, error) {
	to, err := s.Webhooks.Check(p.URL)
	if err != nil {
		return p, Invalid("push_url", "refusal.callback", "why", err.Error())
	}
	p.URL = to
	secret := p.Token + p.Credentials
	switch p.Scheme = strings.ToLower(p.Scheme); {
	case len(p.ID) > longestA2AName || len(secret) > longestA2APush || !utf8.ValidString(p.ID+secret) || strings.ContainsFunc(p.ID+secret, unicode.IsControl):
		return p, Invalid("push_config", "refusal.a2a_push_config", "most", longestA2AName, "secrets", longestA2APush)
	case p.Scheme == "bearer":
		p.Scheme = "Bearer"
	case p.Scheme == "basic":
		p.Scheme = "Basic"
	case p.Scheme != "" || p.Credentials != "":
		return p, Invalid("push_scheme", "refusal.a2a_push_scheme")
	}
	return p, nil
}

// A2APushes returns the receivers of a task of the actor's own, by their ids.
func (s *Service) A2APushes(ctx context.Context, by Actor, task errand.TaskID) ([]A2APush, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	if _, err := s.OwnTask(ctx, by, task); err != nil {
		return nil, err
	}
	return s.Store.A2APushes(ctx, task)
}

// DeleteA2APush has a receiver told no more.
func (s *Service) DeleteA2APush(ctx context.Context, by Actor, task errand.TaskID, id string) error {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return err
	}
	if _, err := s.OwnTask(ctx, by, task); err != nil {
		return err
	}
	return s.Store.DeleteA2APush(ctx, task, id)
}
