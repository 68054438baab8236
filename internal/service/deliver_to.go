package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// deliverTo is an origin whose result is told in a chat of the person that the request names,
// in the voice of whoever works for it. The chat is one of:
//
//   - an agent: their private chat with an account of ours that is that agent's;
//   - a channel, or a channel and an account, as telegram/finn: their private chat there;
//   - a channel, an account and a chat, with or without its thread, as telegram/finn/42: that
//     one, if they have a conversation of their own there;
//   - a session of theirs, by its id or the beginning of it: the chat that it is in.
//
// None of somebody else's is found.
func (s *Service) deliverTo(ctx context.Context, by Actor, o errand.Origin, agents []errand.AgentName, to string) (errand.Origin, error) {
	key, err := s.chatNamed(ctx, by, agents, strings.TrimSpace(to))
	if err != nil {
		return o, err
	}
	route, _, err := key.Parse()
	if err != nil {
		return o, err
	}
	if route.Channel != errand.ChannelWeb && !s.Sends(route.At()) {
		return o, conflict("no_account", "refusal.deliver_to_account", "account", route.At())
	}
	o.Route, o.Direct = route, true
	return o, s.ofSession(ctx, &o, key)
}

func (s *Service) chatNamed(ctx context.Context, by Actor, agents []errand.AgentName, to string) (errand.SessionKey, error) {
	parts := strings.Split(to, "/")
	if _, ok := s.Roster.Agent(errand.AgentName(strings.ToLower(to))); ok {
		return s.chatWith(ctx, by, errand.AgentName(strings.ToLower(to)))
	}
	channel := strings.ToLower(parts[0])
	known := channel == errand.ChannelWeb || slices.ContainsFunc(errand.Strings(s.channels()), func(c string) bool { return c == channel })
	switch {
	case known && len(parts) == 1 && channel != errand.ChannelWeb:
		return s.privateChat(ctx, by, channel, agents, to)
	case known && len(parts) == 2 && channel == errand.ChannelWeb:
		route, err := WebRoute(parts[1])
		return errand.NewSessionKey(route, by.Person), err
	case known && len(parts) == 2:
		key, err := s.Store.PrivateSession(ctx, errand.Account{Channel: channel, Name: parts[1]}, by.Person)
		return key, s.noChat(ctx, by, to, err)
	case known && (len(parts) == 3 || len(parts) == 4):
		route := errand.Route{Channel: channel, Account: parts[1], Chat: parts[2]}
		if len(parts) == 4 {
			route.Thread = parts[3]
		}
		key := errand.NewSessionKey(route, by.Person)
		_, err := s.Store.Current(ctx, key)
		return key, s.noChat(ctx, by, to, err)
	}
	found, err := s.Store.FindSession(ctx, to, by.Person)
	if errors.Is(err, store.ErrAmbiguous) {
		return "", Known(err)
	}
	return found.Key, s.noChat(ctx, by, to, err)
}

func (s *Service) channels() []string {
	var list []string
	for _, a := range s.Accounts {
		list = append(list, a.Channel)
	}
	return list
}

func (s *Service) chatWith(ctx context.Context, by Actor, agent errand.AgentName) (errand.SessionKey, error) {
	var own errand.Account
	for _, a := range s.Accounts {
		if a.Agent != agent {
			continue
		}
		own = a.Account
		key, err := s.Store.PrivateSession(ctx, own, by.Person)
		if !errors.Is(err, store.ErrNotFound) {
			return key, err
		}
	}
	if own.Name == "" {
		return "", conflict("no_account", "refusal.deliver_to_agent", "agent", agent.Display(), "chats", s.chatsOf(ctx, by))
	}
	return "", conflict("no_chat", "team.no_chat", "agent", agent.Display(), "account", own)
}

// privateChat is the person's private chat on a channel: with the agent that is asked, where
// that has an account there, and else on the first account on which there is one.
func (s *Service) privateChat(ctx context.Context, by Actor, channel string, agents []errand.AgentName, to string) (errand.SessionKey, error) {
	var accounts []errand.Account
	for _, agent := range agents {
		if own, ok := s.Accounts.Of(agent, errand.Account{Channel: channel}); ok {
			accounts = append(accounts, own)
		}
	}
	for _, a := range s.Accounts {
		if a.Channel == channel {
			accounts = append(accounts, a.Account)
		}
	}
	for _, a := range accounts {
		key, err := s.Store.PrivateSession(ctx, a, by.Person)
		if !errors.Is(err, store.ErrNotFound) {
			return key, err
		}
	}
	return "", s.noChat(ctx, by, to, store.ErrNotFound)
}

// noChat says which chats there are, where one is named that is not theirs. Of somebody else's
// it says no more than of none.
func (s *Service) noChat(ctx context.Context, by Actor, to string, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return Forbidden("refusal.deliver_to", "to", strconv.Quote(errand.Cut(to, 80)), "chats", s.chatsOf(ctx, by))
}

const mostChatsNamed = 5

// chatsOf names the chats of a person in which something can be told, the last used first.
func (s *Service) chatsOf(ctx context.Context, by Actor) string {
	list, err := s.Store.Sessions(ctx, store.SessionFilter{Person: by.Person, Limit: 100})
	if err != nil {
		s.Logger.Warn("the chats of a person are not known", "person", by.Person, "error", err)
	}
	var names []string
	for _, found := range list {
		r, name := found.Route, found.Route.At().String()
		if r.Channel == errand.ChannelWeb {
			name = r.Channel + "/" + r.Chat
		} else if !s.Sends(r.At()) {
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

// A Context names a conversation of errand's own whose last messages go with a task.
type Context struct {
	Session string `json:"session" required:"true" description:"its id, or the unique beginning of it"`
	N       int    `json:"n" description:"how many of its last messages; 10 by default, at most 20"`
}

// defaultContext is how many messages go with a task that does not say it.
const defaultContext = 10

func (s *Service) ofContext(ctx context.Context, by Actor, in Context) (*errand.Briefing, error) {
	if err := s.may(by, rights.SessionsRead); err != nil {
		return nil, err
	}
	if in.N < 0 || in.N > mostGiven {
		return nil, Invalid("context", "refusal.context_n", "most", mostGiven)
	}
	found, err := s.resolveSession(ctx, by, in.Session)
	if err != nil {
		return nil, err
	}
	n := in.N
	if n == 0 {
		n = defaultContext
	}
	open := found.Group || found.Key.Shared()
	messages, of, err := s.Store.Said(ctx, found.Key, found.ID, open, n)
	if err != nil {
		return nil, err
	}
	b := &errand.Briefing{By: by.Name, With: found.Agent, Choice: errand.BriefingLast, Open: open, Of: of}
	who := personName(by)
	if found.Person != by.Person {
		who = s.personName(ctx, found.Person)
	}
	for _, m := range messages {
		switch {
		case m.Agent != "":
			b.Messages = append(b.Messages, briefed(m.Agent.Display(), m.Text))
		case found.Key.Shared(): // the text says who
			b.Messages = append(b.Messages, briefed("", m.Text))
		default:
			b.Messages = append(b.Messages, briefed(who, m.Text))
		}
	}
	return b, nil
}
