package service

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// An A2APush is whom a program wants to be told when a task of its person changes.
type A2APush = store.A2APush

// mostA2APushes is how many receivers a task tells.
const mostA2APushes = 10

// SetA2APush has a receiver told of a task of the actor's own from now on, in the place of one
// of the same id. Its address is looked at again whenever it is told: see package fetch.
func (s *Service) SetA2APush(ctx context.Context, by Actor, p A2APush) (A2APush, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return p, err
	}
	if _, err := s.OwnTask(ctx, by, p.Task); err != nil {
		return p, err
	}
	p, err := CheckA2APush(p)
	if err != nil {
		return p, err
	}
	if p.ID == "" {
		p.ID = errand.ShortID(8)
	}
	err = s.Store.PutA2APush(ctx, p, mostA2APushes)
	if errors.Is(err, store.ErrTooLarge) {
		return p, Refuse(KindTooMany, "too_many", "refusal.a2a_push_many", "most", mostA2APushes)
	}
	return p, err
}

// CheckA2APush refuses what can be no receiver, whatever task it is for.
func CheckA2APush(p A2APush) (A2APush, error) {
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || len(p.URL) > 2000 {
		return p, Invalid("push_url", "refusal.a2a_push_url")
	}
	if len(p.ID) > longestA2AName || len(p.Token)+len(p.Credentials) > 8000 || strings.ContainsFunc(p.ID+p.Token+p.Credentials, unicode.IsControl) {
		return p, Invalid("push_config", "refusal.a2a_push_config")
	}
	switch strings.ToLower(p.Scheme) {
	case "":
		if p.Credentials != "" {
			return p, Invalid("push_scheme", "refusal.a2a_push_scheme")
		}
	case "bearer":
		p.Scheme = "Bearer"
	case "basic":
		p.Scheme = "Basic"
	default:
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

// DueA2APushes returns, for errand itself, receivers whose task may have changed since they
// were told.
func (s *Service) DueA2APushes(ctx context.Context, limit int) ([]A2APush, error) {
	return s.Store.DueA2APushes(ctx, limit)
}

// ClaimA2APush gives one to its caller, unless another worker has it. Whoever is killed
// meanwhile loses it after lease.
func (s *Service) ClaimA2APush(ctx context.Context, p A2APush, lease time.Duration) (bool, error) {
	return s.Store.ClaimA2APush(ctx, p, lease)
}

// NoteA2APush says what became of one that was claimed.
func (s *Service) NoteA2APush(ctx context.Context, p A2APush, again time.Duration, over bool) error {
	return s.Store.NoteA2APush(ctx, p, again, over)
}
