//go:build !nodevserver

package devserver

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKill kills the process that runs the server and its worker in the middle
// of a workflow: the next one on the same file carries it to its end.
func TestKill(t *testing.T) {
	if dir := os.Getenv("DEVSERVER_KILL_DIR"); dir != "" {
		runUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$", "-test.v")
	cmd.Env = append(os.Environ(), "DEVSERVER_KILL_DIR="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for ready := false; !ready; ready = lines.Text() == "half way" {
		require.True(t, lines.Scan(), "the process ended early")
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // "signal: killed"

	s := start(t, options(t, dir))
	c := dial(t, s)
	w := startWorker(t, c)
	defer w.Stop()
	finishGreeting(t, c)
}

func runUntilKilled(t *testing.T, dir string) {
	s := start(t, options(t, dir))
	c := dial(t, s)
	startWorker(t, c)
	startGreeting(t, c)
	require.Eventually(t, func() bool {
		d, err := c.DescribeWorkflowExecution(t.Context(), "greet", "")
		// Started, scheduled, done: the history has the activity's end.
		return err == nil && d.GetWorkflowExecutionInfo().GetHistoryLength() >= 10
	}, 20*time.Second, 10*time.Millisecond)
	fmt.Println("half way")
	<-t.Context().Done() // killed here
}
