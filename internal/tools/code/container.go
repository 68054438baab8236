package code

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"errand/internal/ownerkey"
)

// containers runs programs in containers of docker or podman.
type containers struct {
	path     string
	options  Options
	uid, gid int // errand's
}

func findContainers(ctx context.Context, kind Kind, o Options) (sandbox, []Language, error) {
	if o.Image == "" {
		return nil, nil, errors.New("code.image names no image")
	}
	path, err := exec.LookPath(string(kind))
	if err != nil {
		return nil, nil, errors.New("it is not installed")
	}
	c := containers{path, o, os.Getuid(), os.Getgid()}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	inspect := client(ctx, path, "image", "inspect", "--format", "{{.Id}}", o.Image)
	if out, err := inspect.CombinedOutput(); err != nil {
		message, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return nil, nil, fmt.Errorf("image %s: %s (`errand doctor` pulls it)", o.Image, message)
	}
	c.removeLeft(ctx)
	languages, err := probe(ctx, func(ctx context.Context, args ...string) *exec.Cmd {
		return c.command(ctx, nobody, "", "", nil, args...)
	})
	return c, languages, err
}

// Pull gets the image of containers, where o says that there are some and it is not
// there.
func Pull(ctx context.Context, o Options) error {
	if o.Image == "" {
		return nil
	}
	for _, kind := range []Kind{Docker, Podman} {
		path, err := exec.LookPath(string(kind))
		if asked := Kind(o.Sandbox); err != nil || asked != kind && asked != Auto {
			continue
		}
		if client(ctx, path, "image", "inspect", o.Image).Run() == nil {
			return nil
		}
		out, err := client(ctx, path, "pull", o.Image).CombinedOutput()
		if err == nil {
			return nil
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s pull %s: %s", kind, o.Image, lines[len(lines)-1])
	}
	return nil
}

// client is a command of docker or podman themselves, which find their settings in the
// environment. What runs in a container gets none of it.
func client(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	return cmd
}

func (c containers) command(ctx context.Context, uid int, name, folder string, mounts []string, args ...string) *exec.Cmd {
	network := "none"
	if c.options.Network {
		network = "bridge"
	}
	all := []string{
		"run", "--rm", "--init", "--pull", "never", "--network", network, "--read-only", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--pids-limit", strconv.Itoa(c.options.Processes + extraProcesses),
		"--memory", strconv.FormatInt(c.options.Memory, 10), "--memory-swap", strconv.FormatInt(c.options.Memory, 10), "--cpus", "1",
		"--user", c.user(uid), "--tmpfs", fmt.Sprintf("/tmp:size=%d", c.options.Files), "--hostname", "sandbox",
		"--env", "HOME=/tmp", "--env", "PYTHONDONTWRITEBYTECODE=1", "--entrypoint", "",
	}
	if name != "" {
		all = append(all, "--name", name, "--label", hostLabel+"="+hostname(), "--label", folderLabel+"="+folder)
	}
	if strings.HasSuffix(c.path, "podman") && c.uid > 0 {
		all = append(all, "--userns", "keep-id") // or the folder is somebody else's
	}
	all = append(append(all, mounts...), c.options.Image)
	cmd := client(ctx, c.path, append(all, args...)...)
	if name != "" {
		cmd.Cancel = func() error {
			// The client's end does not end the container.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			err := client(ctx, c.path, "kill", name).Run()
			return errors.Join(err, cmd.Process.Kill())
		}
	}
	return cmd
}

// The labels of a container say whose it is.
const (
	hostLabel   = "errand.host"
	folderLabel = "errand.folder"
)

func hostname() string {
	name, _ := os.Hostname() // all without a name are one
	return name
}

// removeLeft ends the containers of workers of this machine that were killed: their
// folders are gone. That it fails is no reason not to run others.
func (c containers) removeLeft(ctx context.Context) {
	out, err := client(ctx, c.path, "ps", "--filter", "label="+hostLabel+"="+hostname(),
		"--format", `{{.ID}} {{.Label "`+folderLabel+`"}}`).Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		id, folder, ok := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := os.Lstat(folder); ok && errors.Is(err, fs.ErrNotExist) {
			_ = client(ctx, c.path, "rm", "--force", id).Run()
		}
	}
}

// user returns errand's own user, who owns the folder; if that is root, uid.
func (c containers) user(uid int) string {
	if c.uid <= 0 {
		return fmt.Sprintf("%d:%d", uid, uid)
	}
	return fmt.Sprintf("%d:%d", c.uid, c.gid)
}

func (c containers) run(ctx context.Context, p program) (outcome, error) {
	cmd := commandOf(p.language)
	file := "/tmp/main" + cmd.suffix
	// A worker that is killed leaves a container behind: that ends by itself.
	body := fmt.Sprintf(`command -v timeout >/dev/null && exec timeout -s KILL %d "$0" "$@"; exec "$0" "$@"`, int(c.options.Timeout.Seconds())+5)
	run := c.command(ctx, p.uid, "errand-"+uuid.NewString(), filepath.Dir(p.folder),
		[]string{"--interactive", "--volume", p.folder + ":" + below + ":ro", "--volume", p.file + ":" + file + ":ro",
			"--tmpfs", fmt.Sprintf("%s:exec,mode=1777,size=%d", inside, c.options.roomSize())},
		append([]string{"sh", "-c", inRoom(body)}, cmd.line(file)...)...)
	return c.options.runInRoom(ctx, run, p)
}
