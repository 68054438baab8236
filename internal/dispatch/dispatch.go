// Package dispatch is the one that starts, signals and ends the workflows of an
// installation. Its methods speak of sessions, tasks and deliveries, and nobody
// else makes a workflow's id or options. Package app has the client too, to run the
// workers.
//
// All methods may be called again with the same arguments. To stop a workflow that
// is not there is no error, and neither is to start one that runs: what has to
// happen is in the store, and a workflow finds it there.
package dispatch

import (
	"context"
	"errors"
	"log/slog"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/activities"
	"errand/workflows"
)

// Store is what a Dispatcher asks of the store.
type Store interface {
	// ID is carried by every input: activities work on no other store.
	ID() string
	// OtherSessions reports whether a conversation has a session besides this one.
	OtherSessions(context.Context, errand.SessionKey, errand.SessionID) (bool, error)
	// Task returns a task.
	Task(context.Context, errand.TaskID) (errand.Task, error)
	// DueWebhooks are those that are to be sent of a task that has ended.
	DueWebhooks(context.Context, errand.TaskID) ([]string, error)
	// IsRegistered reports whether a person has registered an agent of a name.
	IsRegistered(context.Context, errand.PersonID, errand.AgentName) (bool, error)
}

// Options are what a Dispatcher is made of. Client, Store and Logger are needed.
type Options struct {
	Client client.Client
	// Namespace is that of Client; default "default".
	Namespace   string
	Store       Store
	Settings    workflows.Settings
	Maintenance Maintenance
	// KindOf is the kind of an agent of the roster, and empty for any other; default: every
	// agent is local.
	KindOf func(errand.AgentName) errand.AgentKind
	Logger *slog.Logger
}

// A Dispatcher reaches the workflows of an installation. It is safe for concurrent
// use.
type Dispatcher struct {
	client      client.Client
	namespace   string
	store       Store
	settings    workflows.Settings
	maintenance Maintenance
	kindOf      func(errand.AgentName) errand.AgentKind
	log         *slog.Logger
	prompt      *prompt
	starts      *prompt // of tasks: however many there are, messages have room
}

var (
	_ activities.Sessions  = (*Dispatcher)(nil)
	_ activities.Histories = (*Dispatcher)(nil)
)

// New checks that o is complete.
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
	return &Dispatcher{o.Client, o.Namespace, o.Store, o.Settings.WithDefaults(), o.Maintenance, o.KindOf, o.Logger, newPrompt(o.Logger), newPrompt(o.Logger)}, nil
}

// Ping reports whether Temporal answers.
func (d *Dispatcher) Ping(ctx context.Context) error {
	_, err := d.client.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// A State is how the latest run of a workflow is.
type State int

// States of workflows. Whoever terminates one does so from outside, in the Web UI
// say; Ended is every other end.
const (
	Missing State = iota
	Running
	Terminated
	Ended
)

// TaskState is the state of the workflow of a task.
func (d *Dispatcher) TaskState(ctx context.Context, id errand.TaskID) (State, error) {
	return d.state(ctx, string(id))
}

// ReminderState is the state of the workflow of a reminder.
func (d *Dispatcher) ReminderState(ctx context.Context, id errand.ReminderID) (State, error) {
	return d.state(ctx, string(id))
}

// IsRunning reports whether a workflow runs.
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
		ID: id, TaskQueue: workflows.TaskQueue, StaticSummary: summary, WorkflowTaskTimeout: d.settings.TaskTimeout,
	}
}

// start starts a workflow, unless it runs.
func (d *Dispatcher) start(ctx context.Context, o client.StartWorkflowOptions, workflow, in any) error {
	_, err := d.client.ExecuteWorkflow(ctx, o, workflow, in)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return nil
	}
	return err
}

// cancel requests the cancellation of a workflow.
func (d *Dispatcher) cancel(ctx context.Context, id string) error {
	return found(d.client.CancelWorkflow(ctx, id, ""))
}

// found is err, unless it says that a workflow is not there.
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
