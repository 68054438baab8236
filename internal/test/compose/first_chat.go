package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"errand/internal/core"
)

// The README's first chat.
const (
	hello      = "hello"
	background = "ask Sasha to compare night trains to Oslo, in the background"
	report     = "Demonstration report on"
)

// firstChat does what the README says: it opens the link, talks, sends Sasha on an
// errand, kills the worker where she is at work, and sees the result told, once.
func firstChat(ctx context.Context, s *stack) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if err := s.again(ctx); err != nil {
		return err
	}
	me, err := s.logIn(ctx)
	if err != nil {
		return err
	}
	if err := s.webUI(ctx, me); err != nil {
		return err
	}
	got, err := me.write(ctx, "main", "m1", hello)
	if err != nil {
		return err
	}
	logf("%s: %q", got.Reply.Agent.Display(), line(got.Reply.Text))
	got, err = me.write(ctx, "main", "m2", background)
	if err != nil {
		return err
	}
	logf("%s: %q", got.Reply.Agent.Display(), line(got.Reply.Text))
	if len(got.Tasks) != 1 {
		return fmt.Errorf("the reply names tasks %v, want one", got.Tasks)
	}
	task := got.Tasks[0]
	victim, err := s.workerOf(ctx, string(task)+"/sasha")
	if err != nil {
		return err
	}
	s.kill(victim)
	killed := time.Now()
	logf("killed %s (-9), where Sasha was at work on %s", victim.name, task)
	// As restart: unless-stopped does.
	back, err := s.start(ctx, victim.place, victim.name)
	if err != nil {
		return err
	}
	delivered, err := awaitResult(ctx, me, task)
	if err != nil {
		return err
	}
	logf("%s: %q, %.1f s after the kill", delivered.Agent.Display(), line(delivered.Text), time.Since(killed).Seconds())
	if err := s.healthy(ctx, back.place); err != nil {
		return err
	}
	return s.once(ctx, me, task)
}

// again does what another "docker compose up -d" does: services that had ended run once
// more, and change nothing.
func (s *stack) again(ctx context.Context) error {
	for _, name := range s.project.ServiceNames() {
		if !s.ends(name) {
			continue
		}
		if err := s.run(ctx, s.place(s.project.Services[name], 0)); err != nil {
			return fmt.Errorf("once more: %w", err)
		}
	}
	return nil
}

func (s *stack) logIn(ctx context.Context) (*person, error) {
	cmd := s.cmd(ctx, s.process("errand-1").place, []string{"errand", "open"})
	out, err := cmd.Output()
	if err != nil {
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return nil, fmt.Errorf("errand open: %w\n%s", err, failed.Stderr)
		}
		return nil, err
	}
	me, err := s.browser()
	if err != nil {
		return nil, err
	}
	link, ok := strings.CutPrefix(strings.TrimSpace(string(out)), me.base+"/open#")
	if !ok {
		return nil, fmt.Errorf("errand open printed %q, want a link to %s", out, me.base)
	}
	if err := me.call(ctx, "POST", "/login/link", map[string]string{"link": link}, nil); err != nil {
		return nil, fmt.Errorf("open the link: %w", err)
	}
	var who struct{ ID, Role string }
	if err := me.call(ctx, "GET", "/api/me", nil, &who); err != nil {
		return nil, err
	}
	logf("errand open printed a link; the browser that opened it is %s (%s)", who.ID, who.Role)
	return me, nil
}

func (s *stack) webUI(ctx context.Context, me *person) error {
	stranger, err := s.browser()
	if err != nil {
		return err
	}
	at := "http://" + s.address("caddy", 0) + ":8233/"
	for _, who := range []struct {
		*person
		want int
	}{{me, http.StatusOK}, {stranger, http.StatusUnauthorized}} {
		req, err := http.NewRequestWithContext(ctx, "GET", at, nil)
		if err != nil {
			return err
		}
		resp, err := who.client.Do(req)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != who.want {
			return fmt.Errorf("ask for Temporal's Web UI: %s, want %d", resp.Status, who.want)
		}
	}
	logf("Temporal's Web UI is there for the owner, and for nobody else")
	return nil
}

// workerOf waits until a worker is at work on an activity of a workflow, and returns it.
func (s *stack) workerOf(ctx context.Context, workflow string) (*process, error) {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address("temporal", 0) + ":7233", Namespace: "errand", Logger: quiet{}})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for {
		described, err := c.DescribeWorkflowExecution(ctx, workflow, "")
		for _, activity := range described.GetPendingActivities() {
			// "host:pid:…"
			if parts := strings.Split(activity.GetLastWorkerIdentity(), ":"); len(parts) > 1 {
				pid, errPID := strconv.Atoi(parts[1])
				if p := s.byPID(pid); errPID == nil && p != nil {
					return p, nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("nobody is at work on %s: %w", workflow, errors.Join(err, ctx.Err()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *stack) byPID(pid int) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		if p.pid() == pid {
			return p
		}
	}
	return nil
}

// awaitResult waits for the reply that tells the result of a task.
func awaitResult(ctx context.Context, me *person, task core.TaskID) (core.Event, error) {
	for {
		found, err := results(ctx, me)
		if err == nil && len(found) > 0 {
			return found[0], nil
		}
		select {
		case <-ctx.Done():
			return core.Event{}, fmt.Errorf("the result of %s was not told: %w\n%s", task, errors.Join(err, ctx.Err()), chatLog(context.WithoutCancel(ctx), me))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func results(ctx context.Context, me *person) (list []core.Event, err error) {
	events, err := me.events(ctx, "main")
	for _, e := range events {
		if e.Type != core.EventTask && strings.Contains(e.Text, report) {
			list = append(list, e)
		}
	}
	return list, err
}

// once looks, when everybody has had the time to tell it again, whether the result was
// told once, and whether anything is open.
func (s *stack) once(ctx context.Context, me *person, task core.TaskID) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(3 * time.Second):
	}
	found, err := results(ctx, me)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("the result of %s was told %d times", task, len(found))
	}
	var t struct{ State core.TaskState }
	if err := me.call(ctx, "GET", "/api/tasks/"+string(task), nil, &t); err != nil {
		return err
	}
	if t.State != core.Completed {
		return fmt.Errorf("task %s is %s, want %s", task, t.State, core.Completed)
	}
	logf("told once; task %s is %s; both workers are healthy", task, t.State)
	return nil
}

func chatLog(ctx context.Context, me *person) string {
	events, err := me.events(ctx, "main")
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s %s %q\n", e.Created.Format(time.TimeOnly), e.Type, e.Agent, e.State, line(e.Text))
	}
	return b.String()
}

func line(text string) string {
	return core.Cut(strings.Join(strings.Fields(text), " "), 90)
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
