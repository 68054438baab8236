//go:build !nodevserver && linux

package devserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/operatorservice/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/api/adminservice/v1"
	"go.temporal.io/server/api/historyservice/v1"
	"go.temporal.io/server/api/matchingservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"errand/internal/test/ownports"
)

// strangerCalls are what a neighbour on the machine would like to do, on whatever
// port the process listens.
func strangerCalls(conn grpc.ClientConnInterface) map[string]func(context.Context) error {
	const ns = DefaultNamespace
	flow := &commonpb.WorkflowExecution{WorkflowId: "greet"}
	queue := &taskqueuepb.TaskQueue{Name: taskQueue}
	front, admin, operator := workflowservice.NewWorkflowServiceClient(conn), adminservice.NewAdminServiceClient(conn), operatorservice.NewOperatorServiceClient(conn)
	history, matching := historyservice.NewHistoryServiceClient(conn), matchingservice.NewMatchingServiceClient(conn)
	started := &workflowservice.StartWorkflowExecutionRequest{
		Namespace: ns, WorkflowId: "evil", WorkflowType: &commonpb.WorkflowType{Name: "greeting"}, TaskQueue: queue, RequestId: "1"}
	signalled := &workflowservice.SignalWorkflowExecutionRequest{Namespace: ns, WorkflowExecution: flow, SignalName: "go"}
	return map[string]func(context.Context) error{
		"start": func(ctx context.Context) error { _, err := front.StartWorkflowExecution(ctx, started); return err },
		"signal": func(ctx context.Context) error {
			_, err := front.SignalWorkflowExecution(ctx, signalled)
			return err
		},
		"update": func(ctx context.Context) error {
			_, err := front.UpdateWorkflowExecution(ctx, &workflowservice.UpdateWorkflowExecutionRequest{Namespace: ns, WorkflowExecution: flow,
				Request: &updatepb.Request{Meta: &updatepb.Meta{UpdateId: "1"}, Input: &updatepb.Input{Name: "reset"}}})
			return err
		},
		"terminate": func(ctx context.Context) error {
			_, err := front.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{Namespace: ns, WorkflowExecution: flow})
			return err
		},
		"read": func(ctx context.Context) error {
			_, err := front.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{Namespace: ns, Execution: flow})
			return err
		},
		"list": func(ctx context.Context) error {
			_, err := front.ListWorkflowExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: ns})
			return err
		},
		"poll workflows": func(ctx context.Context) error {
			_, err := front.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{Namespace: ns, TaskQueue: queue, Identity: "evil"})
			return err
		},
		"poll activities": func(ctx context.Context) error {
			_, err := front.PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{Namespace: ns, TaskQueue: queue, Identity: "evil"})
			return err
		},
		"namespaces": func(ctx context.Context) error {
			_, err := front.ListNamespaces(ctx, &workflowservice.ListNamespacesRequest{})
			return err
		},
		"namespace that is not there": func(ctx context.Context) error {
			_, err := front.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: "nowhere"})
			return err
		},
		"system info": func(ctx context.Context) error {
			_, err := front.GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
			return err
		},
		"attributes": func(ctx context.Context) error {
			_, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: ns})
			return err
		},
		"admin": func(ctx context.Context) error {
			_, err := admin.DescribeCluster(ctx, &adminservice.DescribeClusterRequest{})
			return err
		},
		"replication stream": func(ctx context.Context) error {
			stream, err := admin.StreamWorkflowReplicationMessages(ctx)
			if err != nil {
				return err
			}
			_, err = stream.Recv()
			return err
		},
		"history start": func(ctx context.Context) error {
			_, err := history.StartWorkflowExecution(ctx, &historyservice.StartWorkflowExecutionRequest{NamespaceId: ns, StartRequest: started})
			return err
		},
		"history signal": func(ctx context.Context) error {
			_, err := history.SignalWorkflowExecution(ctx, &historyservice.SignalWorkflowExecutionRequest{NamespaceId: ns, SignalRequest: signalled})
			return err
		},
		"history read": func(ctx context.Context) error {
			_, err := history.DescribeMutableState(ctx, &historyservice.DescribeMutableStateRequest{NamespaceId: ns, Execution: flow})
			return err
		},
		"matching poll": func(ctx context.Context) error {
			_, err := matching.PollWorkflowTaskQueue(ctx, &matchingservice.PollWorkflowTaskQueueRequest{NamespaceId: ns, PollerId: "1",
				PollRequest: &workflowservice.PollWorkflowTaskQueueRequest{Namespace: ns, TaskQueue: queue}})
			return err
		},
		"matching describe": func(ctx context.Context) error {
			_, err := matching.DescribeTaskQueue(ctx, &matchingservice.DescribeTaskQueueRequest{NamespaceId: ns})
			return err
		},
		"health": func(ctx context.Context) error {
			_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "temporal.api.workflowservice.v1.WorkflowService"})
			return err
		},
		"reflection": func(ctx context.Context) error {
			stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
			if err != nil {
				return err
			}
			_ = stream.Send(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}})
			_, err = stream.Recv()
			return err
		},
	}
}

// isRefused reports whether an answer says that nothing was looked at: the
// frontend's, to which it gives no code for a stream, that of a handshake that
// fails, and that of a service which is not on this port.
func isRefused(err error) bool {
	switch status.Code(err) {
	case codes.PermissionDenied, codes.Unavailable, codes.Unimplemented:
		return true
	case codes.Unknown:
		return strings.Contains(err.Error(), "Request unauthorized.")
	}
	return false
}

// On none of the ports that the server listens on does a stranger learn or change
// anything, whatever transport and key are tried.
func TestStrangers(t *testing.T) {
	before := listening(t)
	s := start(t, options(t, t.TempDir()))
	c := dial(t, s)
	w := startWorker(t, c)
	defer w.Stop()
	startGreeting(t, c)

	ports := slices.DeleteFunc(listening(t), func(at string) bool { return slices.Contains(before, at) })
	require.GreaterOrEqual(t, len(ports), 6, "frontend, internal frontend, history, matching, worker, Web UI")
	require.Contains(t, ports, s.Address())
	require.Contains(t, ports, s.UIAddress())

	own, _, err := internodeCertificate() // with the right name, made by the stranger
	require.NoError(t, err)
	transports := map[string]credentials.TransportCredentials{
		"plain":               insecure.NewCredentials(),
		"TLS":                 credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}),
		"TLS, a cert of ours": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{own}}),
	}
	for _, at := range ports {
		for name, transport := range transports {
			conn, err := grpc.NewClient("passthrough:"+at, grpc.WithTransportCredentials(transport))
			require.NoError(t, err)
			defer conn.Close()
			for what, call := range strangerCalls(conn) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				err := call(ctx)
				cancel()
				require.True(t, isRefused(err), "%s on %s by %s: %v", what, at, name, err)
			}
		}
	}

	conn, err := grpc.NewClient("passthrough:"+s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	key := s.options.Key
	for _, shown := range []string{"", "Bearer", "Bearer ", "Bearer x", key, "bearer " + key, "Bearer " + key + "x", "Bearer " + key[:len(key)-1], "Basic " + key} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", shown)
		for what, call := range strangerCalls(conn) {
			err := call(ctx)
			require.True(t, isRefused(err), "%s with %q: %v", what, shown, err)
		}
	}

	finishGreeting(t, c) // undisturbed
}

func listening(t *testing.T) []string {
	t.Helper()
	ports, err := ownports.Listening()
	require.NoError(t, err)
	return ports
}

// The key is the owner's, in the file that only the owner can read.
func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	s := start(t, options(t, dir))
	kept, err := os.ReadFile(dir + "/owner.key")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(kept)), s.options.Key)
}

// What the server itself runs has no key and works: schedules are carried out by
// its internal worker.
func TestInternalWorker(t *testing.T) {
	s := start(t, options(t, t.TempDir()))
	c := dial(t, s)
	w := startWorker(t, c)
	defer w.Stop()
	_, err := c.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID: "greetings", TriggerImmediately: true,
		Action: &client.ScheduleWorkflowAction{ID: "greet", Workflow: greeting, Args: []any{"Nikki"}, TaskQueue: taskQueue},
	})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		n, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Query: fmt.Sprintf("TaskQueue = %q AND ExecutionStatus = 'Running'", taskQueue)})
		return err == nil && n.GetCount() == 1
	}, 2*time.Minute, 50*time.Millisecond)
}
