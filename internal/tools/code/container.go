package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"errand/internal/ownerkey"
)

// containers runs commands in containers of docker or podman.
type containers struct {
	path     string
	options  Options
	uid, gid int // errand's
}

func findContainers(ctx context.Context, kind Kind, o Options) (boxed, error) {
	if o.Image == "" {
		return boxed{}, errors.New("code.image names no image")
	}
	path, err := exec.LookPath(string(kind))
	if err != nil {
		return boxed{}, errors.New("it is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if out, err := client(ctx, path, "image", "inspect", "--format", "{{.Id}}", o.Image).CombinedOutput(); err != nil {
		message, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return boxed{}, fmt.Errorf("image %s: %s (`errand doctor` pulls it)", o.Image, message)
	}
	// A container ends when errand closes its input. If that fails, it ends by itself.
	body := fmt.Sprintf(`command -v timeout >/dev/null && exec timeout -s KILL %d "$0" "$@"; exec "$0" "$@"`, int(o.Timeout.Seconds())+5)
	return boxed{containers{path, o, os.Getuid(), os.Getgid()}, o, func(Language) string { return body }}, nil
}

// Pull gets the image of containers if o names one that is missing.
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

// client is a command of docker or podman, which find their settings in the environment.
// Containers get none of it.
func client(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	return cmd
}

func (c containers) command(ctx context.Context, args ...string) *exec.Cmd {
	network, user := "none", fmt.Sprintf("%d:%d", c.uid, c.gid)
	if c.options.Network {
		network = "bridge"
	}
	if c.uid <= 0 { // never as root
		id := programUser()
		user = fmt.Sprintf("%d:%d", id, id)
	}
	memory, name := strconv.FormatInt(c.options.Memory, 10), "errand-"+uuid.NewString()
	all := []string{
		"run", "--rm", "--init", "--interactive", "--name", name, "--pull", "never", "--network", network, "--read-only", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges", "--pids-limit", strconv.Itoa(c.options.Processes + extraProcesses),
		"--memory", memory, "--memory-swap", memory, "--cpus", "1", "--user", user, "--hostname", "sandbox",
		"--tmpfs", fmt.Sprintf("/tmp:size=%d", c.options.Files), "--tmpfs", fmt.Sprintf("%s:exec,mode=1777,size=%d", inside, c.options.roomSize()),
		"--env", "HOME=/tmp", "--env", "PYTHONDONTWRITEBYTECODE=1", "--entrypoint", "", c.options.Image,
	}
	cmd := client(ctx, c.path, append(all, args...)...)
	cmd.Cancel = func() error {
		// The client's end does not end the container.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(client(ctx, c.path, "kill", name).Run(), cmd.Process.Kill())
	}
	return cmd
}
