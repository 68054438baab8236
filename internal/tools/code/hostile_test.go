package code

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEndedAtOnce proves that what takes more memory or processes than it may is
// ended at once: it may have ended what would stop it.
func TestEndedAtOnce(t *testing.T) {
	// What they start ends with the pipe that it reads.
	const hog = "exec 3<&0; (head -c 100000000 /dev/zero; cat <&3) | tail >/dev/null"
	const many = "exec 3<&0; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do cat <&3 & done; wait"
	for name, tt := range map[string]struct {
		script, want string
		ended        bool // it is said to have ended
	}{
		"memory":                           {hog, "it used more than 64 MB of memory", false},
		"memory, after a pretended end":    {hog, "it used more than 64 MB of memory", true},
		"processes":                        {many, "it had more than 4 processes", false},
		"processes, after a pretended end": {many, "it had more than 4 processes", true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, memory := treeOf(os.Getpid()); memory == 0 {
				t.Skip("this system has no /proc")
			}
			l := Options{Timeout: time.Hour, Memory: 64e6, Files: 1e9, Processes: 4}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-c", tt.script)
			var p progress
			if p.began.now(); tt.ended {
				p.ended.now()
			}
			o, _, err := l.run(ctx, cmd, &p, true, func(from *io.PipeReader, _ io.WriteCloser) error {
				_, err := io.Copy(io.Discard, from)
				return err
			})
			require.NoError(t, err)
			require.Zero(t, p.stopped.time(), "it was asked to end")
			require.Equal(t, tt.want, o.stopped)
		})
	}
}

// TestHostile proves that a program in bubblewrap which ends what would stop it, or says
// that it has ended, is held to its limits all the same, and that there is no memory that
// is not seen.
func TestHostile(t *testing.T) {
	f := found(t, Bubblewrap, quick)
	const alone = `for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = 1 ] || [ $p = $$ ] || [ $p = $PPID ] || kill -9 $p; done
`
	const hogs = `for i in 1 2 3 4; do (head -c 120000000 /dev/zero; sleep 3600) | tail & done; wait
`
	const python = `python3 - <<'X'
import ctypes, mmap, os, time
`
	// The shell's output, which root's would not let nobody open by its name.
	const forge = python + `
call = ctypes.CDLL(None, use_errno=True).syscall
to = call(438, call(434, int(os.environ["SHELL_PID"]), 0), 3, 0) # pidfd_getfd, pidfd_open
if to < 0: print("it has no output of the shell's", os.strerror(ctypes.get_errno()))
`
	const sockets = python + `
import socket
kept = []
def hold(most=10**6):
    while len(kept) < most:
        try: pair = socket.socketpair()
        except OSError: break
        kept.extend(pair)
        for s in pair:
            s.setblocking(False)
            try:
                while s.send(b"x" * 65536): pass
            except BlockingIOError: pass
    time.sleep(3600)
`
	for _, tt := range []struct{ name, script, want string }{
		{"memory, with its helper killed", alone + hogs, "stopped: it used more than 256 MB of memory"},
		{"memory, after a forged end", "export SHELL_PID=$PPID\n" + forge + "os.write(to, b'ended 0\\n')\nX\n" + hogs, "stopped: it used more than 256 MB of memory"},
		{"an endless line", "export SHELL_PID=$PPID\n" + forge + "while True: os.write(to, b'x' * 65536)\nX\n", "Broken pipe"},
		{"memory without a process", python + `
def said(name, f, *args):
    try: print(name, f(*args))
    except OSError as e: print(name, os.strerror(e.errno))
said("memfd", os.memfd_create, "x")
libc = ctypes.CDLL(None, use_errno=True)
for name, args in {"shmget": (0, 4096, 0o1600), "msgget": (0, 0o1600)}.items():
    print(name, getattr(libc, name)(*args), os.strerror(ctypes.get_errno()))
X`, "memfd Function not implemented\nshmget -1 Function not implemented\nmsgget -1 Function not implemented\n"},
		{"shared memory that nobody looks at", python + `
for i in range(3):
    if os.fork() == 0:
        m = mmap.mmap(-1, 100_000_000)
        for j in range(100):
            m.write(b"x" * 1_000_000)
            m.madvise(mmap.MADV_DONTNEED)
        time.sleep(3600)
os.wait()
X`, "stopped: it used more than 256 MB of memory"},
		{"memory in sockets", sockets + `
hold()
X`, "stopped: it had more than 256 sockets and pipes"},
		{"memory in sockets that no process has open", sockets + `
a, b = socket.socketpair()
try:
    while True:
        c, d = socket.socketpair()
        socket.send_fds(a, [b"x"], [c.fileno(), d.fileno()])
        c.close(); d.close()
except OSError: time.sleep(3600)
X`, "stopped: it had more than 256 sockets and pipes"},
		{"memory in few sockets", sockets + `
hold(200)
X`, "stopped: it used more than 64 MB of memory"},
		{"larger buffers", sockets + `
a, b = socket.socketpair()
before = a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
print("same", before == a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF))
import fcntl
r, w = os.pipe()
try: fcntl.fcntl(w, 1031, 1 << 20)
except OSError as e: print(e.strerror)
X`, "same True\nOperation not permitted\n"},
		{"memory in pipes", python + `
kept = []
for p in range(2):
    if os.fork() == 0: break
for i in range(100): kept.append(os.pipe())
time.sleep(3600)
X`, "stopped: it had more than 256 sockets and pipes"},
		{"namespaces", "unshare -Ur true && echo made || echo refused", "Operation not permitted\nrefused\n"},
		{"open files", "ulimit -n", "\n512\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.script, "python3") {
				if _, err := exec.LookPath("python3"); err != nil {
					t.Skip(err)
				}
			}
			f := f
			if tt.name == "memory in few sockets" {
				s := f.engine.(boxed)
				s.options.Memory = 64e6
				f.engine, f.options = s, s.options
			}
			got := newRig(t, f).run(Shell, tt.script)
			require.Contains(t, got, tt.want)
			require.NotContains(t, got, "it has no output of the shell's")
		})
	}
}
