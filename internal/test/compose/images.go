package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"errand/internal/ownerkey"
)

// What the images are made of, on this machine: errand as deploy/Dockerfile builds it,
// Temporal's server, its tool for schemas and its Web UI from the modules of go.mod,
// PostgreSQL and Caddy as Debian has them.

// imageOf is the last part of the name of a container's image, without its version.
func imageOf(p place) string {
	name, _, _ := strings.Cut(p.Image, ":")
	return filepath.Base(name)
}

func (s *stack) command(ctx context.Context, p place) ([]string, error) {
	for _, t := range p.Tmpfs {
		if err := os.MkdirAll(strings.TrimSuffix(p.paths[t+"/"], "/"), 0o700); err != nil {
			return nil, err
		}
	}
	command := append(p.args(p.Entrypoint), p.args(p.Command)...)
	switch image := imageOf(p); {
	case image == "postgres" && p.Name == "postgres":
		return s.postgres(ctx, p)
	case len(p.Entrypoint) > 0:
		return command, nil
	case image == "errand":
		return append([]string{"errand"}, orDefault(command, "serve")...), nil
	case image == "caddy":
		return orDefault(command, "caddy", "run", "--config", p.here("/etc/caddy/Caddyfile"), "--adapter", "caddyfile"), nil
	case image == "ui":
		return orDefault(command, "ui-server", "--root", "/", "--config", p.here("/home/ui-server/config"), "--env", "docker", "start"), nil
	}
	return nil, fmt.Errorf("service %s: what image %s runs is not known here", p.Name, p.Image)
}

func orDefault(command []string, other ...string) []string {
	if len(command) > 0 {
		return command
	}
	return other
}

// postgres does what the entrypoint of PostgreSQL's image does: it creates a database
// if there is not one yet, with the user, the password and the database of the environment.
func (s *stack) postgres(ctx context.Context, p place) ([]string, error) {
	env := map[string]string{}
	for _, variable := range p.env() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	data := p.here("/var/lib/postgresql/data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	password, err := os.ReadFile(env["POSTGRES_PASSWORD_FILE"])
	if err != nil {
		return nil, err
	}
	file := filepath.Join(data, "..", "password")
	if err := os.WriteFile(file, password, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	if s.user != nil {
		for _, path := range []string{data, file} {
			if err := os.Chown(path, int(s.user.Uid), int(s.user.Gid)); err != nil {
				return nil, err
			}
		}
	}
	options := []string{"-c", "unix_socket_directories=", "-c", "listen_addresses=" + p.ip}
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err != nil {
		for _, step := range [][]string{
			{"initdb", "--pgdata", data, "--username", env["POSTGRES_USER"], "--pwfile", file, "--auth=scram-sha-256", "--no-sync"},
			{"sh", "-c", `echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D "$0" postgres`, data},
		} {
			if out, err := s.cmd(ctx, p, step).CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", step[0], err, out)
			}
		}
	}
	return append(append(p.args(p.Command), "-D", data), options...), nil
}

// build makes the programs of the images in a folder, from this checkout: errand by the
// line of deploy/Dockerfile.
func build(ctx context.Context, bin string) error {
	dockerfile, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		return err
	}
	line, args := buildLine(string(dockerfile))
	if line == "" {
		return fmt.Errorf("deploy/Dockerfile has no line that builds errand")
	}
	commands := [][]string{
		{"sh", "-c", strings.ReplaceAll(line, "/out/", bin+"/")},
		{"go", "build", "-ldflags=-s -w", "-o", filepath.Join(bin, "temporal-server"), "go.temporal.io/server/cmd/server"},
		{"go", "build", "-ldflags=-s -w", "-o", filepath.Join(bin, "temporal-sql-tool"), "go.temporal.io/server/cmd/tools/sql"},
		{"go", "build", "-ldflags=-s -w", "-o", filepath.Join(bin, "ui-server"), "github.com/temporalio/ui-server/v2/cmd/server"},
	}
	for _, command := range commands {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Env = append(append(ownerkey.ChildEnv(os.Environ()), "CGO_ENABLED=0"), args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return nil
}

// buildLine returns the command of a Dockerfile that builds errand, and the defaults
// of the arguments before it.
func buildLine(dockerfile string) (line string, args []string) {
	text := strings.ReplaceAll(dockerfile, "\\\n", " ")
	for l := range strings.Lines(text) {
		if arg, ok := strings.CutPrefix(l, "ARG "); ok {
			args = append(args, strings.TrimSpace(arg))
		}
		if i := strings.Index(l, "CGO_ENABLED=0 go build "); i >= 0 && strings.HasPrefix(l, "RUN ") {
			return strings.TrimSpace(l[i:]), args
		}
	}
	return "", nil
}

func module(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", path)
	cmd.Env = ownerkey.ChildEnv(os.Environ())
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// postgresUser returns the user that PostgreSQL runs as, because it refuses to run as
// root; nil: this process's own user.
func postgresUser() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and needs a user postgres: %w", err)
	}
	uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
	if errUID != nil || errGID != nil {
		return nil, fmt.Errorf("user postgres: ids %s and %s are no numbers", u.Uid, u.Gid)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
