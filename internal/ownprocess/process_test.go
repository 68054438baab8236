package ownprocess

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// jobs are what this test calls itself for, by the argument. Each ends the process.
var jobs = map[string]func(){
	"print":          func() { _, _ = io.CopyN(os.Stdout, zeros{}, 1<<20) },
	"wait":           wait,
	"wait-free":      waitFree,
	"have-wait":      func() { have("wait") },
	"have-wait-free": func() { have("wait-free") },
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && jobs[os.Args[1]] != nil {
		jobs[os.Args[1]]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

const begun = "begun\n"

var limits = Limits{Memory: 512<<20 + RaceDetector, CPU: 1500 * time.Millisecond, Nobody: true}

func wait() {
	IgnoreInterrupts()
	if err := Confine(limits); err != nil {
		panic(err)
	}
	waitFree()
}

// waitFree is one that is not confined.
func waitFree() {
	fmt.Print(begun)
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Print("ended")
}

func have(argument string) {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := Command(context.Background(), program, argument)
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	runtime.LockOSThread()
	panic(cmd.Run())
}

// command calls this test for a job.
func command(t *testing.T, argument string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return Command(t.Context(), program, argument)
}

// TestOutput proves that what a job writes is bounded.
func TestOutput(t *testing.T) {
	out, err := Output(command(t, "print"), 1<<20)
	require.NoError(t, err)
	require.Len(t, out, 1<<20)
	out, err = Output(command(t, "print"), 1<<20-1)
	require.ErrorIs(t, err, io.ErrShortWrite)
	require.Less(t, len(out), 1<<20)
}

func start(t *testing.T, argument string) (cmd *exec.Cmd, said io.Reader, in io.Closer) {
	t.Helper()
	cmd = command(t, argument)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	said, err = cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, len(begun))
	_, err = io.ReadFull(said, line)
	require.NoError(t, err)
	require.Equal(t, begun, string(line))
	return cmd, said, in
}

// TestInterrupted proves that what ends errand does not end a job: errand does.
func TestInterrupted(t *testing.T) {
	cmd, said, in := start(t, "wait")
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		require.NoError(t, cmd.Process.Signal(s))
	}
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(said)
	require.NoError(t, err)
	require.Equal(t, "ended", string(rest))
	require.NoError(t, cmd.Wait())
}
