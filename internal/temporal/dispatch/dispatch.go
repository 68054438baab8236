// Package dispatch starts, signals and ends the workflows of an installation. Its methods use
// sessions, tasks and deliveries. No other package creates the id or the options of a workflow.
// Package app has the client, too, to run the workers.
//
// All methods may be called again with the same arguments. Stopping a workflow that does not exist
// is not an error, and neither is starting one that runs: the work is in the store, and the
// workflow finds it there.
package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Store is what a Dispatcher needs of the store.
type Store interface {
	// ID is part of every input: activities work only for their own store.
	ID() string
	// OtherSessions reports whether a conversation has a session besides this one.
	OtherSessions(context.Context, core.SessionKey, core.SessionID) (bool, error)
	Task(context.Context, core.TaskID) (core.Task, error)
	// DueWebhooks returns the ids of the unsent webhooks of an ended task.
	DueWebhooks(context.Context, core.TaskID) ([]string, error)
	// IsRegistered reports whether a person has registered an agent with this name.
	IsRegistered(context.Context, core.PersonID, core.AgentName) (bool, error)
}

// Options configure a Dispatcher. Client, Store and Logger are required.
type Options struct {
	Client client.Client
	// Namespace is the namespace of Client; default "default".
	Namespace   string
	Store       Store
	Settings    wire.Settings
	Maintenance Maintenance
	BackUpEvery time.Duration // 0: never
	// KindOf returns the kind of an agent of the roster, and "" for others; default: all are local.
	KindOf func(core.AgentName) core.AgentKind
	Logger *slog.Logger
}

// A Dispatcher starts and signals the workflows of an installation. It is safe for concurrent use.
type Dispatcher struct {
	client      client.Client
	namespace   string
	store       Store
	settings    wire.Settings
	maintenance Maintenance
	backUpEvery time.Duration
	kindOf      func(core.AgentName) core.AgentKind
	log         *slog.Logger
	prompt      *prompt
	starts      *prompt // for starts of tasks, separate from messages
}

// New returns an error if a required option is missing.
func New(o Options) (*Dispatcher, error) {
	switch {
	case o.Client == nil:
		return nil, errors.New("dispatch: no Temporal client")
	case o.Store == nil:
		return nil, errors.New("dispatch: no store")
	case o.Logger == nil:
		return nil, errors.New("dispatch: no logger")
	}
	if o.Namespace == "" {
		o.Namespace = client.DefaultNamespace
	}
	if o.Maintenance.Zone == "" {
		o.Maintenance.Zone = "UTC"
	}
	return &Dispatcher{o.Client, o.Namespace, o.Store, o.Settings.WithDefaults(), o.Maintenance, o.BackUpEvery, o.KindOf, o.Logger, newPrompt(o.Logger), newPrompt(o.Logger)}, nil
}

// Ping returns an error if Temporal does not answer.
func (d *Dispatcher) Ping(ctx context.Context) error {
	_, err := d.client.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// A State is the state of the latest run of a workflow.
type State int

// Terminated means terminated from outside, such as in the Web UI. Ended is every other end.
const (
	Missing State = iota
	Running
	Terminated
	Ended
)

func (d *Dispatcher) TaskState(ctx context.Context, id core.TaskID) (State, error) {
	return d.state(ctx, string(id))
}

func (d *Dispatcher) ReminderState(ctx context.Context, id core.ReminderID) (State, error) {
	return d.state(ctx, string(id))
}

func (d *Dispatcher) IsRunning(ctx context.Context, id string) (bool, error) {
	state, err := d.state(ctx, id)
	return state == Running, err
}

func (d *Dispatcher) state(ctx context.Context, id string) (State, error) {
	found, err := d.client.DescribeWorkflowExecution(ctx, id, "")
	if isNotFound(err) {
		return Missing, nil
	}
	if err != nil {
		return Missing, err
	}
	status := found.GetWorkflowExecutionInfo().GetStatus()
	switch {
	case isRunning(status):
		return Running, nil
	case status == enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return Terminated, nil
	}
	return Ended, nil
}

func isRunning(s enumspb.WorkflowExecutionStatus) bool {
	return s == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || s == enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW ||
		s == enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED
}

func (d *Dispatcher) options(id, summary string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: wire.TaskQueue, StaticSummary: summary, WorkflowTaskTimeout: d.settings.TaskTimeout,
	}
}

func (d *Dispatcher) start(ctx context.Context, o client.StartWorkflowOptions, workflow, in any) error {
	_, err := d.client.ExecuteWorkflow(ctx, o, workflow, in)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	return err
}

func (d *Dispatcher) cancel(ctx context.Context, id string) error {
	return found(d.client.CancelWorkflow(ctx, id, ""))
}

func found(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}

func isNotFound(err error) bool {
	var notFound *serviceerror.NotFound
	return errors.As(err, &notFound)
}
