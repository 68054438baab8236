// Package dispatchtest stands in for Temporal in tests of what dispatches to it.
package dispatchtest

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"errand/internal/temporal/dispatch"
)

// A Client takes what workflows are started and signalled, and does nothing with
// it but keep it. Any other call panics, unless a test defines it.
type Client struct {
	client.Client
	mu   sync.Mutex
	IDs  []string // of the workflows, in order
	Args []any    // of the signals

	Canceled []string // ids of the workflows that were
}

func (c *Client) add(id string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.IDs, c.Args = append(c.IDs, id), append(c.Args, args...)
}

// SignalWithStartWorkflow keeps the id and the argument.
func (c *Client) SignalWithStartWorkflow(_ context.Context, id, _ string, arg any, _ client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	c.add(id, arg)
	return nil, nil
}

// SignalWorkflow keeps the id and the argument.
func (c *Client) SignalWorkflow(_ context.Context, id, _, _ string, arg any) error {
	c.add(id, arg)
	return nil
}

// ExecuteWorkflow keeps the id.
func (c *Client) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	c.add(o.ID)
	return nil, nil
}

// CancelWorkflow keeps the id.
func (c *Client) CancelWorkflow(_ context.Context, id, _ string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Canceled = append(c.Canceled, id)
	return nil
}

// ListWorkflow finds nothing, as a list that lags.
func (c *Client) ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	return &workflowservice.ListWorkflowExecutionsResponse{}, nil
}

// New returns a Dispatcher on a client; nil: on a [Client] of its own.
func New(t testing.TB, c client.Client, s dispatch.Store) *dispatch.Dispatcher {
	t.Helper()
	if c == nil {
		c = &Client{}
	}
	d, err := dispatch.New(dispatch.Options{Client: c, Store: s, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
