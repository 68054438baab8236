//go:build !nodevserver

package devserver

import (
	"bufio"
	"database/sql/driver"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"
)

// TestKill kills the process that runs the server and its worker in the middle
// of a workflow: the next one on the same file carries it to its end.
func TestKill(t *testing.T) {
	if dir := os.Getenv("DEVSERVER_KILL_DIR"); dir != "" {
		runUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	killHalfWay(t, dir)

	s := start(t, options(t, dir))
	c := dial(t, s)
	w := startWorker(t, c)
	defer w.Stop()
	finishGreeting(t, c)
}

// TestKillDuringCreation kills the process that makes the file when half of the tables are there:
// no file has its name, and the next start makes a complete one.
func TestKillDuringCreation(t *testing.T) {
	if dir := os.Getenv("DEVSERVER_KILL_DIR"); dir != "" {
		createUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	killHalfWay(t, dir)

	path := filepath.Join(dir, databaseName)
	require.FileExists(t, path+".new")
	require.NoFileExists(t, path)
	require.NoError(t, openOrCreate(t.Context(), path))
	require.NoError(t, openOrCreate(t.Context(), path), "the file is complete")
	require.NoFileExists(t, path+".new")
}

// killHalfWay runs the same test in a process of its own and kills that when it says that it is half way.
func killHalfWay(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
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
}

func createUntilKilled(t *testing.T, dir string) {
	sqlite.MustRegisterScalarFunction("half_way", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		fmt.Println("half way")
		<-t.Context().Done() // killed here
		return nil, nil
	})
	us, statements, err := thisServer()
	require.NoError(t, err)
	statements = slices.Insert(statements, len(statements)/2, "SELECT half_way()")
	require.NoError(t, create(t.Context(), filepath.Join(dir, databaseName), us, statements))
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
