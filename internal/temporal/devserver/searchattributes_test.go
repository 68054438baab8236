//go:build !nodevserver

package devserver

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Any cluster: a namespace without them gets them, and they work when it returns.
func TestEnsureSearchAttributes(t *testing.T) {
	s := start(t, options(t, t.TempDir()))
	c := dial(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: "other", WorkflowExecutionRetentionPeriod: durationpb.New(time.Hour),
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool { // the server takes a moment to see it
		_, err := c.WorkflowService().CountWorkflowExecutions(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: "other"})
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)

	begin := time.Now()
	require.NoError(t, EnsureSearchAttributes(ctx, c, "other"))
	t.Logf("added in %v", time.Since(begin).Round(time.Millisecond))
	require.NoError(t, probeSearchAttributes(ctx, c, "other"))
	require.NoError(t, EnsureSearchAttributes(ctx, c, "other"), "again is no error")
}

// Where it is not permitted, the error says which commands to run.
func TestSearchAttributesRefused(t *testing.T) {
	s := start(t, options(t, t.TempDir()))
	c := dial(t, s)
	err := EnsureSearchAttributes(t.Context(), refusing{Client: c}, "default")
	var refused *SearchAttributesError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []string{"ErrandDepth"}, refused.Missing)
	require.Equal(t, []string{"temporal operator search-attribute create --namespace default --name ErrandDepth --type Int"}, refused.Commands())
	require.Contains(t, err.Error(), refused.Commands()[0])

	_, err = missingFrom(map[string]enums.IndexedValueType{"ErrandDepth": enums.INDEXED_VALUE_TYPE_TEXT})
	require.ErrorContains(t, err, "search attribute ErrandDepth has type Text, errand needs Int")
}

type refusing struct{ client.Client }

func (r refusing) OperatorService() operatorservice.OperatorServiceClient {
	return refusingOperator{r.Client.OperatorService()}
}

type refusingOperator struct {
	operatorservice.OperatorServiceClient
}

func (o refusingOperator) ListSearchAttributes(ctx context.Context, in *operatorservice.ListSearchAttributesRequest, opts ...grpc.CallOption) (*operatorservice.ListSearchAttributesResponse, error) {
	out, err := o.OperatorServiceClient.ListSearchAttributes(ctx, in, opts...)
	delete(out.GetCustomAttributes(), "ErrandDepth")
	return out, err
}

func (refusingOperator) AddSearchAttributes(context.Context, *operatorservice.AddSearchAttributesRequest, ...grpc.CallOption) (*operatorservice.AddSearchAttributesResponse, error) {
	return nil, serviceerror.NewPermissionDenied("not you", "")
}
