package service

import (
	"context"
	"math"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// The declaration of openChat documents these limits.
const (
	maxOpeningEvents    = 200
	maxOpeningChats     = 200
	maxOpeningQuestions = 200
)

// Openings has the operation that opens a chat.
type Openings struct {
	*Env
	people       *People
	installation *Installation
	agents       *Agents
	sessions     *Sessions
}

func (o *Openings) bind(r *ops.Runner) { ops.Bind(r, api.OpenChat, o.open) }

// open reads the events first, so that a stream of later events misses nothing.
func (o *Openings) open(ctx context.Context, by actor.Actor, in api.OpenChatInput) (api.Opening, error) {
	out := api.Opening{Events: []core.Event{}, Agents: []api.Agent{}, Chats: []core.Chat{}, Waiting: []api.Question{}, Questions: []api.Question{}}
	key, err := webKey(in.Chat, by.Person)
	if err != nil {
		return out, err
	}
	events, err := o.localized(by)(o.Store.LastEvents(ctx, key, math.MaxInt64, maxOpeningEvents))
	if err != nil {
		return out, err
	}
	out.Events = append(out.Events, events...)
	for _, part := range []struct {
		op   api.Any
		read func() error
	}{
		{api.GetMe, func() (err error) { out.Me, err = o.people.meFor(ctx, by, in.Login); return err }},
		{api.GetAbout, func() (err error) { out.About, err = o.installation.aboutFor(ctx, by); return err }},
		{api.ListAgents, func() error {
			list, err := o.agents.listIn(ctx, by, key)
			out.Agents = append(out.Agents, list...)
			return err
		}},
		{api.ListChats, func() error {
			list, err := o.chatsOf(ctx, by, Page{Limit: maxOpeningChats})
			out.Chats = append(out.Chats, list...)
			return err
		}},
		{api.ListQuestions, func() (err error) {
			if out.Waiting, err = o.questions(ctx, by, key, true); err != nil {
				return err
			}
			out.Questions, err = o.questions(ctx, by, key, false)
			return err
		}},
		{api.ListSessions, func() error {
			list, err := o.sessions.titled(ctx, store.SessionFilter{Key: key, Person: by.Person, Limit: 1})
			if len(list) > 0 {
				out.Session = &list[0]
			}
			return err
		}},
	} {
		if o.check(by, part.op.Spec()) != nil {
			continue
		}
		if err := part.read(); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (o *Openings) questions(ctx context.Context, by actor.Actor, key core.SessionKey, open bool) ([]api.Question, error) {
	found, err := o.Store.Questions(ctx, store.QuestionFilter{Key: key, Open: open, Limit: maxOpeningQuestions})
	if err != nil {
		return nil, err
	}
	return o.questionViews(ctx, by, found...)
}
