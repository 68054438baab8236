package sandbox

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

// testJobs are what this test calls itself for, by the argument. Each ends the process.
var testJobs = map[string]func(){
	"print":          func() { _, _ = io.CopyN(os.Stdout, zeros{}, 1<<20) },
	"wait":           wait,
	"wait-free":      waitFree,
	"have-wait":      func() { startAnother("wait") },
	"have-wait-free": func() { startAnother("wait-free") },
}

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && testJobs[os.Args[1]] != nil {
		testJobs[os.Args[1]]()
		os.Exit(0)
	}
	if code, is := RunJob(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// program is the path of this test, which does jobs as errand does.
func program(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

const begun = "begun\n"

var testLimits = Limits{Memory: 512<<20 + RaceDetector, CPU: 1500 * time.Millisecond, Nobody: true}

func wait() {
	IgnoreInterrupts()
	if err := Confine(testLimits); err != nil {
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

func startAnother(argument string) {
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
	return Command(t.Context(), program(t), argument)
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

func startJob(t *testing.T, argument string) (cmd *exec.Cmd, said io.Reader, in io.Closer) {
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
	cmd, said, in := startJob(t, "wait")
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		require.NoError(t, cmd.Process.Signal(s))
	}
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(said)
	require.NoError(t, err)
	require.Equal(t, "ended", string(rest))
	require.NoError(t, cmd.Wait())
}
