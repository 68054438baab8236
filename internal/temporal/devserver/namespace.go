//go:build !nodevserver

package devserver

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ensureNamespace writes the namespace with its search attributes into the file. If they were
// registered later, they would take seconds to become usable.
func ensureNamespace(o Options) error {
	ns, err := sqliteschema.NewNamespaceConfig(clusterName, o.Namespace, false, SearchAttributes())
	if err != nil {
		return fmt.Errorf("describe namespace %q: %w", o.Namespace, err)
	}
	ns.Detail.Config.Retention = durationpb.New(o.Retention)
	if err := sqliteschema.CreateNamespaces(sqlConfig(o), ns); err != nil {
		return fmt.Errorf("make namespace %q: %w", o.Namespace, err)
	}
	return nil
}

// prepare waits for the server, and updates a namespace that an earlier start created.
func prepare(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	opts := o.clientOptions()
	opts.Logger = sdklog.NewStructuredLogger(o.Logger)
	c, err := client.DialContext(ctx, opts)
	if err != nil {
		return fmt.Errorf("reach the server just started: %w", err)
	}
	defer c.Close()
	if err := setRetention(ctx, c, o); err != nil {
		return err
	}
	return EnsureSearchAttributes(ctx, c, o.Namespace)
}

func setRetention(ctx context.Context, c client.Client, o Options) error {
	svc := c.WorkflowService()
	ns, err := svc.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: o.Namespace})
	if err != nil {
		return fmt.Errorf("describe namespace %q: %w", o.Namespace, err)
	}
	if ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration() == o.Retention {
		return nil
	}
	_, err = svc.UpdateNamespace(ctx, &workflowservice.UpdateNamespaceRequest{
		Namespace: o.Namespace,
		Config:    &namespace.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(o.Retention)},
	})
	if err != nil {
		return fmt.Errorf("set retention of namespace %q: %w", o.Namespace, err)
	}
	return nil
}
