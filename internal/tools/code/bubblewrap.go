package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// bubblewrap runs programs in namespaces of their own, as nobody, on the host's /usr.
type bubblewrap struct {
	path    string
	options Options
}

func findBubblewrap(ctx context.Context, o Options) (sandbox, []Language, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, nil, errors.New("there is no bwrap; on Debian: apt install bubblewrap")
	}
	b := bubblewrap{path, o}
	languages, err := probe(ctx, func(ctx context.Context, args ...string) *exec.Cmd {
		return b.command(ctx, nobody, nil, args...)
	})
	return b, languages, err
}

// command runs args as uid if errand is root. Its extra files are to be closed.
func (b bubblewrap) command(ctx context.Context, uid int, mounts []string, args ...string) *exec.Cmd {
	all := []string{
		"--seccomp", "3", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
		"--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
		"--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
		"--size", strconv.FormatInt(b.options.Files, 10), "--tmpfs", "/dev/shm",
		"--size", strconv.FormatInt(b.options.Files, 10), "--tmpfs", "/tmp",
		"--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",
		"--setenv", "PYTHONDONTWRITEBYTECODE", "1",
		"--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib32", "lib64"} {
		// They are links into /usr, or folders where the two were never merged.
		if to, err := os.Readlink("/" + name); err == nil {
			all = append(all, "--symlink", to, "/"+name)
			continue
		}
		all = append(all, "--ro-bind-try", "/"+name, "/"+name)
	}
	if b.options.Network {
		all = append(all, "--share-net")
		for _, file := range []string{"/etc/resolv.conf", "/etc/ssl", "/etc/nsswitch.conf"} {
			all = append(all, "--ro-bind-try", file, file)
		}
	}
	// The file systems in memory that bubblewrap itself makes have no size.
	all = append(append(all, mounts...), "--remount-ro", "/dev", "--remount-ro", "/")
	cmd := exec.CommandContext(ctx, b.path, append(append(all, "--"), args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	runAs(cmd, uid)
	filter, err := openCallFilter()
	if err != nil {
		cmd.Err = err
		return cmd
	}
	cmd.ExtraFiles = []*os.File{filter} // from 3 on
	return cmd
}

func (b bubblewrap) run(ctx context.Context, p program) (outcome, error) {
	c := commandOf(p.language)
	file := "/tmp/main" + c.suffix
	cmd := b.command(ctx, p.uid, []string{"--ro-bind", p.folder, below, "--ro-bind", p.file, file,
		"--size", strconv.FormatInt(b.options.roomSize(), 10), "--tmpfs", inside},
		append([]string{"sh", "-c", inRoom(b.options.shell(p.language))}, c.line(file)...)...)
	defer closeExtra(cmd)
	return b.options.runInRoom(ctx, cmd, p)
}

// closeExtra closes what a command was given to read besides its input.
func closeExtra(cmd *exec.Cmd) {
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
}

// mostOpen is how many files each process may have open: what waits in pipes and sockets
// is memory that belongs to no process.
const mostOpen = 512

func (o Options) shell(language Language) string {
	// Shells call the limit of processes -u or, as Debian's does, -p.
	script := fmt.Sprintf("ulimit -c 0; ulimit -n %[3]d; ulimit -f %[1]d; ulimit -u %[2]d 2>/dev/null || ulimit -p %[2]d;", o.Files/512, o.Processes, mostOpen)
	if language != JavaScript { // V8 reserves far more addresses than it has memory
		script += fmt.Sprintf(" ulimit -v %d;", o.Memory/1024)
	}
	return script + ` exec "$0" "$@"`
}
