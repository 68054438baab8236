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
	folder, release, err := newFolder()
	must(err)
	defer release()
	p := killable(folder)
	must(os.Mkdir(p.folder, 0o700))
	must(os.Mkdir(p.left, 0o700))
	source := "exec sleep " + seconds
	if kind == Wasm {
		p.language = JavaScript
		source = "writeFile('begun', ''); const os = await import('qjs:os'); os.sleep(3600e3)"
	}
	must(os.WriteFile(p.file, []byte(source), 0o644))
	p.uid, err = give(folder)
	must(err)
	_, err = f.sandbox.run(context.Background(), p)
	fmt.Fprintln(os.Stderr, "it ended:", err)
	os.Exit(1)
}

func killable(folder string) program {
	return program{language: Shell, file: filepath.Join(folder, "main"), folder: filepath.Join(folder, "work"), left: filepath.Join(folder, "left"), name: "main"}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestKilledWorker proves that a program ends with a worker that is killed, and that its
// folder is deleted by the next one, while a folder in use is not.
func TestKilledWorker(t *testing.T) {
	for _, kind := range []Kind{Bubblewrap, Wasm} {
		t.Run(string(kind), func(t *testing.T) {
			found(t, kind, quick)
			temp := base(t)
			require.NoError(t, os.Chmod(temp, 0o711)) // nobody passes through
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
					left, _ := filepath.Glob(filepath.Join(temp, folderName+"*", "work", "begun"))
					return len(left) == 1
				}
				return len(sleeping(seconds)) > 0
			}, time.Minute, 10*time.Millisecond, "%s", &said)
			sweep(time.Now())
			folders, err := filepath.Glob(filepath.Join(temp, folderName+"*"))
			require.NoError(t, err)
			require.Len(t, folders, 1, "a folder in use is not deleted")
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
			Find(t.Context(), Options{Sandbox: "off"}, Host{})
			require.NoDirExists(t, folders[0])
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

// TestSweep proves which folders are deleted at the start.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	old := time.Now().Add(-3 * time.Hour)
	used, release, err := newFolder()
	require.NoError(t, err)
	defer release()
	require.NoError(t, os.Chtimes(used, old, old))
	folder := func(name string, at time.Time) string {
		path := filepath.Join(os.TempDir(), name)
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.Mkdir(filepath.Join(path, "closed"), 0o000))
		require.NoError(t, os.Chtimes(path, at, at))
		return path
	}
	left, begun, abandoned, other := folder(folderName+"1", time.Now()), folder(newName+"2", time.Now()), folder(newName+"3", old), folder("other", old)
	sweep(time.Now())
	require.DirExists(t, used, "its worker is alive")
	require.DirExists(t, begun, "it is being made")
	require.DirExists(t, other)
	require.NoDirExists(t, left)
	require.NoDirExists(t, abandoned)
}

// TestMemoryCounted proves that what a process has for itself and what it shares with
// those it has started is counted, and what it has read from files is not.
func TestMemoryCounted(t *testing.T) {
	own, shared := memoryOf("Name:\tx\nVmRSS:\t  930 kB\nRssAnon:\t     100 kB\nRssFile:\t     800 kB\nRssShmem:\t      30 kB\nVmPTE:\t       8 kB\nVmSwap:\t      20 kB\nThreads:\t1\n")
	require.Equal(t, int64((100+8+20)<<10), own)
	require.Equal(t, int64(30<<10), shared)
	require.Equal(t, map[string]int64{"7": 0x3000, "9": 0x1000}, sharedIn(`55d0c0000000-55d0c0002000 r--p 00000000 fe:00 325737                     /usr/bin/x
7f0000000000-7f0000002000 rw-s 00000000 00:01 7                          /dev/zero (deleted)
7f0000002000-7f0000003000 r--s 00002000 00:01 7                          /dev/zero (deleted)
7f0000008000-7f0000009000 rw-s 00000000 00:01 9                          /dev/zero (deleted)
7f000000a000-7f000000b000 rw-s 00000000 00:19 9                          /dev/shm/x (deleted)
7f000000c000-7f000000d000 rw-p 00000000 00:00 0 
`))
}
