package code

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/sandbox"
)

// The kernel refuses this process memory to make code in (PR_SET_MDWE,
// PR_MDWE_REFUSE_EXEC_GAIN; since Linux 6.3).
func init() {
	denyCode = func() error {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, 65, 1, 0, 0, 0, 0); errno != 0 {
			return errno
		}
		return nil
	}
}

// TestInterpreted proves that JavaScript is run where no code may be made, and that it is
// said to be slow there.
func TestInterpreted(t *testing.T) {
	h := host(t)
	link := filepath.Join(t.TempDir(), noCode)
	require.NoError(t, os.Symlink(h.Program, link))
	h.Program = link
	o := quick
	o.Sandbox, o.Timeout = string(Wasm), time.Minute
	f := Find(t.Context(), o, h)
	if strings.Contains(f.Why, "no MDWE here") {
		t.Skip(f.Why)
	}
	require.Equal(t, "wasm: javascript ("+slow+")", f.String())
	r := newRig(t, f)
	require.Contains(t, r.tool.Description, "It is slow here")
	require.Contains(t, r.run(JavaScript, `console.log([1, 2, 3].map(x => x * 2).join())`), "\n2,4,6\n")
}

// TestConfined proves what the process of a program has: nobody's rights, no environment
// of errand's, and no more files, memory or time than its limits.
func TestConfined(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-the-key")
	r := newRig(t, found(t, Wasm, quick))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.tool.Run(ctx, r.call, []byte(`{"language": "javascript", "code": "writeFile('begun', ''); const os = await import('qjs:os'); os.sleep(3600e3)"}`))
	}()
	var limits string
	var pid int
	require.Eventually(t, func() bool {
		for _, child := range childrenOf(os.Getpid()) {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", child))
			if pid, limits = child, strings.Join(strings.Fields(string(data)), " "); strings.Contains(limits, "Max open files 0 0") {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	for _, want := range []string{"Max core file size 0 0", "Max file size 0 0", "Max cpu time 80 80", fmt.Sprintf("Max data size %d ", sandbox.JavaScriptProgram{Memory: quick.Memory, Files: quick.Files, Archive: 3072}.Limit())} {
		require.Contains(t, limits, want)
	}
	score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
	require.NoError(t, err)
	require.Equal(t, "1000\n", string(score), "where memory is short, the kernel ends it first")
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	require.NoError(t, err)
	require.NotContains(t, string(env), "the-key")
	if os.Getuid() == 0 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		require.Contains(t, string(status), "Uid:\t65534\t65534\t65534\t65534")
		require.Contains(t, string(status), "CapEff:\t0000000000000000")
	}
	cancel()
	<-ended
}

// TestRefusedLimits proves that JavaScript is not offered where its process is refused the
// limits that it has to have: every program would fail.
func TestRefusedLimits(t *testing.T) {
	h := host(t)
	o := quick
	o.Sandbox = string(Wasm)
	// A process of nobody's may not raise its time.
	h.Program = standIn(t, "ulimit -t 10; exec "+h.Program+` "$@"`)
	f := Find(t.Context(), o, h)
	require.Equal(t, Off, f.Kind)
	require.Contains(t, f.Why, "limit its time: operation not permitted")
}

// TestEndedBySystem proves that it is said of a process which something else has killed,
// as the kernel does without memory.
func TestEndedBySystem(t *testing.T) {
	o := quick
	o.Sandbox = string(Wasm)
	f := Find(t.Context(), o, Host{Program: standIn(t, `echo began; kill -9 $$`)})
	require.Equal(t, Off, f.Kind)
	require.Contains(t, f.Why, "the system ended it (signal: killed)")
}

func standIn(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "javascript")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}
