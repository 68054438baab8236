// Package acpclient sends coding agents to work: programs such as OpenCode or Claude Code
// that speak the Agent Client Protocol over their standard input and output. Each piece of
// work is a process of its own, in the folder that errand.yaml names.
//
// What such a program says is a stranger's word: it is bounded and cleaned. What it does
// errand does not see: it can do what the user can that errand runs as.
package acpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"errand"
	"errand/internal/elect"
	"errand/internal/stdio"
	"errand/internal/store"
)

// An Agent is a coding agent, as it is configured.
type Agent struct {
	Name    errand.AgentName
	Command []string
	Folder  string            // in which it works
	Env     map[string]string // its variables, beside the few that it gets anyway
	Secrets []string          // that were filled into Env
}

// Options are what Agents are made of.
type Options struct {
	Agents  []Agent
	Leases  elect.Leases // decide which worker has a folder
	Worker  string       // what this process is called in leases
	Version string       // of errand
	Home    string       // of the programs: where they keep their logins
	Logger  *slog.Logger
	// Serve takes the work of an agent until ctx ends.
	Serve    func(ctx context.Context, agent errand.AgentName)
	LeaseTTL time.Duration // default: 15 s
	Poll     time.Duration // between looks for a folder that is not there; default: 30 s
}

// Agents are the coding agents of a worker. They are safe for concurrent use.
type Agents struct {
	o     Options
	names []*name

	mu      sync.Mutex
	folders map[string]*folder // by their own paths
}

// ErrAway says that the folder is not this worker's, or not any more: another has it, or
// will.
var ErrAway = errors.New("the folder is another worker's")

// ErrLost says that an agent does not take up the session that it was asked to.
var ErrLost = errors.New("the agent cannot take up its session")

// errEnding is ErrAway of a worker that ends: it has the folder until the program has ended.
var errEnding = fmt.Errorf("%w: this one ends", ErrAway)

// New makes the agents. None is started before it has work.
func New(o Options) *Agents {
	if o.LeaseTTL == 0 {
		o.LeaseTTL = 15 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 30 * time.Second
	}
	all := &Agents{o: o, folders: map[string]*folder{}}
	for _, a := range o.Agents {
		i := slices.IndexFunc(all.names, func(n *name) bool { return n.path == a.Folder })
		if i < 0 {
			i = len(all.names)
			all.names = append(all.names, &name{path: a.Folder})
		}
		all.names[i].agents = append(all.names[i].agents, a)
	}
	return all
}

// Run takes work for the folders that this worker has, until ctx ends. By then no program
// works in them any more.
func (all *Agents) Run(ctx context.Context) {
	// A lease that is lost, and the end of this worker, are told apart by their causes.
	running, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	var parts sync.WaitGroup
	for _, n := range all.names {
		parts.Go(func() {
			path, there := all.await(running, n.path)
			if !there {
				return
			}
			if f, first := all.join(path, n); first {
				all.hold(running, f)
			}
		})
	}
	parts.Wait()
}

// await returns where a path leads as soon as a folder is there: one that is on another
// machine is that machine's.
func (all *Agents) await(ctx context.Context, path string) (real string, there bool) {
	for warned := false; ; warned = true {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real, true
			}
		}
		if !warned {
			all.o.Logger.Warn("the folder of a coding agent is not on this machine; its work waits for a worker that has it", "folder", path)
		}
		timer := time.NewTimer(all.o.Poll)
		select {
		case <-ctx.Done():
			timer.Stop()
			return "", false
		case <-timer.C:
		}
	}
}

// join gives a folder another name; the first makes it.
func (all *Agents) join(path string, n *name) (f *folder, first bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	f = all.folders[path]
	if first = f == nil; first {
		f = &folder{path: path, joined: make(chan struct{})}
		all.folders[path] = f
	}
	f.join(n)
	return f, first
}

// hold competes for a folder. Whoever has it ends first what a worker that was killed, or
// that has lost it, has left at work there.
func (all *Agents) hold(ctx context.Context, f *folder) {
	all.elector(f.path, func(held context.Context) {
		stdio.EndMarked(f.mark())
		var parts sync.WaitGroup
		for known := 0; held.Err() == nil; {
			names, joined := f.known()
			for _, n := range names[known:] {
				parts.Go(func() { all.take(held, f, n) })
			}
			known = len(names)
			select {
			case <-held.Done():
			case <-joined:
			}
		}
		parts.Wait()
	}).Run(ctx)
}

// take takes the work of the agents of one name. On another machine that name may be of
// another folder: one worker has their work, and their sessions.
func (all *Agents) take(held context.Context, f *folder, n *name) {
	serve := func(held context.Context) {
		n.setHeld(held)
		var serving sync.WaitGroup
		for _, a := range n.agents {
			serving.Go(func() { all.o.Serve(held, a.Name) })
		}
		<-held.Done()
		f.awaitLeft(n)
		serving.Wait()
	}
	if n.path == f.path {
		serve(held)
		return
	}
	all.elector(n.path, serve).Run(held)
}

func (all *Agents) elector(path string, do func(context.Context)) *elect.Elector {
	return &elect.Elector{Leases: all.o.Leases, Of: dutyOf(path), Owner: all.o.Worker, TTL: all.o.LeaseTTL,
		Do: do, Logger: all.o.Logger.With("folder", path)}
}

// confirm fails with ErrAway where another worker has a folder: one that was frozen does not
// know it yet.
func (all *Agents) confirm(ctx context.Context, f *folder) error {
	lasts, err := all.o.Leases.Lease(ctx, dutyOf(f.path), all.o.Worker, all.o.LeaseTTL)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("ask who has the folder: %w", err)
	case lasts == 0:
		return ErrAway
	}
	return nil
}

func dutyOf(path string) errand.Account { return store.Duty("folder:" + stdio.MarkOf(path)) }

func (all *Agents) find(agent errand.AgentName) (Agent, *name, bool) {
	for _, n := range all.names {
		for _, a := range n.agents {
			if a.Name == agent {
				return a, n, true
			}
		}
	}
	return Agent{}, nil, false
}
