package ownprocess

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// Command is the call of a program, this one by its path, for one job, which the argument
// names. The process is killed when ctx has ended. On Linux it also ends with the thread
// that has started it, so whoever runs the command stays on its thread meanwhile, as
// [Output] does.
func Command(ctx context.Context, program, argument string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, argument)
	cmd.Env = []string{"GOTRACEBACK=none"} // none of errand's own: it has keys
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = endsWithParent()
	return cmd
}

// Output runs cmd until it has ended, and returns what it has written. One that writes
// more than most bytes is cut off, which is an error.
func Output(cmd *exec.Cmd, most int) ([]byte, error) {
	// What is started ends with the thread that started it, not with the process
	// (prctl(2), PR_SET_PDEATHSIG): the thread stays until it has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out := &limitedBuffer{most: most}
	cmd.Stdout = out
	err := cmd.Run()
	return out.b.Bytes(), err
}

// limitedBuffer keeps no more than so many bytes. It is no bytes.Buffer with more to it: that
// one's ReadFrom, which io.Copy prefers, would go past Write.
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
