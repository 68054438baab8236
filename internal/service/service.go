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

// Deps are what a service works with. Env, Runner, Dispatch and Roster are required.
type Deps struct {
	*Env
	// Runner runs the operations; see [NewRunner].
	Runner   *ops.Runner
	Dispatch *dispatch.Dispatcher
	Roster   *agents.Roster
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
	// BackUpEvery is the time between scheduled backups; 0: there are none.
	BackUpEvery time.Duration
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

// New checks deps and binds all operations to their runner.
func New(deps Deps) (*Service, error) {
	if err := deps.complete(); err != nil {
		return nil, err
	}
	s := &Service{Deps: deps, limiter: &limit.Limiter{Now: deps.Now, Rows: deps.RateRows, Logger: deps.Logger}}
	s.agents = &Agents{Env: s.Env, roster: s.Roster, accounts: s.Accounts, handOvers: s.HandOvers,
		sticky: s.Sticky, stickyFor: s.StickyFor, beginWithLast: s.BeginWithLast}
	s.tasks = &Tasks{&s.Deps, s.agents}
	s.questions = &Questions{s.Env, s.Dispatch, s.tasks, s.MessageBytes, s.Points}
	s.Internal = &Internal{&s.Deps, s.tasks, s.questions, s.limiter, limit.NewSemaphore[core.AgentName](maxPollsPerPeer)}
	s.Logins = &Logins{s.Env, s.Access}
	s.bind()
	return s, nil
}

// complete checks d and sets its defaults and those of Env.
func (d *Deps) complete() error {
	switch {
	case d.Env == nil:
		return errors.New("service: no environment")
	case d.Runner == nil:
		return errors.New("service: no runner")
	case d.Dispatch == nil:
		return errors.New("service: no dispatcher")
	case d.Roster == nil:
		return errors.New("service: no roster")
	}
	if err := d.Env.complete(); err != nil {
		return err
	}
	if d.Sends == nil {
		d.Sends = d.Accounts.Has
	}
	if d.Webhooks == nil {
		sender, err := push.NewWebhookSender(nil)
		if err != nil {
			return err
		}
		d.Webhooks = sender
	}
	if d.Browsers == nil {
		key, err := push.NewKey()
		if err != nil {
			return err
		}
		sender, err := push.NewBrowserSender(push.Options{Key: key})
		if err != nil {
			return err
		}
		d.Browsers = sender
	}
	if d.QuestionPace.ExpireAfter == 0 {
		d.QuestionPace = store.DefaultQuestionPace()
	}
	if d.MessageBytes == 0 {
		d.MessageBytes = 64 << 10
	}
	if d.Busy == "" {
		d.Busy = wire.Settings{}.WithDefaults().Busy
	}
	return nil
}

// bind binds the operations of all entities to the runner.
func (s *Service) bind() {
	people := &People{s.Env, &Pairings{s.Env, s.Internal}, s.tasks, s.agents, s.questions, s.Owner}
	reminders := &Reminders{s.Env, s.Dispatch, s.agents, s.MessageBytes}
	sessions := &Sessions{s.Env, s.Dispatch, s.Roster, s.Tools}
	models := &Models{s.Env, s.Roster, s.Health}
	installation := &Installation{Env: s.Env, dispatch: s.Dispatch, accounts: s.Accounts, models: models, about: s.About, crowded: s.Crowded, backUpEvery: s.BackUpEvery, metrics: s.Metrics}
	messages := &Messages{Env: s.Env, Log: s.Store, Bus: s.Store.Bus(), MaxText: s.MessageBytes, ReplyTimeout: s.ReplyTimeout}
	for _, entity := range []interface{ bind(*ops.Runner) }{
		s.agents, s.tasks, s.questions, people, people.pairings, sessions, models, installation,
		&A2A{s.Env, s.Dispatch, s.tasks, s.questions, s.Webhooks},
		&Audit{s.Env},
		&Calls{s.Env},
		&Channels{s.Env, s.Accounts, s.PairCode},
		&Chats{s.Env, s.Dispatch, s.agents, s.tasks, s.Busy, s.Models},
		&Commands{s.Env, s.Commands},
		&Deliveries{s.Env, s.Dispatch},
		&Files{s.Env, s.Dispatch, s.MaxFile},
		&ChatWork{s.Env, reminders},
		&Hooks{&s.Deps},
		&MCPServers{s.Env, s.Roster, s.MCP},
		&Notes{s.Env},
		&Openings{s.Env, people, installation, s.agents, sessions},
		&Pushes{s.Env, s.Browsers},
		&RegisteredAgents{s.Env, s.Dispatch, s.Roster},
		reminders,
		&RemoteAgents{s.Peers, s.Coding},
		&Teams{s.Env, s.agents, s.tasks, s.Accounts, s.limiter, s.Team.withDefaults(), s.MessageBytes},
		&Tokens{s.Env},
		&Usage{s.Env},
	} {
		entity.bind(s.Runner)
	}
	messages.Bind(s.Runner)
	if s.NewIntake != nil {
		messages.Intake = s.NewIntake(s)
	}
}
