// Package service is what people and programs may do: each method is for an [Actor]
// and checks what they may, whichever door they came in by. It knows no HTTP and no
// chat.
//
// A door is a way in for people or programs. It has no rule of its own: it authenticates
// a caller to an Actor, calls the service and writes its wire format. The first line of a
// method asks for a capability; another person's things need others.read or others.change
// as well. To talk with an agent a door calls [Service.Converse]: when that returns, the
// message is accepted. It then waits with [Conversation.Reply] for as long as its ctx
// permits; the reply reaches the event log of the chat in any case. Errors have a kind and
// a code, which each door writes as its protocol does.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/dispatch"
	"errand/internal/limit"
	"errand/internal/metrics"
	"errand/internal/probe"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/webhook"
	"errand/internal/webpush"
	"errand/workflows"
)

// Deps are what a service works with. The first four are needed.
type Deps struct {
	Dispatch *dispatch.Dispatcher
	Store    *store.Store
	Roster   *agents.Roster
	Logger   *slog.Logger
	Rights   *rights.Table // default: as shipped
	// Busy is the busy mode of conversations of which nobody has set another;
	// default: as workflows have it.
	Busy workflows.BusyMode
	// Texts is what errand says itself; default: as shipped. Language is that of
	// people who have not said otherwise; default: English.
	Texts    *texts.Catalog
	Language string
	// Sticky lets conversations be with other agents than the primary; StickyFor
	// is for how long, where the agent does not say.
	Sticky    bool
	StickyFor time.Duration
	// BeginWithLast lets new sessions begin with the agent that their person talked with last.
	BeginWithLast bool
	// Models are the names of the configured models by their keys, as people
	// know them; one that is missing goes by its key.
	Models map[string]string
	// Health is what is known of whether the models answer; nil: nothing.
	Health ModelHealth
	// Webhooks sends what programs are told, and knows where they may go; default: to the public internet only.
	Webhooks Webhooks
	// Browsers are told of what comes while no page is open; default: with a key that is drawn anew.
	Browsers Browsers
	// MCP is the MCP servers; nil: there are none.
	MCP MCP
	// Access says who gets in; default: those who are known, and whoever is approved.
	Access AccessRules
	// Accounts are ours on platforms, with their agents, in the order of the file.
	Accounts agents.Accounts
	// Sends reports whether what is told on an account can be sent from here; default:
	// on those of Accounts.
	Sends func(errand.Account) bool
	// MaxFile returns how large a file may be that is sent on a route, in bytes, and 0
	// where none can be; default: as large as a file can be.
	MaxFile func(errand.Route) int64
	// PairCode asks a platform for a code that links an account when it is typed
	// into the phone with a number; nil: there are none.
	PairCode func(ctx context.Context, a errand.Account, phone string) (string, error)
	// Owner is who cannot be removed: whoever sits at the machine.
	Owner errand.PersonID
	// QuestionPace says when people are reminded of a question; default:
	// [store.DefaultQuestionPace].
	QuestionPace store.QuestionPace
	Now          func() time.Time // the clock; default: time.Now
	// Zone is where the times are that people read; default: UTC.
	Zone *time.Location
	// MessageBytes is the longest text that is accepted; default 64 kB.
	MessageBytes int
	// Tools names what the agent of a session may call for somebody with a role; nil:
	// nobody knows.
	Tools func(s store.Session, person errand.Role) []string
	// HandOvers counts the agents that people have chosen, by from, to and cause; nil:
	// nobody counts.
	HandOvers *metrics.Counter
	// LateAnswers counts what peers have said late, by kind; nil: nobody counts.
	LateAnswers *metrics.Counter
	// Team bounds what people ask of agents by /team; RateRows are the buckets of all
	// workers, see [limit.Limiter]; nil: there is no other.
	Team     TeamLimits
	RateRows limit.Rows
	// Procedures are the delegations that the configuration names.
	Procedures []errand.Procedure
	// PairPerHour is how often two agents may ask each other in one conversation within an
	// hour; 0: without bound.
	PairPerHour int
	// Peers are where remote agents work.
	Peers map[errand.AgentName]Peer
	// Coding starts the programs of coding agents, and says why they cannot work.
	Coding map[errand.AgentName]func(context.Context) error
	// Points, if set, is called at the points where a crash is worth trying.
	Points probe.Func
	// Intake takes in what is said by doors. It is made with the service, and set
	// before the first message.
	Intake Intake
}

// A Service does what people and programs ask for. It is safe for concurrent use.
type Service struct {
	Deps
	numbers countCache
	limiter *limit.Limiter
	polls   *limit.Semaphore[errand.AgentName] // at peers, see pollLatePeer
	waiting waitingAgents
}

// TextsFor are errand's words in the first of some languages that it speaks; in the
// installation's if it speaks none.
func (s *Service) TextsFor(languages ...string) texts.Texts {
	return s.Texts.For(append(slices.Clone(languages), s.Language)...)
}

// New checks that deps are complete.
func New(deps Deps) (*Service, error) {
	switch {
	case deps.Dispatch == nil:
		return nil, errors.New("service: no dispatcher")
	case deps.Store == nil:
		return nil, errors.New("service: no store")
	case deps.Roster == nil:
		return nil, errors.New("service: no roster")
	case deps.Logger == nil:
		return nil, errors.New("service: no logger")
	}
	if deps.Rights == nil {
		deps.Rights = rights.Default()
	}
	if deps.Texts == nil {
		var err error
		if deps.Texts, err = texts.New(nil); err != nil {
			return nil, fmt.Errorf("service: %w", err)
		}
	}
	if deps.Sends == nil {
		deps.Sends = deps.Accounts.Has
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Webhooks == nil {
		sender, err := webhook.New(nil)
		if err != nil {
			return nil, err
		}
		deps.Webhooks = sender
	}
	if deps.Browsers == nil {
		key, err := webpush.NewKey()
		if err != nil {
			return nil, err
		}
		sender, err := webpush.New(webpush.Options{Key: key})
		if err != nil {
			return nil, err
		}
		deps.Browsers = sender
	}
	if deps.QuestionPace.ExpireAfter == 0 {
		deps.QuestionPace = store.DefaultQuestionPace()
	}
	if deps.Zone == nil {
		deps.Zone = time.UTC
	}
	if deps.MessageBytes == 0 {
		deps.MessageBytes = 64 << 10
	}
	if deps.Busy == "" {
		deps.Busy = workflows.Settings{}.WithDefaults().Busy
	}
	return &Service{Deps: deps, limiter: &limit.Limiter{Now: deps.Now, Rows: deps.RateRows, Logger: deps.Logger},
		polls: limit.NewSemaphore[errand.AgentName](mostPollsPerPeer)}, nil
}
