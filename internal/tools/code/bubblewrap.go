package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// bubblewrap runs commands in their own namespaces, as user nobody, with the host's /usr.
type bubblewrap struct {
	path    string
	options Options
}

func findBubblewrap(o Options) (boxed, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return boxed{}, errors.New("there is no bwrap; on Debian: apt install bubblewrap")
	}
	return boxed{bubblewrap{path, o}, o, o.limited}, nil
}

func (b bubblewrap) command(ctx context.Context, args ...string) *exec.Cmd {
	size := strconv.FormatInt(b.options.Files, 10)
	all := []string{
		"--seccomp", "3", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
		"--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
		"--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs", "/tmp",
		"--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",
		"--setenv", "PYTHONDONTWRITEBYTECODE", "1",
		"--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
	}
	for _, name := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64"} {
		// These are links into /usr, or real folders on systems that keep them separate.
		if to, err := os.Readlink(name); err == nil {
			all = append(all, "--symlink", to, name)
		} else {
			all = append(all, "--ro-bind-try", name, name)
		}
	}
	if b.options.Network {
		all = append(all, "--share-net")
		for _, file := range []string{"/etc/resolv.conf", "/etc/ssl", "/etc/nsswitch.conf"} {
			all = append(all, "--ro-bind-try", file, file)
		}
	}
	// By default, bubblewrap's in-memory file systems have no size limit.
	all = append(all, "--size", strconv.FormatInt(b.options.roomSize(), 10), "--tmpfs", inside, "--remount-ro", "/dev", "--remount-ro", "/", "--")
	cmd := exec.CommandContext(ctx, b.path, append(all, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	runApart(cmd)
	filter, err := openCallFilter()
	if err != nil {
		cmd.Err = err
		return cmd
	}
	cmd.ExtraFiles = []*os.File{filter} // file descriptors from 3
	return cmd
}

// maxOpen is the number of files that each process may have open.
const maxOpen = 512

func (l Options) limited(language Language) string {
	// The option for the number of processes is -u, or -p in some shells such as Debian's.
	body := fmt.Sprintf("ulimit -c 0; ulimit -n %[3]d; ulimit -f %[1]d; ulimit -u %[2]d 2>/dev/null || ulimit -p %[2]d;", l.Files/512, l.Processes, maxOpen)
	if language != JavaScript { // V8 reserves far more address space than it uses
		body += fmt.Sprintf(" ulimit -v %d;", l.Memory/1024)
	}
	return body + ` exec "$0" "$@"`
}
