//go:build !nodevserver

package devserver

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const taskQueue = "devserver-test"

func greeting(ctx workflow.Context, name string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	var hello string
	if err := workflow.ExecuteActivity(ctx, "hello", name).Get(ctx, &hello); err != nil {
		return "", err
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx,
		temporal.NewSearchAttributeKeyKeyword("ErrandState").ValueSet("working"),
		temporal.NewSearchAttributeKeyInt64("ErrandDepth").ValueSet(2)); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, "go").Receive(ctx, nil)
	return hello, nil
}

func hello(_ context.Context, name string) (string, error) { return "hello " + name, nil }

func options(t *testing.T, dir string) Options {
	ports, err := FreePorts(DefaultHost, 2)
	require.NoError(t, err)
	return Options{Dir: dir, Port: ports[0], UIPort: ports[1], Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	begin := time.Now()
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Logf("started in %v", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	require.NoError(t, s.Stop(ctx))
	t.Logf("stopped in %v", time.Since(begin).Round(time.Millisecond))
}

func dial(t *testing.T, s *Server) client.Client {
	t.Helper()
	opts := s.ClientOptions()
	opts.Logger = sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	c, err := client.DialContext(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func startWorker(t *testing.T, c client.Client) worker.Worker {
	t.Helper()
	w := worker.New(c, taskQueue, worker.Options{})
	w.RegisterWorkflow(greeting)
	w.RegisterActivity(hello)
	require.NoError(t, w.Start())
	return w
}

func startGreeting(t *testing.T, c client.Client) client.WorkflowRun {
	t.Helper()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "greet", TaskQueue: taskQueue,
		TypedSearchAttributes: temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword("ErrandAgent").ValueSet("sasha")),
	}, greeting, "Nikki")
	require.NoError(t, err)
	return run
}

func finishGreeting(t *testing.T, c client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	require.NoError(t, c.SignalWorkflow(ctx, "greet", "", "go", nil))
	// Whoever waits for the end may hear of it 20 s late; whoever asks does not.
	require.Eventually(t, func() bool {
		d, err := c.DescribeWorkflowExecution(ctx, "greet", "")
		return err == nil && d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	}, time.Minute, 20*time.Millisecond, "it ends")
	var got string
	require.NoError(t, c.GetWorkflow(ctx, "greet", "").Get(ctx, &got))
	require.Equal(t, "hello Nikki", got)
}

// A fresh folder is a whole server: namespace, search attributes, Web UI, and a
// restart goes on with what runs.
func TestServer(t *testing.T) {
	// A folder name with everything that means something in a SQLite URI.
	dir := filepath.Join(t.TempDir(), "with #?% ünd space")
	o := options(t, dir)
	s := start(t, o)
	c := dial(t, s)
	w := startWorker(t, c)
	startGreeting(t, c)

	ns, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: DefaultNamespace})
	require.NoError(t, err)
	require.Equal(t, 30*24*time.Hour, ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	require.False(t, ns.GetNamespaceInfo().GetCapabilities().GetWorkerCommands(), "like clusters that do not have them")

	require.Eventually(t, func() bool {
		n, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Query: `ErrandAgent = "sasha" AND ErrandState = "working" AND ErrandDepth = 2`,
		})
		return err == nil && n.GetCount() == 1
	}, 20*time.Second, 20*time.Millisecond, "the workflow is found by its search attributes")

	key := s.options.Key
	require.Equal(t, http.StatusOK, get(t, "http://"+s.UIAddress()+"/", "", key))
	require.Equal(t, http.StatusOK, get(t, "http://"+s.UIAddress()+"/api/v1/namespaces", "", key))
	require.Equal(t, http.StatusForbidden, get(t, "http://"+s.UIAddress()+"/", "evil.example", key))

	w.Stop()
	c.Close()
	stop(t, s)
	_, err = os.Stat(filepath.Join(dir, databaseName))
	require.NoError(t, err)

	o.Retention = 48 * time.Hour
	s = start(t, o)
	c = dial(t, s)
	ns, err = c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: DefaultNamespace})
	require.NoError(t, err)
	require.Equal(t, 48*time.Hour, ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	w = startWorker(t, c)
	defer w.Stop()
	finishGreeting(t, c)
}

func get(t *testing.T, url, host, key string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Host = host
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	return resp.StatusCode
}

// A quiet life writes nothing: what the log shows is worth reading.
func TestLogIsQuiet(t *testing.T) {
	var log lockedBuffer
	o := options(t, t.TempDir())
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s := start(t, o)
	c := dial(t, s)
	w := startWorker(t, c)
	startGreeting(t, c)
	finishGreeting(t, c)
	w.Stop()
	c.Close()
	stop(t, s)
	require.Empty(t, log.String())
}

func TestPortInUse(t *testing.T) {
	for _, purpose := range []string{"Temporal", "Temporal's Web UI"} {
		t.Run(purpose, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			o := options(t, dir)
			port := &o.Port
			if strings.HasSuffix(purpose, "UI") {
				port = &o.UIPort
			}
			l, err := net.Listen("tcp", net.JoinHostPort(DefaultHost, "0"))
			require.NoError(t, err)
			defer l.Close()
			*port = l.Addr().(*net.TCPAddr).Port

			_, err = Start(t.Context(), o)
			var inUse *PortInUseError
			require.ErrorAs(t, err, &inUse)
			require.Equal(t, l.Addr().String(), inUse.Address)
			require.Contains(t, err.Error(), purpose+" cannot listen on "+l.Addr().String())
			require.Contains(t, err.Error(), "--port-offset")
			require.NoDirExists(t, dir, "nothing is touched")
		})
	}
}

func TestOptionsRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"no folder":       {},
		"other interface": {Dir: "x", Host: "0.0.0.0"},
		"name":            {Dir: "x", Host: "localhost"},
		"short retention": {Dir: "x", Retention: time.Minute},
		"durability":      {Dir: "x", Durability: "some"},
	} {
		_, err := Start(t.Context(), o)
		require.Error(t, err, name)
	}
	require.NoDirExists(t, "x")
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func describeRun(t *testing.T, c client.Client) string {
	t.Helper()
	d, err := c.DescribeWorkflowExecution(t.Context(), "greet", "")
	require.NoError(t, err)
	return d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}
