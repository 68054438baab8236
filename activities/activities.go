// Package activities implements the activities that workflows call: model calls, tool calls,
// deliveries, and the changes of the store that go with them. An activity receives ids, reads and
// writes the store, and calls models, tools and platforms.
//
// Every activity may run again after a crash. To make an effect happen only once, the store keeps a
// key for it: the key of a step, of a tool call or of an outbox row.
package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/llm"
	"errand/internal/probe"
	"errand/internal/push"
	"errand/internal/rights"
	"errand/internal/sandbox"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
	"errand/internal/tools"
	"errand/notifiers"
)

// A Model answers a request. In production it is *llm.Client.
type Model interface {
	Complete(ctx context.Context, req llm.Request, stream func(llm.Delta)) (llm.Response, error)
}

// Sessions starts and signals the workflows of an installation. Package dispatch implements it. All
// methods may be called again with the same arguments.
type Sessions interface {
	// StartTask starts the workflow of a task unless it has one. waited means that a person waits
	// for the result.
	StartTask(ctx context.Context, t core.Task, waited bool) error
	// TaskFinished signals the caller of a task that its outcome is in the store. It
	// returns an error unless the signal is certain to arrive.
	TaskFinished(context.Context, core.Task) error
	// ShowTaskState shows in Temporal's list of workflows whether an open task waits for a person.
	ShowTaskState(context.Context, core.TaskID) error
	// WakeOutbox starts or wakes the delivery of a chat's outbox.
	WakeOutbox(context.Context, core.Route) error
	// StopTask cancels the workflow of a task whose row is closed.
	StopTask(context.Context, core.TaskID) error
	// WakeSession signals a session that its inbox has a new row, and starts it if needed.
	WakeSession(ctx context.Context, key core.SessionKey, row int64) error
	// StartWebhooks starts the webhooks that are due for a task.
	StartWebhooks(context.Context, core.Task) error
}

// Deps are the dependencies of activities. Fields without a default are required.
type Deps struct {
	Store     *store.Store
	Model     Model
	Roster    *agents.Roster
	Tools     *tools.Set
	Sessions  Sessions
	Histories Histories
	Notifiers *notifiers.Router
	// Peers are the clients of the systems in which remote agents work.
	Peers map[core.AgentName]Peer
	// Coding runs coding agents; nil: there are none.
	Coding CodingAgents
	// Accounts are errand's accounts on platforms, with their agents.
	Accounts agents.Accounts
	// Webhooks sends webhooks; default: only to addresses on the public internet.
	Webhooks Webhooks
	// Browsers sends push notifications while no page is open; nil: it sends none.
	Browsers Browsers
	// Pushes renders notifications for A2A clients; nil: they get none.
	Pushes Pushes
	// Connections are the live connections; default: there are none.
	Connections Connections
	Liveness    *Liveness // of this worker; default: it is alive
	// Settle waits until this process has finished changing the preview of a reply on a route. It
	// reports whether it had to wait; nil: there are no previews.
	Settle func(context.Context, core.Route) bool
	// Admits reports whether an account accepts a person's messages; default: it does.
	Admits      func(context.Context, core.Account, core.PersonID) (bool, error)
	Logger      *slog.Logger
	Transcriber Transcriber // nil: voice messages are not transcribed
	Pictures    sandbox.PictureShrinker
	Rights      *rights.Table  // default: as shipped
	Texts       *texts.Catalog // default: as shipped
	Language    string         // of people who have not chosen one
	Zone        *time.Location // of times without a zone; default: UTC
	// Sticky lets conversations be handed over to agents other than the primary.
	Sticky bool
	// StickyFor is how long a conversation stays with an agent after its last
	// reply, if the agent's own settings do not say.
	StickyFor time.Duration
	// BeginWithLast begins a new session with the agent that the person talked with last.
	BeginWithLast bool
	// Turns is how many steps and tool calls of people's turns run at once; default 64.
	Turns int
	// Window is how many messages of the transcript a prompt begins with.
	Window int
	// MaxDepth is how deep delegations may nest.
	MaxDepth int
	// Pairs limits how often two agents ask each other; nil: no limit.
	Pairs Pairs
	// Procedures are the procedures that agents can start, too.
	Procedures []core.Procedure
	// QuestionPace sets when people are reminded of a question and when it expires. Default:
	// [store.DefaultQuestionPace].
	QuestionPace store.QuestionPace
	// TrustPromises turns off the check that a reply that promises work in the background has
	// started any.
	TrustPromises bool
	// Approvals decides which tool calls need approval; default: each tool's own rule.
	Approvals tools.Approvals
	Metrics   telemetry.Metrics // default: nothing is counted
	// Settings are the settings of workflows. A session receives them when it begins and when it
	// continues.
	Settings wire.Settings
	// Backup writes a scheduled backup and returns its path; nil: this worker has no folder for them.
	Backup func(context.Context) (string, error)
	// Policy sets how long finished sessions, tasks and files are kept.
	Policy store.Policy
	// Probe, if set, is called at the points where tests make the process crash.
	Probe probe.Func
}

// Activities are the activities of one worker, grouped by purpose. Temporal knows them by the names
// of the methods.
type Activities struct {
	*Conversations
	*Thinker
	*ToolRunner
	*Tasks
	*RemoteAgents
	*Sender
	*Connector
	*WebhookSender
	*Reminders
	*Maintenance

	Prompts *Prompter
}

// New returns the activities of a worker, or an error if a required dependency is missing.
func New(deps Deps) (*Activities, error) {
	switch {
	case deps.Store == nil:
		return nil, errors.New("activities: no store")
	case deps.Model == nil:
		return nil, errors.New("activities: no model")
	case deps.Roster == nil:
		return nil, errors.New("activities: no roster")
	case deps.Tools == nil:
		return nil, errors.New("activities: no tools")
	case deps.Sessions == nil:
		return nil, errors.New("activities: no sessions")
	case deps.Histories == nil:
		return nil, errors.New("activities: no histories")
	case deps.Notifiers == nil:
		return nil, errors.New("activities: no notifiers")
	case deps.Logger == nil:
		return nil, errors.New("activities: no logger")
	}
	if deps.Rights == nil {
		deps.Rights = rights.New()
	}
	if deps.Texts == nil {
		catalog, err := texts.New(nil)
		if err != nil {
			return nil, fmt.Errorf("activities: %w", err)
		}
		deps.Texts = catalog
	}
	deps.Settings = deps.Settings.WithDefaults()
	if deps.Window == 0 {
		deps.Window = 60
	}
	if deps.MaxDepth == 0 {
		deps.MaxDepth = 3
	}
	if deps.QuestionPace.ExpireAfter == 0 {
		deps.QuestionPace = store.DefaultQuestionPace()
	}
	if deps.Zone == nil {
		deps.Zone = time.UTC
	}
	if deps.Webhooks == nil {
		sender, err := push.NewWebhookSender(nil)
		if err != nil {
			return nil, err
		}
		deps.Webhooks = sender
	}
	if deps.Connections == nil {
		deps.Connections = noConnections{}
	}
	return assemble(deps), nil
}

func assemble(d Deps) *Activities {
	w, u := newWorker(d), newAuthority(d)
	places := limit.NewFairSemaphore(cmp.Or(d.Turns, 64))
	responses := &responses{worker: w, model: d.Model}
	prompts := &Prompter{worker: w, authority: u, tools: d.Tools, model: d.Model, zone: d.Zone}
	approver := &approver{worker: w, authority: u, rules: d.Approvals, pace: d.QuestionPace}
	planner := &planner{
		worker: w, authority: u, prompts: prompts, approver: approver, tools: d.Tools,
		procedures: d.Procedures, pace: d.QuestionPace, trustPromises: d.TrustPromises, stickyFor: d.StickyFor,
	}
	sender := newSender(w, d)
	tasks := &Tasks{worker: w, sessions: d.Sessions, responses: responses}
	return &Activities{
		Conversations: &Conversations{
			worker: w, authority: u, tasks: tasks, responses: responses, sessions: d.Sessions, settings: d.Settings, beginWithLast: d.BeginWithLast,
		},
		Thinker: &Thinker{
			worker: w, authority: u, prompts: prompts, responses: responses, sender: sender, tasks: tasks,
			planner: planner, pictures: &illustrator{worker: w, prompts: prompts, shrinker: d.Pictures},
			listener: &listener{worker: w, transcriber: d.Transcriber, sessions: d.Sessions},
			sessions: d.Sessions, model: d.Model, metrics: d.Metrics, places: places, window: d.Window, stickyFor: d.StickyFor,
		},
		ToolRunner: &ToolRunner{worker: w, authority: u, approver: approver, tools: d.Tools, places: places, timing: d.Metrics.ToolCalls},
		Tasks:      tasks,
		RemoteAgents: &RemoteAgents{
			worker: w, approver: approver, tasks: tasks, sessions: d.Sessions, peers: d.Peers, coding: d.Coding, pace: d.QuestionPace,
		},
		Sender:        sender,
		Connector:     &Connector{worker: w, connections: d.Connections},
		WebhookSender: &WebhookSender{worker: w, webhooks: d.Webhooks, browsers: d.Browsers, pushes: d.Pushes},
		Reminders:     &Reminders{worker: w, sessions: d.Sessions},
		Maintenance:   &Maintenance{worker: w, histories: d.Histories, policy: d.Policy, responses: responses, backup: d.Backup},
		Prompts:       prompts,
	}
}
