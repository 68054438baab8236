package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/compose-spec/compose-go/v2/types"

	"errand/internal/ownerkey"
)

// A stack is the services of docker-compose.yml as processes of this machine.
type stack struct {
	project *types.Project
	dir     string // of everything that they write
	net     string // 127.a.b.
	path    string // the PATH of the services: their programs, then this machine's
	files   map[string]string
	user    *syscall.Credential // PostgreSQL's, where this runs as root

	mu        sync.Mutex
	processes map[string]*process // by service and replica: "errand-1"
	written   int                 // messages of all loads
	restarts  map[string]int      // of each process
}

// A process is a container that runs.
type process struct {
	place
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
	down bool // we have ended it, so that it is not started again; under stack.mu
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// up starts the services that a service depends on, and then itself, as often as its
// replicas say, and waits until it is what others wait for.
func (s *stack) up(ctx context.Context, name string, started map[string]bool) error {
	if started[name] {
		return nil
	}
	started[name] = true
	service, ok := s.project.Services[name]
	if !ok {
		return fmt.Errorf("there is no service %s", name)
	}
	for _, on := range service.GetDependencies() {
		if err := s.up(ctx, on, started); err != nil {
			return err
		}
	}
	began := time.Now()
	if s.ends(name) {
		if err := s.run(ctx, s.place(service, 0)); err != nil {
			return err
		}
	} else {
		for replica := range service.GetScale() {
			if _, err := s.start(ctx, s.place(service, replica), fmt.Sprintf("%s-%d", name, replica+1)); err != nil {
				return err
			}
		}
		for replica := range service.GetScale() {
			if err := s.healthy(ctx, s.place(service, replica)); err != nil {
				return err
			}
		}
	}
	logf("%-19s %5.1f s", name, time.Since(began).Seconds())
	return nil
}

// ends reports whether others wait for the end of a service.
func (s *stack) ends(name string) bool {
	for _, other := range s.project.Services {
		if on, ok := other.DependsOn[name]; ok && on.Condition == types.ServiceConditionCompletedSuccessfully {
			return true
		}
	}
	return false
}

// run runs a service that ends by itself.
func (s *stack) run(ctx context.Context, p place) error {
	command, err := s.command(ctx, p)
	if err != nil {
		return err
	}
	cmd := s.cmd(ctx, p, command)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", p.Name, err, out)
	}
	return nil
}

func (s *stack) start(ctx context.Context, p place, name string) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begin(ctx, p, name)
}

func (s *stack) begin(ctx context.Context, p place, name string) (*process, error) {
	command, err := s.command(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &process{place: p, name: name, log: filepath.Join(s.dir, "log", name), done: make(chan struct{})}
	log, err := os.OpenFile(out.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	out.cmd = s.cmd(context.WithoutCancel(ctx), p, command)
	out.cmd.Stdout, out.cmd.Stderr = log, log
	if err := out.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	s.processes[name] = out
	go func() {
		out.cmd.Wait()
		close(out.done)
		s.restart(context.WithoutCancel(ctx), out)
	}()
	return out, nil
}

// restart does what Docker does when a container has ended by itself: a worker does, for
// example, while Temporal does not know a new namespace everywhere.
func (s *stack) restart(ctx context.Context, p *process) {
	after, ended := s.ended(p)
	if !ended || !pause(ctx, after) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.down { // meanwhile
		return
	}
	logf("%s has ended by itself, and is started again", p.name)
	if _, err := s.begin(ctx, p.place, p.name); err != nil {
		logf("%s was not started again: %v", p.name, err)
	}
}

// ended counts a process that has ended by itself, and says after how long it is started
// again; false: we have ended it, or it is not to be.
func (s *stack) ended(p *process) (after time.Duration, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.down || p.Restart != types.RestartPolicyUnlessStopped {
		return 0, false
	}
	s.restarts[p.name]++
	return min(100*time.Millisecond<<min(s.restarts[p.name], 10), time.Minute), true // it doubles, as Docker's does
}

// ending says that a process is ended by us, and returns the one that has its place by
// now: it may have ended by itself and been started again.
func (s *stack) ending(p *process) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p = s.processes[p.name]
	p.down = true
	return p
}

// cmd is a command in the environment of a container. It dies with this process.
func (s *stack) cmd(ctx context.Context, p place, command []string) *exec.Cmd {
	path := command[0]
	if found := s.lookPath(path); found != "" {
		path = found
	}
	cmd := exec.CommandContext(ctx, path, command[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(s.base(p), p.env()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if imageOf(p) == "postgres" && p.Name == "postgres" {
		cmd.SysProcAttr.Credential = s.user
	}
	return cmd
}

func (s *stack) lookPath(name string) string {
	for _, folder := range filepath.SplitList(s.path) {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() && !strings.Contains(name, "/") {
			return filepath.Join(folder, name)
		}
	}
	return ""
}

// base is what an image has in its environment, and what this machine needs besides:
// nothing of the shell that started all this but the place of what is temporary.
func (s *stack) base(p place) []string {
	env := slices.DeleteFunc(ownerkey.ChildEnv(os.Environ()), func(v string) bool { return !strings.HasPrefix(v, "TMPDIR=") })
	env = append(env, "PATH="+s.path, "HOME="+s.dir, "LANG=C.UTF-8", "TZ=UTC")
	switch imageOf(p) {
	case "errand":
		// The commands look for a worker on 127.0.0.1, which is the container there.
		env = append(env, "ERRAND_SERVER=http://"+p.ip+":8080")
	case "caddy":
		env = append(env, "XDG_DATA_HOME="+s.dir+"/caddy", "XDG_CONFIG_HOME="+s.dir+"/caddy", "ERRAND_CADDY_BIND="+p.ip,
			"ERRAND_DNS="+s.net+"1:5353", "ERRAND_UI="+p.hosts["temporal-ui"])
	case "admin-tools":
		env = append(env, "TEMPORAL_SCHEMA="+s.files["/etc/temporal/schema"])
	case "postgres":
		env = append(env, "POSTGRES_HOST="+p.hosts["postgres"]+":5432")
	}
	return env
}

// healthy waits until the health check of a container succeeds; one without is well.
func (s *stack) healthy(ctx context.Context, p place) error {
	check := p.health()
	if check == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		out, err := s.cmd(ctx, p, check).CombinedOutput()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not healthy after a minute: %s: %w\n%s\n%s", p.Name, strings.Join(check, " "), err, out, s.tail(p.Name))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *stack) tail(service string) string {
	var b strings.Builder
	logs, err := filepath.Glob(filepath.Join(s.dir, "log", service+"-*"))
	if err != nil {
		return err.Error()
	}
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(log), text[max(0, len(text)-4000):])
	}
	return b.String()
}

func (s *stack) process(name string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[name]
}

// kill ends a process with SIGKILL, and what it has started.
func (s *stack) kill(p *process) {
	p = s.ending(p)
	syscall.Kill(-p.pid(), syscall.SIGKILL)
	<-p.done
}

// stop ends a process as "docker compose stop" does: it has its stop_grace_period.
func (s *stack) stop(p *process) error {
	p = s.ending(p)
	grace := 10 * time.Second
	if p.StopGracePeriod != nil {
		grace = time.Duration(*p.StopGracePeriod)
	}
	signal := syscall.SIGTERM
	if p.Name == "postgres" {
		signal = syscall.SIGINT // the image's STOPSIGNAL: without waiting for its clients
	}
	p.cmd.Process.Signal(signal)
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
		s.kill(p)
		return fmt.Errorf("%s did not end within %s", p.name, grace)
	}
}

const mostReplicas = 16

// down ends everything, the last first, and removes what it wrote.
func (s *stack) down() error {
	var problems []error
	for _, name := range []string{"caddy", "errand", "temporal-ui", "temporal", "postgres"} {
		var group sync.WaitGroup
		for replica := range mostReplicas {
			p := s.process(fmt.Sprintf("%s-%d", name, replica+1))
			if p == nil {
				continue
			}
			group.Go(func() {
				if err := s.stop(p); err != nil {
					s.mu.Lock()
					problems = append(problems, err)
					s.mu.Unlock()
				}
			})
		}
		group.Wait()
	}
	return errors.Join(append(problems, os.RemoveAll(s.dir))...)
}
