// Package ownprocess runs one job of this program in a process of its own, with limits.
//
// A job whose input comes from others can use up all memory, or never end. In Go only the end of
// the process contains that. So the program calls itself for each such job: [Command] makes the
// call, without errand's environment, and [Output] carries it out. In the new process the Main of
// the job calls [IgnoreInterrupts] first, and [Confine] before it reads what others have made.
package ownprocess

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

// Command returns the call of a program, this one by its path, for the job that the argument
// names. The process is killed when ctx ends. On Linux it also ends with the thread that has
// started it, so the caller stays on its thread meanwhile, as [Output] does.
func Command(ctx context.Context, program, argument string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, argument)
	cmd.Env = []string{"GOTRACEBACK=none"} // none of errand's own: it has keys
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = endsWithParent()
	return cmd
}

// Output runs cmd until it has ended, and returns what it has written. More than most bytes are
// an error.
func Output(cmd *exec.Cmd, most int) ([]byte, error) {
	// A process ends with the thread that started it (prctl(2), PR_SET_PDEATHSIG).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out := &limitedBuffer{most: most}
	cmd.Stdout = out
	err := cmd.Run()
	return out.b.Bytes(), err
}

// A limitedBuffer does not embed its bytes.Buffer: io.Copy prefers ReadFrom to Write.
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

// Limits are what the process of a job may use. Besides, it has no core file, makes no file
// longer, and opens nothing: it has the files and connections that it was started with.
type Limits struct {
	Memory uint64        // that is written to, in bytes
	CPU    time.Duration // of the processor, rounded up to whole seconds
	Nobody bool          // take root's rights from the process, or fail: it runs a program of others
}

// IgnoreInterrupts leaves the end of this process to the one that started it. Ctrl-C, or a
// service manager's stop, reaches both: without this, the job would seem to have ended its process.
func IgnoreInterrupts() { signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }
