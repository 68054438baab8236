// Command compose starts what docker-compose.yml starts, without Docker, as processes of
// this machine. The programs, their environment, health checks and configuration are the
// same; each has an address of its own on the loopback. It needs Go, PostgreSQL and
// Caddy. Everything it makes is removed at the end.
//
//	go run ./internal/test/compose          one turn, one errand, a worker killed meanwhile
//	go run ./internal/test/compose scale    what turns and delegations take with 1, 2 and 4 workers (-workers 1,4: with these)
//	go run ./internal/test/compose restart  a rolling restart of the workers under load
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if tool, ok := tools[filepath.Base(os.Args[0])]; ok {
		exit(tool(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: go run ./internal/test/compose [scale|restart] [flags]") }
	mode := ""
	args := os.Args[1:]
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		mode, args = args[0], args[1:]
	}
	var o options
	flag.DurationVar(&o.each, "for", 30*time.Second, "how long each part of a measurement takes")
	flag.StringVar(&o.bin, "bin", "", "folder in which the programs are built and stay; empty: one that is removed")
	o.counts = []int{1, 2, 4}
	flag.Func("workers", "how many workers are measured, such as 1,4 (default 1,2,4)", func(list string) (err error) {
		o.counts, err = counts(list)
		return err
	})
	flag.CommandLine.Parse(args)
	switch mode {
	case "":
		exit(with(ctx, o, firstChat))
	case "scale":
		exit(scale(ctx, o))
	case "restart":
		exit(restart(ctx, o))
	default:
		flag.Usage()
		os.Exit(2)
	}
}

func counts(list string) (numbers []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > mostReplicas {
			return nil, fmt.Errorf("%q is no number from 1 to %d", word, mostReplicas)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var began = time.Now()

// logf prints what happens, with the seconds since the start.
func logf(format string, args ...any) {
	fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
}

type options struct {
	bin     string
	each    time.Duration
	workers int               // 0: as many as docker-compose.yml says
	counts  []int             // of workers, to be measured one after the other
	env     map[string]string // variables for docker-compose.yml
}

func with(ctx context.Context, o options, f func(context.Context, *stack) error) (err error) {
	s, err := newStack(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s%s", err, s.tail("errand"), s.tail("caddy"))
		}
		err = errors.Join(err, s.down())
		logf("everything has ended, and is removed")
	}()
	names, err := serveNames(s.net+"1:5353", s.replicas)
	if err != nil {
		return err
	}
	defer names.Close()
	started := map[string]bool{}
	for _, name := range s.project.ServiceNames() {
		if err := s.up(ctx, name, started); err != nil {
			return err
		}
	}
	return f(ctx, s)
}

func newStack(ctx context.Context, o options) (*stack, error) {
	net, err := freeNet()
	if err != nil {
		return nil, err
	}
	s := &stack{net: net, files: map[string]string{}, processes: map[string]*process{}, restarts: map[string]int{}}
	// The address of the pages is Caddy's, which has a place among the services.
	for _, public := range []string{"", "http://%s:8080"} {
		vars := map[string]string{}
		for name, value := range o.env {
			vars[name] = value
		}
		if public != "" {
			vars["ERRAND_PUBLIC_URL"] = fmt.Sprintf(public, s.address("caddy", 0))
		}
		if s.project, err = loadProject(ctx, vars); err != nil {
			return nil, err
		}
	}
	if o.workers > 0 {
		service := s.project.Services["errand"]
		service.SetScale(o.workers)
		s.project.Services["errand"] = service
	}
	if s.user, err = postgresUser(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "errand-try-"); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, o.bin); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	return s, nil
}

func (s *stack) prepare(ctx context.Context, bin string) error {
	bin, err := filepath.Abs(cmp.Or(bin, filepath.Join(s.dir, "bin")))
	if err != nil {
		return err
	}
	postgres, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(postgres) == 0 {
		return errors.New("PostgreSQL's server is not installed: apt-get install postgresql")
	}
	s.path = bin + ":" + s.dir + "/tools:" + postgres[len(postgres)-1] + ":/usr/local/bin:/usr/bin:/bin"
	for _, folder := range []string{bin, s.dir + "/tools", s.dir + "/log", s.dir + "/caddy"} {
		if err := os.MkdirAll(folder, 0o711); err != nil {
			return err
		}
	}
	if err := os.Chmod(s.dir, 0o711); err != nil { // PostgreSQL is another user
		return err
	}
	for volume := range s.project.Volumes {
		if err := os.MkdirAll(filepath.Join(s.dir, volume), 0o711); err != nil {
			return err
		}
	}
	if err := build(ctx, bin); err != nil {
		return err
	}
	logf("built errand as deploy/Dockerfile does, and Temporal from its modules")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for name := range tools {
		if err := os.Symlink(self, filepath.Join(s.dir, "tools", name)); err != nil {
			return err
		}
	}
	server, err := module(ctx, "go.temporal.io/server")
	if err != nil {
		return err
	}
	ui, err := module(ctx, "github.com/temporalio/ui-server/v2")
	if err != nil {
		return err
	}
	// The images' own files: the script that starts Temporal needs a shell with pipefail.
	entrypoint := filepath.Join(s.dir, "tools", "entrypoint.sh")
	if err := os.WriteFile(entrypoint, []byte("#!/bin/sh\nexec bash "+server+"/docker/scripts/sh/entrypoint.sh\n"), 0o700); err != nil {
		return err
	}
	s.files["/etc/temporal/entrypoint.sh"] = entrypoint
	s.files["/etc/temporal/schema"] = server + "/schema"
	s.files["/home/ui-server/config"] = ui + "/config"
	return nil
}

func (s *stack) replicas(name string) (list []string) {
	service, ok := s.project.Services[name]
	if !ok {
		return nil
	}
	for replica := range service.GetScale() {
		list = append(list, s.address(name, replica))
	}
	return list
}
