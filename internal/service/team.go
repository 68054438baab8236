package service

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/limit"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/team"
	"errand/internal/texts"
)

// TeamLimits bound how much people ask of agents beside a conversation, by /team. The
// zero value is the default.
type TeamLimits struct {
	AtOnce    int // open requests of one person; default 5
	PerMinute int // requests of one person; default 6
	// PairPerMinute is how many requests of one person to an agent, beside their
	// conversation with another, are taken; default 4.
	PairPerMinute int
	// Messages is how many messages of the conversation go with a request that does not
	// say how many; default [team.Default].
	Messages   int
	AdminsOnly bool // nobody below them asks
}

func (l TeamLimits) withDefaults() TeamLimits {
	or := func(n, def int) int {
		if n == 0 {
			return def
		}
		return n
	}
	return TeamLimits{or(l.AtOnce, 5), or(l.PerMinute, 6), or(l.PairPerMinute, 4), or(l.Messages, team.Default), l.AdminsOnly}
}

// A TeamRequest asks agents for something beside a conversation.
type TeamRequest struct {
	Message store.InboxMessage // that asks, as the inbox would have it
	Said    string             // the other words of the message: the last of what goes with the task
	Text    string             // the task
	Targets []TeamTarget       // at least one
}

// A TeamTarget is an agent that is asked, and which messages go with its task.
type TeamTarget struct {
	Agent errand.AgentName
	Last  int  // the last ones of the conversation; 0: as many as are configured
	Auto  bool // those that fit the task, instead
}

const rankedMessages = 5

const longestBriefed = 1000 // characters of one message

// AskTeam gives each target a task of its own, and starts it. Each answers in its own
// voice: in its own chat with the person, where it has an account on the platform, else
// in the conversation. The same message asks once. With an error it returns the tasks that
// it has started before.
func (s *Service) AskTeam(ctx context.Context, by Actor, in TeamRequest) ([]errand.Task, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return nil, err
	}
	key := in.Message.Session()
	if err := s.changes(by, key); err != nil {
		return nil, err
	}
	if err := s.MayAskTeam(by); err != nil {
		return nil, err
	}
	text, err := CleanText(in.Text, s.MessageBytes)
	if err != nil {
		return nil, err
	}
	requests := make([]string, len(in.Targets))
	for i, t := range in.Targets {
		if !s.knows(by, t.Agent) {
			if in.Message.Group || in.Message.Shared {
				return nil, conflict("private", "refusal.agent_private", "agent", t.Agent.Display())
			}
			if err := s.registered(ctx, by, t.Agent); err != nil {
				return nil, err
			}
		}
		if err := s.MayUse(by, rights.Agent, string(t.Agent)); err != nil {
			return nil, err
		}
		m := in.Message
		requests[i] = strings.Join([]string{m.Route.Channel, m.Route.Account, string(key), m.MessageID, string(t.Agent)}, " ")
	}
	there, err := s.Store.RequestedTasks(ctx, requests)
	if err != nil {
		return nil, err
	}
	places, err := s.placesOf(ctx, by, in)
	if err != nil {
		return nil, err
	}
	lead, err := s.readActiveAgent(ctx, key)
	if err != nil {
		return nil, err
	}
	var tokens limit.Tokens
	var missing []errand.AgentName // whom an attempt before this one has not asked
	for i, t := range in.Targets {
		if _, ok := there[requests[i]]; !ok {
			missing = append(missing, t.Agent)
		}
	}
	if len(missing) > 0 {
		if err := s.allowTeam(ctx, by, lead, len(missing), missing, &tokens); err != nil {
			return nil, err
		}
	}
	tasks, err := s.createTeam(ctx, by, in, places, lead, text, requests)
	if err != nil {
		s.limiter.Refund(&tokens)
	}
	return tasks, err
}

// MayAskTeam refuses who may not use /team here, whatever they may delegate otherwise.
func (s *Service) MayAskTeam(by Actor) error {
	if s.Team.AdminsOnly && !by.Role.Includes(errand.MasterAdmin) {
		return Forbidden("team.admins")
	}
	return nil
}

// TeamMessages is how many messages go with a request of /team that does not say it.
func (l TeamLimits) TeamMessages() int { return l.withDefaults().Messages }

func (s *Service) allowTeam(ctx context.Context, by Actor, lead errand.AgentName, tasks int, agents []errand.AgentName, t *limit.Tokens) error {
	limits := s.Team.withDefaults()
	open, err := s.Store.OpenRequests(ctx, by.Person)
	if err != nil {
		return err
	}
	if n := len(open) + tasks; n > limits.AtOnce {
		key, args := texts.Key("team.many"), []any{"count", tasks, "most", limits.AtOnce}
		if len(open) > 0 {
			key, args = "team.many_open", append(args, "tasks", strings.Join(errand.Strings(open), ", "))
		}
		return Refuse(KindTooMany, "too_many", key, args...)
	}
	buckets := []limit.Bucket{limit.PerMinute("team "+string(by.Person), limits.PerMinute)}
	if wait := s.limiter.Allow(t, buckets...); wait > 0 {
		return tooSoon("team.cool_down", wait)
	}
	for _, agent := range agents {
		pair := limit.PerMinute(strings.Join([]string{"team", string(by.Person), string(lead), string(agent)}, " "), limits.PairPerMinute)
		if wait := s.limiter.Allow(t, pair); wait > 0 {
			s.limiter.Refund(t)
			return tooSoon("team.cool_down_pair", wait, "agent", agent.Display(), "lead", lead.Display())
		}
	}
	return nil
}

func tooSoon(text texts.Key, wait time.Duration, args ...any) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return TooMany("too_fast", time.Duration(seconds)*time.Second, text, append(args, "seconds", seconds)...)
}

func (s *Service) placesOf(ctx context.Context, by Actor, in TeamRequest) ([]errand.SessionKey, error) {
	here := in.Message.Route.At()
	places := make([]errand.SessionKey, len(in.Targets))
	for i, t := range in.Targets {
		places[i] = in.Message.Session()
		own, ok := s.Accounts.Of(t.Agent, here)
		if !ok || own == here {
			continue
		}
		key, err := s.Store.PrivateSession(ctx, own, by.Person)
		if errors.Is(err, store.ErrNotFound) {
			return nil, conflict("no_chat", "team.no_chat", "agent", t.Agent.Display(), "account", own)
		}
		if err != nil {
			return nil, err
		}
		places[i] = key
	}
	return places, nil
}

func (s *Service) createTeam(ctx context.Context, by Actor, in TeamRequest, places []errand.SessionKey, lead errand.AgentName, text string, requests []string) ([]errand.Task, error) {
	key := in.Message.Session()
	origin, err := s.teamOrigin(ctx, by, in.Message)
	if err != nil {
		return nil, err
	}
	briefings := make([]*errand.Briefing, len(in.Targets)) // all before the first task, which is no part of them
	for i, t := range in.Targets {
		briefings[i] = s.briefing(ctx, by, origin.Session, lead, in, t)
	}
	var tasks []errand.Task
	for i, t := range in.Targets {
		b, taskOrigin := briefings[i], origin
		if places[i] != key {
			if taskOrigin, err = s.originIn(ctx, by, origin, places[i], b); err != nil {
				return tasks, err
			}
		}
		task, err := s.create(ctx, taskOrigin, store.NewTask{Agents: []errand.AgentName{t.Agent}, Text: text, Request: requests[i], Briefing: b}, "")
		if err != nil {
			return tasks, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

func (s *Service) teamOrigin(ctx context.Context, by Actor, m store.InboxMessage) (errand.Origin, error) {
	key := m.Session()
	// The session must be there before the task: its result belongs to it.
	session, err := s.openSession(ctx, key)
	return errand.Origin{Route: m.Route, ReplyTo: m.MessageID, Person: by.Person, Role: by.Role, Session: session, SessionKey: key,
		Group: m.Group || m.Shared, Depth: 1, Direct: true}, err
}

func (s *Service) originIn(ctx context.Context, by Actor, o errand.Origin, key errand.SessionKey, b *errand.Briefing) (errand.Origin, error) {
	route, _, err := key.Parse()
	if err != nil {
		return o, err
	}
	session, err := s.openSession(ctx, key)
	if err != nil {
		return o, err
	}
	o.Route, o.Session, o.Source, o.SessionKey, o.ReplyTo, o.Group = route, session, o.SessionKey, key, "", false
	own, _, err := s.Store.Said(ctx, key, session, false, team.Default)
	if err != nil {
		s.Logger.Warn("an agent's own chat not read; it is asked without", "session", session, "error", err)
	}
	for _, m := range own {
		who := m.Agent.Display()
		if m.Agent == "" {
			who = personName(by)
		}
		b.Own = append(b.Own, briefed(who, m.Text))
	}
	return o, nil
}

// briefing is what goes with the task of a target. Messages that cannot be read are
// missing, and keep nobody from being asked.
func (s *Service) briefing(ctx context.Context, by Actor, session errand.SessionID, lead errand.AgentName, in TeamRequest, t TeamTarget) *errand.Briefing {
	b := &errand.Briefing{By: by.Name, With: lead, Choice: errand.BriefingLast, Open: in.Message.Group || in.Message.Shared}
	if t.Auto {
		b.Choice = errand.BriefingRanked
	}
	messages, of, err := s.readBriefed(ctx, session, in, t)
	if err != nil {
		s.Logger.Warn("context of a request not read; it goes without", "session", session, "agent", t.Agent, "error", err)
		b.Choice, messages, of = errand.BriefingMissing, nil, 0
	}
	for _, m := range messages {
		who := m.Agent.Display()
		if m.Agent == "" && !in.Message.Shared { // there the text says it
			who = personName(by)
		}
		b.Messages = append(b.Messages, briefed(who, m.Text))
	}
	b.Of = of
	if in.Said != "" {
		b.Messages = append(b.Messages, briefed(personName(by), in.Said))
		b.Of++
	}
	return b
}

func (s *Service) readBriefed(ctx context.Context, session errand.SessionID, in TeamRequest, t TeamTarget) (messages []errand.Message, of int, err error) {
	last := t.Last
	if last == 0 {
		last = s.Team.withDefaults().Messages
	}
	if in.Said != "" {
		last-- // what the message says besides is the last of them
	}
	key, open := in.Message.Session(), in.Message.Group || in.Message.Shared
	messages, of, err = s.Store.Said(ctx, key, session, open, max(last, 0))
	if err == nil && t.Auto {
		messages, err = s.Store.RankedMessages(ctx, key, session, open, in.Text+" "+in.Said, rankedMessages)
	}
	return messages, of, err
}

func briefed(who, text string) errand.BriefingMessage {
	if n := utf8.RuneCountInString(text); n > longestBriefed {
		return errand.BriefingMessage{Who: who, Text: errand.Cut(text, longestBriefed), Cut: n - longestBriefed + 1}
	}
	return errand.BriefingMessage{Who: who, Text: text}
}

func personName(by Actor) string {
	if by.Name != "" {
		return by.Name
	}
	return "The person"
}
