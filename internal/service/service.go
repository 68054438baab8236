// Package service has the functions of the operations of package api: one struct for each entity.
// It knows no HTTP and no chat platform.
//
// A door has no rule of its own: it authenticates a caller to an [actor.Actor], runs an operation
// and writes its wire format. The runner checks the capability that an operation needs. A function
// checks the rest: another person's things need others.read or others.change as well. Errors have
// a kind and a code, which each door writes as its protocol does.
package service

import (
	"context"
	"errors"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/ops"
	"errand/internal/probe"
	"errand/internal/push"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
)

// Deps are what a service works with. Dispatch and Roster are needed.
type Deps struct {
	Env
	Dispatch *dispatch.Dispatcher
	Roster   *agents.Roster
	// Runner runs the operations; default: a new one that counts messages with Count. Count returns
	// an error if the actor sends too many; default: no limit.
	Runner *ops.Runner
	Count  func(actor.Actor) error
	// Busy is the default busy mode of conversations; default: as workflows have it.
	Busy wire.BusyMode
	// Sticky lets conversations stay with other agents than the primary; StickyFor is the default
	// time.
	Sticky    bool
	StickyFor time.Duration
	// BeginWithLast lets new sessions begin with the agent that their person talked with last.
	BeginWithLast bool
	// Models are the names of the configured models by their keys; default: the key.
	Models map[string]string
	// Health knows whether the models answer; nil: unknown.
	Health ModelHealth
	// About describes this worker: Demo, Version, Programs and WebUI. Crowded returns the agents that
	// have more tools than their requests take; nil: none.
	About   api.About
	Crowded func() []core.CrowdedAgent
	// Metrics are those of this process; nil: there are none.
	Metrics *telemetry.Metrics
	// Webhooks calls programs; default: on the public internet only.
	Webhooks Webhooks
	// Browsers sends web pushes; default: with a new key.
	Browsers Browsers
	MCP      MCP
	// Access says who gets in; default: known people, and those who are approved.
	Access AccessRules
	// Accounts are ours on platforms, with their agents, in the order of the file.
	Accounts agents.Accounts
	// Sends reports whether this process can send on an account; default: on those of Accounts.
	Sends func(core.Account) bool
	// MaxFile is the size limit of a file on a route, in bytes, 0: none can be sent; default: any
	// size.
	MaxFile func(core.Route) int64
	// PairCode asks a platform for a code that links an account when typed into the phone with a
	// number; nil: there are none.
	PairCode func(ctx context.Context, a core.Account, phone string) (string, error)
	// Owner is the operator, who cannot be removed.
	Owner core.PersonID
	// QuestionPace says when to remind of a question; default: [store.DefaultQuestionPace].
	QuestionPace store.QuestionPace
	// MessageBytes is the longest text that is accepted; default 64 kB.
	MessageBytes int
	// Tools names what the agent of a session may call for a role; nil: unknown.
	Tools func(s core.Session, person core.Role) []string
	// Commands are the commands of chats in a language, in the order of /help; nil: none.
	Commands func(language string) []api.Command
	// HandOvers counts changes of agents by people, by from, to and cause; nil: no count.
	HandOvers *telemetry.Counter
	// LateAnswers counts late answers of peers, by kind; nil: no count.
	LateAnswers *telemetry.Counter
	// Team bounds /team; RateRows are the buckets of all workers, see [limit.Limiter]; nil: this
	// is the only one.
	Team       TeamLimits
	RateRows   limit.Rows
	Procedures []core.Procedure
	// PairPerHour bounds how often two agents ask each other in one conversation within an hour;
	// 0: no bound.
	PairPerHour int
	// Peers are where remote agents work.
	Peers map[core.AgentName]Peer
	// Coding starts the programs of coding agents, and says why they cannot work.
	Coding map[core.AgentName]func(context.Context) error
	// Points, if set, is called at the points where a crash is worth trying.
	Points probe.Func
	// NewIntake returns the intake of messages of doors; nil: none are accepted. It is called with
	// all fields set, once other operations can run.
	NewIntake func(*Service) Intake
	// ReplyTimeout is how long an operation waits for a reply; default 5 min.
	ReplyTimeout time.Duration
}

// A Service does what people and programs ask for. It is safe for concurrent use.
type Service struct {
	Deps
	// Internal is the work that errand starts by itself.
	Internal *Internal
	// Logins find out who a caller is.
	Logins    *Logins
	agents    *Agents
	tasks     *Tasks
	limiter   *limit.Limiter
	questions *Questions
}

// New checks that deps are complete.
func New(deps Deps) (*Service, error) {
	switch {
	case deps.Dispatch == nil:
		return nil, errors.New("service: no dispatcher")
	case deps.Roster == nil:
		return nil, errors.New("service: no roster")
	}
	if err := deps.Env.complete(); err != nil {
		return nil, err
	}
	if deps.Sends == nil {
		deps.Sends = deps.Accounts.Has
	}
	if deps.Webhooks == nil {
		sender, err := push.NewWebhookSender(nil)
		if err != nil {
			return nil, err
		}
		deps.Webhooks = sender
	}
	if deps.Browsers == nil {
		key, err := push.NewKey()
		if err != nil {
			return nil, err
		}
		sender, err := push.NewBrowserSender(push.Options{Key: key})
		if err != nil {
			return nil, err
		}
		deps.Browsers = sender
	}
	if deps.QuestionPace.ExpireAfter == 0 {
		deps.QuestionPace = store.DefaultQuestionPace()
	}
	if deps.MessageBytes == 0 {
		deps.MessageBytes = 64 << 10
	}
	if deps.Busy == "" {
		deps.Busy = wire.Settings{}.WithDefaults().Busy
	}
	s := &Service{Deps: deps, limiter: &limit.Limiter{Now: deps.Now, Rows: deps.RateRows, Logger: deps.Logger}}
	if s.Runner == nil {
		s.Runner = NewRunner(&s.Env, deps.Count)
	}
	(&Notes{&s.Env}).bind(s.Runner)
	(&Reminders{&s.Env, deps.Dispatch, deps.MessageBytes}).bind(s.Runner)
	s.agents = &Agents{Env: &s.Env, roster: deps.Roster, accounts: deps.Accounts, handOvers: deps.HandOvers,
		sticky: deps.Sticky, stickyFor: deps.StickyFor, beginWithLast: deps.BeginWithLast}
	s.agents.bind(s.Runner)
	s.tasks = &Tasks{&s.Deps, s.agents}
	s.tasks.bind(s.Runner)
	(&Teams{&s.Env, s.agents, s.tasks, deps.Accounts, s.limiter, deps.Team.withDefaults(), deps.MessageBytes}).bind(s.Runner)
	sessions := &Sessions{&s.Env, deps.Dispatch, deps.Roster, deps.Tools}
	sessions.bind(s.Runner)
	(&Chats{&s.Env, deps.Dispatch, s.agents, s.tasks, deps.Busy, deps.Models}).bind(s.Runner)
	(&Commands{&s.Env, deps.Commands}).bind(s.Runner)
	s.questions = &Questions{&s.Env, deps.Dispatch, s.tasks, deps.MessageBytes, deps.Points}
	s.questions.bind(s.Runner)
	s.Internal = &Internal{&s.Deps, s.tasks, s.questions, s.limiter, limit.NewSemaphore[core.AgentName](maxPollsPerPeer)}
	s.Logins = &Logins{&s.Env, deps.Access}
	pairings := &Pairings{&s.Env, s.Internal}
	pairings.bind(s.Runner)
	people := &People{&s.Env, pairings, s.tasks, deps.Owner}
	people.bind(s.Runner)
	(&Tokens{&s.Env}).bind(s.Runner)
	(&Pushes{&s.Env, deps.Browsers}).bind(s.Runner)
	(&Audit{&s.Env}).bind(s.Runner)
	(&Hooks{&s.Deps}).bind(s.Runner)
	models := &Models{&s.Env, deps.Roster, deps.Health}
	models.bind(s.Runner)
	installation := &Installation{Env: &s.Env, dispatch: deps.Dispatch, accounts: deps.Accounts, models: models, about: deps.About, crowded: deps.Crowded,
		metrics: deps.Metrics}
	installation.bind(s.Runner)
	(&Openings{&s.Env, people, installation, s.agents, sessions}).bind(s.Runner)
	(&RemoteAgents{deps.Peers, deps.Coding}).bind(s.Runner)
	(&RegisteredAgents{&s.Env, deps.Dispatch, deps.Roster}).bind(s.Runner)
	(&MCPServers{&s.Env, deps.Roster, deps.MCP}).bind(s.Runner)
	(&Channels{&s.Env, deps.Accounts, deps.PairCode}).bind(s.Runner)
	(&Deliveries{&s.Env, deps.Dispatch}).bind(s.Runner)
	(&Calls{&s.Env}).bind(s.Runner)
	(&A2A{&s.Env, deps.Dispatch, s.tasks, s.questions, deps.Webhooks}).bind(s.Runner)
	(&Usage{&s.Env}).bind(s.Runner)
	(&Files{&s.Env, deps.Dispatch, deps.MaxFile}).bind(s.Runner)
	messages := &Messages{Env: &s.Env, Log: s.Store, Bus: s.Store.Bus(), MaxText: s.MessageBytes, ReplyTimeout: s.ReplyTimeout}
	messages.Bind(s.Runner)
	if s.NewIntake != nil {
		messages.Intake = s.NewIntake(s)
	}
	return s, nil
}
