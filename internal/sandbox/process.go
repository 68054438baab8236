package sandbox

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// Command returns the command that runs the job argument. program is the path of this
// executable. The process is killed when ctx ends. On Linux it also dies with the thread
// that started it, so the caller must keep its thread locked meanwhile, as [Output] does.
func Command(ctx context.Context, program, argument string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, argument)
	cmd.Env = []string{"GOTRACEBACK=none"} // errand's own environment holds keys
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = endsWithParent()
	return cmd
}

// Output runs cmd and returns its output. More than most bytes are an error.
func Output(cmd *exec.Cmd, most int) ([]byte, error) {
	// A process ends with the thread that started it (prctl(2), PR_SET_PDEATHSIG).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out := &limitedBuffer{most: most}
	cmd.Stdout = out
	err := cmd.Run()
	return out.b.Bytes(), err
}

// A limitedBuffer does not embed its bytes.Buffer, because io.Copy would use ReadFrom
// instead of Write.
type limitedBuffer struct {
	b    bytes.Buffer
	most int
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.most {
		return 0, io.ErrShortWrite
	}
	return l.b.Write(p)
}

// Limits limit the process of a job. In addition, it writes no core file, extends no file,
// and opens nothing: it has only the files and connections that it started with.
type Limits struct {
	Memory uint64        // for data, in bytes
	CPU    time.Duration // processor time, rounded up to whole seconds
	Nobody bool          // drop root's rights, or fail; for untrusted programs
}

// IgnoreInterrupts leaves it to the parent process to end this one. Ctrl-C and a service manager's
// stop signal both processes. Without this call, it would look as if the job had crashed.
func IgnoreInterrupts() { signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }
