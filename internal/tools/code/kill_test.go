package code

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runForEver is how this test is called to be a worker that runs a program without end.
const runForEver = "run-for-ever"

// runsForEver has the program sleep for so many seconds.
func runsForEver(kind Kind, seconds string) {
	program, err := os.Executable()
	must(err)
	o := quick
	o.Sandbox, o.Timeout = string(kind), time.Hour
	f := Find(context.Background(), o, Host{Program: program, Cache: filepath.Join(os.TempDir(), "cache")})
	j := jobOf(Shell, "exec sleep "+seconds)
	if kind == Wasm {
		j = jobOf(JavaScript, "console.log('begun'); const os = await import('qjs:os'); os.sleep("+seconds[:9]+")")
	}
	_, err = f.engine.run(context.Background(), j)
	fmt.Fprintln(os.Stderr, "it ended:", err)
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestKilledWorker proves that a program ends with a worker that is killed, and that nothing of
// it is left on the disk.
func TestKilledWorker(t *testing.T) {
	for _, kind := range []Kind{Bubblewrap, Wasm} {
		t.Run(string(kind), func(t *testing.T) {
			found(t, kind, quick)
			temp := base(t)
			t.Setenv("TMPDIR", temp)
			seconds := ofThisTest("2")
			cmd := exec.Command(host(t).Program, runForEver, string(kind), seconds)
			var said bytes.Buffer
			cmd.Stderr = &said
			require.NoError(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			var began []int
			require.Eventually(t, func() bool {
				began, _ = treeOf(cmd.Process.Pid)
				if kind == Wasm {
					return len(began) > 1
				}
				return len(sleeping(seconds)) > 0
			}, time.Minute, 10*time.Millisecond, "%s", &said)
			require.NoError(t, cmd.Process.Kill())
			<-ended
			require.Eventually(t, func() bool {
				for _, pid := range began {
					if running(pid) {
						return false
					}
				}
				return len(sleeping(seconds)) == 0
			}, 20*time.Second, 10*time.Millisecond, "the program outlives its worker")
			left, err := filepath.Glob(filepath.Join(temp, "errand-code*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// running reports whether a process is there and has not ended.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(state, []byte("Z"))
}

// TestMemoryCounted proves that errand counts private and shared memory of a process, and not
// what it has read from files.
func TestMemoryCounted(t *testing.T) {
	memory := memoryOf("Name:\tx\nVmRSS:\t  930 kB\nRssAnon:\t     100 kB\nRssFile:\t     800 kB\nRssShmem:\t      30 kB\nVmPTE:\t       8 kB\nVmSwap:\t      20 kB\nThreads:\t1\n")
	require.Equal(t, int64((100+8+20)<<10), memory)
	require.Equal(t, map[string]int64{"7": 0x3000, "9": 0x1000}, sharedIn(`55d0c0000000-55d0c0002000 r--p 00000000 fe:00 325737                     /usr/bin/x
7f0000000000-7f0000002000 rw-s 00000000 00:01 7                          /dev/zero (deleted)
7f0000002000-7f0000003000 r--s 00002000 00:01 7                          /dev/zero (deleted)
7f0000008000-7f0000009000 rw-s 00000000 00:01 9                          /dev/zero (deleted)
7f000000a000-7f000000b000 rw-s 00000000 00:19 9                          /dev/shm/x (deleted)
7f000000c000-7f000000d000 rw-p 00000000 00:00 0 
`))
}
