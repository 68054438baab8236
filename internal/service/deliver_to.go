package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

// destinations finds the chat that the result of a task is sent to.
type destinations struct{ *Tasks }

// deliverTo returns an origin whose result is sent to one of the person's chats, in the voice of
// the agent that does the work. The request names the chat as one of:
//
//   - an agent: their private chat with that agent's own account;
//   - a channel, or a channel and an account, such as telegram/finn: their private chat there;
//   - a channel, an account and a chat, with or without a thread, such as telegram/finn/42: that
//     chat, if they have a conversation of their own there;
//   - one of their sessions, by its id or a prefix of it: the chat of that session.
//
// It never finds other people's chats.
func (t destinations) deliverTo(ctx context.Context, by actor.Actor, o core.Origin, agents []core.AgentName, to string) (core.Origin, error) {
	key, err := t.chatNamed(ctx, by, agents, strings.TrimSpace(to))
	if err != nil {
		return o, err
	}
	route, _, err := key.Parse()
	if err != nil {
		return o, err
	}
	if route.Channel != core.ChannelWeb && !t.Sends(route.At()) {
		return o, conflict("no_account", "refusal.deliver_to_account", "account", route.At())
	}
	o.Route, o.Direct = route, true
	return o, t.ofSession(ctx, &o, key)
}

func (t destinations) chatNamed(ctx context.Context, by actor.Actor, agents []core.AgentName, to string) (core.SessionKey, error) {
	parts := strings.Split(to, "/")
	if _, ok := t.Roster.Agent(core.AgentName(strings.ToLower(to))); ok {
		return t.chatWith(ctx, by, core.AgentName(strings.ToLower(to)))
	}
	channel := strings.ToLower(parts[0])
	known := channel == core.ChannelWeb || slices.ContainsFunc(core.Strings(t.channels()), func(c string) bool { return c == channel })
	switch {
	case known && len(parts) == 1 && channel != core.ChannelWeb:
		return t.privateChat(ctx, by, channel, agents, to)
	case known && len(parts) == 2 && channel == core.ChannelWeb:
		route, err := WebRoute(parts[1])
		return core.NewSessionKey(route, by.Person), err
	case known && len(parts) == 2:
		key, err := t.Store.PrivateSession(ctx, core.Account{Channel: channel, Name: parts[1]}, by.Person)
		return key, t.noChat(ctx, by, to, err)
	case known && (len(parts) == 3 || len(parts) == 4):
		route := core.Route{Channel: channel, Account: parts[1], Chat: parts[2]}
		if len(parts) == 4 {
			route.Thread = parts[3]
		}
		key := core.NewSessionKey(route, by.Person)
		_, err := t.Store.Current(ctx, key)
		return key, t.noChat(ctx, by, to, err)
	}
	found, err := t.Store.FindSession(ctx, to, by.Person)
	if errors.Is(err, store.ErrAmbiguous) {
		return "", Known(err)
	}
	return found.Key, t.noChat(ctx, by, to, err)
}

func (t destinations) channels() []string {
	var list []string
	for _, a := range t.Accounts {
		list = append(list, a.Channel)
	}
	return list
}

func (t destinations) chatWith(ctx context.Context, by actor.Actor, agent core.AgentName) (core.SessionKey, error) {
	var own core.Account
	for _, a := range t.Accounts {
		if a.Agent != agent {
			continue
		}
		own = a.Account
		key, err := t.Store.PrivateSession(ctx, own, by.Person)
		if !errors.Is(err, store.ErrNotFound) {
			return key, err
		}
	}
	if own.Name == "" {
		return "", conflict("no_account", "refusal.deliver_to_agent", "agent", agent.Display(), "chats", t.chatsOf(ctx, by))
	}
	return "", conflict("no_chat", "team.no_chat", "agent", agent.Display(), "account", own)
}

// privateChat prefers the account of the requested agent to the first one with a private chat.
func (t destinations) privateChat(ctx context.Context, by actor.Actor, channel string, agents []core.AgentName, to string) (core.SessionKey, error) {
	var accounts []core.Account
	for _, agent := range agents {
		if own, ok := t.Accounts.Of(agent, core.Account{Channel: channel}); ok {
			accounts = append(accounts, own)
		}
	}
	for _, a := range t.Accounts {
		if a.Channel == channel {
			accounts = append(accounts, a.Account)
		}
	}
	for _, a := range accounts {
		key, err := t.Store.PrivateSession(ctx, a, by.Person)
		if !errors.Is(err, store.ErrNotFound) {
			return key, err
		}
	}
	return "", t.noChat(ctx, by, to, store.ErrNotFound)
}

// noChat returns an error that lists the person's chats. It is the same for unknown chats and for
// other people's chats.
func (t destinations) noChat(ctx context.Context, by actor.Actor, to string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return Forbidden("refusal.deliver_to", "to", strconv.Quote(core.Cut(to, 80)), "chats", t.chatsOf(ctx, by))
}

const mostChatsNamed = 5

// chatsOf lists chats that can receive a result, the most recently used first.
func (t destinations) chatsOf(ctx context.Context, by actor.Actor) string {
	list, err := t.Store.Sessions(ctx, store.SessionFilter{Person: by.Person, Limit: 100})
	if err != nil {
		t.Logger.Warn("cannot read a person's chats", "person", by.Person, "error", err)
	}
	var names []string
	for _, found := range list {
		r, name := found.Route, found.Route.At().String()
		if r.Channel == core.ChannelWeb {
			name = r.Channel + "/" + r.Chat
		} else if !t.Sends(r.At()) {
			continue
		}
		if !slices.Contains(names, name) && len(names) < mostChatsNamed {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

const defaultContext = 10

func (t destinations) ofContext(ctx context.Context, by actor.Actor, in api.Context) (*core.Briefing, error) {
	if err := t.may(by, rights.SessionsRead); err != nil {
		return nil, err
	}
	if in.N < 0 || in.N > maxGiven {
		return nil, Invalid("context", "refusal.context_n", "most", maxGiven)
	}
	found, err := t.resolveSession(ctx, by, in.Session)
	if err != nil {
		return nil, err
	}
	n := in.N
	if n == 0 {
		n = defaultContext
	}
	open := found.Group || found.Key.Shared()
	messages, of, err := t.Store.Said(ctx, found.Key, found.ID, open, n)
	if err != nil {
		return nil, err
	}
	b := &core.Briefing{By: by.Name, With: found.Agent, Choice: core.BriefingLast, Open: open, Of: of}
	who := personName(by)
	if found.Person != by.Person {
		who = t.personName(ctx, found.Person)
	}
	for _, m := range messages {
		switch {
		case m.Agent != "":
			b.Messages = append(b.Messages, briefed(m.Agent.Display(), m.Text))
		case found.Key.Shared(): // the text names its author
			b.Messages = append(b.Messages, briefed("", m.Text))
		default:
			b.Messages = append(b.Messages, briefed(who, m.Text))
		}
	}
	return b, nil
}
