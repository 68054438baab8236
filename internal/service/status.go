package service

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// A StatusView is what goes on in a conversation, and what it costs.
type StatusView struct {
	Session     errand.SessionID `json:"session_id,omitempty"` // empty: there is none yet
	State       string           `json:"state,omitempty"`
	Agent       errand.AgentName `json:"agent"`
	Model       string           `json:"model"` // what it is called by its provider
	StickyUntil time.Time        `json:"sticky_until,omitzero"`
	Plan        *errand.Plan     `json:"plan,omitempty"` // while it is shown; nil: there is none
	Busy        string           `json:"busy"`
	Turns       int              `json:"turns"`
	OpenTasks   []errand.Task    `json:"open_tasks"`
	Waiting     []WaitingFor     `json:"waiting"` // for an answer in this chat, the oldest first
	Spent       store.Amount     `json:"session"` // by this session, with all its tasks
	Today       store.Amount     `json:"today"`   // by this person, since midnight UTC
	DayLimit    store.Amount     `json:"day_limit"`
}

// A WaitingFor is a question, and who has to answer it.
type WaitingFor struct {
	errand.Question
	Name string `json:"person_name"`
}

// Status tells how things stand in a conversation.
func (s *Service) Status(ctx context.Context, by Actor, key errand.SessionKey) (StatusView, error) {
	if err := s.may(by, rights.SessionsStatus); err != nil {
		return StatusView{}, err
	}
	if err := s.reads(by, key); err != nil {
		return StatusView{}, err
	}
	v := StatusView{Busy: string(s.Busy), DayLimit: s.Store.Limits().PersonDay}
	now, err := s.Store.Current(ctx, key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		if v.Agent, err = s.beginsWith(ctx, key); err != nil {
			return v, err
		}
	case err != nil:
		return v, err
	default:
		v.Session, v.State, v.Agent, v.Turns, v.StickyUntil = now.ID, now.State, now.Agent, now.Turns, now.StickyUntil
		if now.Plan != nil && now.Plan.ShownIn(now.Turns) {
			v.Plan = now.Plan
		}
		if now.Busy != "" {
			v.Busy = now.Busy
		}
		if v.Spent, err = s.Store.SessionSpent(ctx, now.ID); err != nil {
			return v, err
		}
	}
	if agent, ok := s.Roster.Agent(v.Agent); ok {
		v.Model = cmp.Or(s.Models[agent.Model], agent.Model)
	}
	if v.Today, err = s.Store.SpentToday(ctx, by.Person); err != nil {
		return v, err
	}
	if v.OpenTasks, err = s.Store.Tasks(ctx, store.TaskFilter{Session: key, Asked: true, States: errand.OpenStates()}); err != nil {
		return v, err
	}
	asked, err := s.Store.Questions(ctx, store.QuestionFilter{Key: key, Open: true})
	v.Waiting = make([]WaitingFor, len(asked))
	for i, q := range asked {
		v.Waiting[i] = WaitingFor{q, s.personName(ctx, q.Person)}
	}
	return v, err
}

// An AgentCount is how many messages an agent wrote in a session.
type AgentCount struct {
	Agent    errand.AgentName `json:"agent"` // empty: the person
	Messages int              `json:"messages"`
}

// History returns how much who said in the session of a conversation, and the
// last n messages: of agent only, if one is named.
func (s *Service) History(ctx context.Context, by Actor, key errand.SessionKey, agent errand.AgentName, n int) ([]AgentCount, []errand.Message, error) {
	if err := s.may(by, rights.SessionsCount); err != nil {
		return nil, nil, err
	}
	if err := s.reads(by, key); err != nil {
		return nil, nil, err
	}
	now, err := s.Store.Current(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	counts, err := s.Store.MessageCounts(ctx, errand.SessionOwner(now.ID))
	if err != nil {
		return nil, nil, err
	}
	list := make([]AgentCount, len(counts))
	for i, c := range counts {
		list[i] = AgentCount{c.Agent, c.Messages}
	}
	last, err := s.Store.LastMessages(ctx, errand.SessionOwner(now.ID), agent, n)
	return list, last, err
}
