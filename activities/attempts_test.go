package activities

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// TestAttemptEnds proves that an attempt ends when its task has ended, and when its worker was
// taken for dead, without a request of Temporal; and what Temporal reads of it.
func TestAttemptEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*testing.T, *Attempts, core.TaskID)
		want string
	}{
		{"its task is canceled", func(t *testing.T, a *Attempts, id core.TaskID) {
			_, _, err := a.store.FinishTask(t.Context(), id, core.Canceled, "")
			require.NoError(t, err)
		}, failClosed},
		{"its worker was taken for dead", func(_ *testing.T, a *Attempts, _ core.TaskID) { a.Expire() }, "expired"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := NewAttempts(opened(t), slog.New(slog.DiscardHandler))
			task, err := a.store.CreateTask(t.Context(), core.Origin{Person: "ada"}, store.NewTask{Agents: []core.AgentName{"coder"}, Text: "fix it"}, "")
			require.NoError(t, err)
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestActivityEnvironment()
			env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{a}})
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go a.Run(ctx)
			work := func(ctx context.Context, _ wire.PeerInput) error {
				info := activity.GetInfo(ctx)
				if !a.Has(info.WorkflowExecution.ID, info.WorkflowExecution.RunID, info.ActivityID, info.Attempt) {
					return errors.New("it is not among the attempts")
				}
				test.end(t, a, task.ID)
				<-ctx.Done()
				return ctx.Err()
			}
			env.RegisterActivityWithOptions(work, activity.RegisterOptions{Name: wire.RunCodingAgentActivity})
			_, err = env.ExecuteActivity(wire.RunCodingAgentActivity, wire.PeerInput{Task: task.ID, Agent: "coder"})
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, test.want, app.Type())
			require.Empty(t, a.running)
		})
	}
}

// TestDoubted proves which failed requests may have lost an attempt.
func TestDoubted(t *testing.T) {
	a := NewAttempts(nil, nil)
	request := func(method string, err error) bool {
		invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return err }
		require.Equal(t, err, a.NoteFailures(t.Context(), "/temporal.api.workflowservice.v1.WorkflowService/"+method, nil, nil, nil, invoke))
		return a.Doubted()
	}
	broken := status.Error(codes.Unavailable, "connection reset")
	require.True(t, request("PollActivityTaskQueue", broken))
	require.True(t, request("RespondActivityTaskCompleted", broken))
	require.False(t, a.Doubted(), "it is said once")
	require.False(t, request("PollActivityTaskQueue", nil))
	require.False(t, request("DescribeWorkflowExecution", broken))
	require.False(t, request("RespondActivityTaskFailed", status.Error(codes.NotFound, "it has ended")), "Temporal has answered")
	require.True(t, request("PollActivityTaskQueue", status.Error(codes.Canceled, "the server ends")))
}

// TestLiveness proves that what a worker sends is cut off when others may take it for dead, and
// not while it renews.
func TestLiveness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(Liveness)
		require.True(t, l.IsAlive(), "it has just begun")
		l.Extend(time.Now().Add(8 * time.Second))
		ctx, end := l.WhileAlive(t.Context())
		defer end()
		time.Sleep(7 * time.Second)
		l.Extend(time.Now().Add(8 * time.Second))
		time.Sleep(7 * time.Second)
		synctest.Wait()
		require.NoError(t, ctx.Err())
		require.True(t, l.IsAlive())
		time.Sleep(time.Second)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(ctx), errStoodStill)
		require.False(t, l.IsAlive())
	})
}
