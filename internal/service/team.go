package service

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// TeamLimits bound /team. The zero value is the default.
type TeamLimits struct {
	AtOnce    int // open requests of one person; default 5
	PerMinute int // requests of one person; default 6
	// PairPerMinute bounds one person's requests to one agent; default 4.
	PairPerMinute int
	// Messages of the conversation go with a request that gives no number; default [core.Default].
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
	return TeamLimits{or(l.AtOnce, 5), or(l.PerMinute, 6), or(l.PairPerMinute, 4), or(l.Messages, core.DefaultTeamMessages), l.AdminsOnly}
}

// TeamMessages is how many messages go with a request that gives no number.
func (l TeamLimits) TeamMessages() int { return l.withDefaults().Messages }

const (
	maxRanked  = 5    // messages that fit a task
	maxBriefed = 1000 // characters of one message
)

// Teams has the operations of /team, which asks agents beside a conversation.
type Teams struct {
	*Env
	agents   *Agents
	tasks    *Tasks
	accounts agents.Accounts
	limiter  *limit.Limiter
	limits   TeamLimits // with defaults
	maxText  int        // of a task, in bytes
}

func (ts *Teams) bind(r *ops.Runner) {
	ops.Bind(r, api.ListProcedures, ts.listProcedures)
	ops.Bind(r, api.AskTeam, ts.askTeam)
	ops.Bind(r, api.AskProcedure, ts.askProcedure)
}

func (ts *Teams) askTeam(ctx context.Context, by actor.Actor, in api.AskTeamInput) (out api.AskedTeam, err error) {
	if err := ts.mayAsk(by, in.Key); err != nil {
		return out, err
	}
	if in.Text, err = CleanText(in.Text, ts.maxText); err != nil {
		return out, err
	}
	plans, err := ts.plan(ctx, by, in)
	if err != nil {
		return out, err
	}
	c := teamCall{TeamRequest: in.TeamRequest, by: by}
	if c.lead, err = ts.agents.activeIn(ctx, in.Key); err != nil {
		return out, err
	}
	var tokens limit.Tokens
	if err := ts.admitMissing(ctx, c, plans, &tokens); err != nil {
		return out, err
	}
	if out.Tasks, err = ts.create(ctx, c, plans); err != nil {
		ts.limiter.Refund(&tokens)
	}
	if len(out.Tasks) > 0 && IsRefusal(err) {
		out.Refused, err = err, nil
	}
	return out, err
}

// mayAsk returns an error for actors who may not use /team in a conversation.
func (ts *Teams) mayAsk(by actor.Actor, key core.SessionKey) error {
	if err := ts.changes(by, key); err != nil {
		return err
	}
	return ts.mayUseTeam(by)
}

func (ts *Teams) mayUseTeam(by actor.Actor) error {
	if ts.limits.AdminsOnly && !by.Role.Includes(core.MasterAdmin) {
		return Forbidden("team.admins")
	}
	return nil
}

type teamCall struct {
	api.TeamRequest
	by   actor.Actor
	lead core.AgentName // of the conversation
}

// A teamPlan is the task of a target before it is created.
type teamPlan struct {
	store.NewTask
	target api.TeamTarget
	place  core.SessionKey // the conversation in which the agent answers
}

// plan returns the tasks of all targets, without their briefings.
func (ts *Teams) plan(ctx context.Context, by actor.Actor, in api.AskTeamInput) ([]teamPlan, error) {
	plans := make([]teamPlan, len(in.Targets))
	for i, t := range in.Targets {
		if err := ts.mayAskAgent(ctx, by, in.TeamRequest, t.Agent); err != nil {
			return nil, err
		}
		request := requestOf(in.TeamRequest, string(t.Agent))
		plans[i] = teamPlan{NewTask: store.NewTask{Agents: []core.AgentName{t.Agent}, Text: in.Text, Request: request}, target: t}
	}
	for i, t := range in.Targets {
		var err error
		if plans[i].place, err = ts.placeOf(ctx, by, in.TeamRequest, t.Agent); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func (ts *Teams) mayAskAgent(ctx context.Context, by actor.Actor, in api.TeamRequest, agent core.AgentName) error {
	if !ts.agents.has(by, agent) {
		if in.Group {
			return conflict("private", "refusal.agent_private", "agent", agent.Display())
		}
		if err := ts.tasks.registered(ctx, by, agent); err != nil {
			return err
		}
	}
	return ts.MayUse(by, rights.Agent, string(agent))
}

// requestOf identifies what a message asks of an agent or a procedure.
func requestOf(in api.TeamRequest, name string) string {
	return strings.Join([]string{in.Route.Channel, in.Route.Account, string(in.Key), in.MessageID, name}, " ")
}

func (ts *Teams) placeOf(ctx context.Context, by actor.Actor, in api.TeamRequest, agent core.AgentName) (core.SessionKey, error) {
	here := in.Route.At()
	own, ok := ts.accounts.Of(agent, here)
	if !ok || own == here {
		return in.Key, nil
	}
	key, err := ts.Store.PrivateSession(ctx, own, by.Person)
	if errors.Is(err, store.ErrNotFound) {
		return "", conflict("no_chat", "team.no_chat", "agent", agent.Display(), "account", own)
	}
	return key, err
}

// admitMissing counts the tasks that no earlier attempt has created.
func (ts *Teams) admitMissing(ctx context.Context, c teamCall, plans []teamPlan, t *limit.Tokens) error {
	requests := make([]string, len(plans))
	for i, p := range plans {
		requests[i] = p.Request
	}
	there, err := ts.Store.RequestedTasks(ctx, requests)
	if err != nil {
		return err
	}
	var missing []core.AgentName
	for _, p := range plans {
		if _, ok := there[p.Request]; !ok {
			missing = append(missing, p.Agents...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return ts.admit(ctx, c, len(missing), missing, t)
}

// admit returns an error if the person may not ask for more tasks now.
func (ts *Teams) admit(ctx context.Context, c teamCall, tasks int, agents []core.AgentName, t *limit.Tokens) error {
	open, err := ts.Store.OpenRequests(ctx, c.by.Person)
	if err != nil {
		return err
	}
	if n := len(open) + tasks; n > ts.limits.AtOnce {
		key, args := texts.Key("team.many"), []any{"count", tasks, "most", ts.limits.AtOnce}
		if len(open) > 0 {
			key, args = "team.many_open", append(args, "tasks", strings.Join(core.Strings(open), ", "))
		}
		return Refuse(KindTooMany, "too_many", key, args...)
	}
	if wait := ts.limiter.Allow(t, limit.PerMinute("team "+string(c.by.Person), ts.limits.PerMinute)); wait > 0 {
		return tooSoon("team.cool_down", wait)
	}
	for _, agent := range agents {
		pair := limit.PerMinute(strings.Join([]string{"team", string(c.by.Person), string(c.lead), string(agent)}, " "), ts.limits.PairPerMinute)
		if wait := ts.limiter.Allow(t, pair); wait > 0 {
			ts.limiter.Refund(t)
			return tooSoon("team.cool_down_pair", wait, "agent", agent.Display(), "lead", c.lead.Display())
		}
	}
	return nil
}

func tooSoon(text texts.Key, wait time.Duration, args ...any) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return TooMany("too_fast", time.Duration(seconds)*time.Second, text, append(args, "seconds", seconds)...)
}

// create creates the planned tasks, in order. With an error, it returns the tasks before it.
func (ts *Teams) create(ctx context.Context, c teamCall, plans []teamPlan) (tasks []core.Task, err error) {
	here, err := ts.origin(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, p := range plans { // before the first task, which would be in the briefings of the others
		plans[i].Briefing = ts.briefing(ctx, c, here.Session, p.target)
	}
	for _, p := range plans {
		origin := here
		if p.place != c.Key {
			if origin, err = ts.originIn(ctx, c.by, here, p.place, p.Briefing); err != nil {
				return tasks, err
			}
		}
		task, err := ts.tasks.create(ctx, origin, p.NewTask, "")
		if err != nil {
			return tasks, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

func (ts *Teams) origin(ctx context.Context, c teamCall) (core.Origin, error) {
	// The session must be there before the task: the result belongs to it.
	session, err := ts.agents.openSession(ctx, c.Key)
	return core.Origin{Route: c.Route, ReplyTo: c.MessageID, Person: c.by.Person, Role: c.by.Role, Session: session, SessionKey: c.Key,
		Group: c.Group, Depth: 1, Direct: true}, err
}

func (ts *Teams) originIn(ctx context.Context, by actor.Actor, o core.Origin, key core.SessionKey, b *core.Briefing) (core.Origin, error) {
	route, _, err := key.Parse()
	if err != nil {
		return o, err
	}
	session, err := ts.agents.openSession(ctx, key)
	if err != nil {
		return o, err
	}
	o.Source, o.SessionKey = o.SessionKey, key
	o.Route, o.Session = route, session
	o.ReplyTo, o.Group = "", false
	own, _, err := ts.Store.Said(ctx, key, session, false, core.DefaultTeamMessages)
	if err != nil {
		ts.Logger.Warn("cannot read an agent's own chat; the request goes without it", "session", session, "error", err)
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

// briefing leaves out messages that cannot be read: the target is asked all the same.
func (ts *Teams) briefing(ctx context.Context, c teamCall, session core.SessionID, t api.TeamTarget) *core.Briefing {
	b := &core.Briefing{By: c.by.Name, With: c.lead, Choice: core.BriefingLast, Open: c.Group}
	if t.Auto {
		b.Choice = core.BriefingRanked
	}
	messages, of, err := ts.readBriefed(ctx, c.TeamRequest, session, t)
	if err != nil {
		ts.Logger.Warn("cannot read a request's context; the request goes without it", "session", session, "agent", t.Agent, "error", err)
		b.Choice, messages, of = core.BriefingMissing, nil, 0
	}
	for _, m := range messages {
		who := m.Agent.Display()
		if m.Agent == "" && !c.Key.Shared() { // there the text says it
			who = personName(c.by)
		}
		b.Messages = append(b.Messages, briefed(who, m.Text))
	}
	b.Of = of
	if c.Said != "" {
		b.Messages = append(b.Messages, briefed(personName(c.by), c.Said))
		b.Of++
	}
	return b
}

func (ts *Teams) readBriefed(
	ctx context.Context, in api.TeamRequest, session core.SessionID, t api.TeamTarget,
) (messages []core.Message, of int, err error) {
	last := t.Last
	if last == 0 {
		last = ts.limits.Messages
	}
	if in.Said != "" {
		last-- // what the message says besides is the last of them
	}
	messages, of, err = ts.Store.Said(ctx, in.Key, session, in.Group, max(last, 0))
	if err == nil && t.Auto {
		messages, err = ts.Store.RankedMessages(ctx, in.Key, session, in.Group, in.Text+" "+in.Said, maxRanked)
	}
	return messages, of, err
}

func briefed(who, text string) core.BriefingMessage {
	if n := utf8.RuneCountInString(text); n > maxBriefed {
		return core.BriefingMessage{Who: who, Text: core.Cut(text, maxBriefed), Cut: n - maxBriefed + 1}
	}
	return core.BriefingMessage{Who: who, Text: text}
}

func personName(by actor.Actor) string {
	if by.Name != "" {
		return by.Name
	}
	return "The person"
}
