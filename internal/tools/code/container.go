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

type containers struct {
	path     string
	options  Options
	uid, gid int // those of errand
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
	// A container ends when errand closes its input. If that fails, its own time limit ends it.
	body := fmt.Sprintf(`command -v timeout >/dev/null && exec timeout -s KILL %d "$0" "$@"; exec "$0" "$@"`, int(o.Timeout.Seconds())+5)
	return boxed{containers{path, o, os.Getuid(), os.Getgid()}, o, func(Language) string { return body }}, nil
}

// Pull downloads the image in o if the container engine does not have it.
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

// client runs docker or podman with errand's environment, which holds their settings.
// Containers do not get it.
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
	if c.uid <= 0 { // never run as root
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
		// Killing the client does not stop the container.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(client(ctx, c.path, "kill", name).Run(), cmd.Process.Kill())
	}
	return cmd
}
