// Package acpclient runs coding agents: programs such as OpenCode or Claude Code that
// speak the Agent Client Protocol over their standard input and output. Each piece of work
// runs in its own process, in the folder that errand.yaml names.
//
// What such a program says is untrusted: errand limits and cleans it. errand does not see what
// the program does. The program can do anything that errand's operating system user can do.
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

	"errand/internal/core"
	"errand/internal/elect"
	"errand/internal/remote/stdio"
	"errand/internal/store"
)

// An Agent is a coding agent from the configuration.
type Agent struct {
	Name    core.AgentName
	Command []string
	Folder  string            // its working directory
	Env     map[string]string // added to the few variables that every program gets
	Secrets []string          // values that were filled into Env
}

// Options configure Agents.
type Options struct {
	Agents  []Agent
	Leases  elect.Leases // decide which worker holds a folder
	Worker  string       // the name of this process in leases
	Version string       // of errand
	Home    string       // HOME of the programs, for their logins
	Logger  *slog.Logger
	// Serve runs the work of an agent until ctx ends.
	Serve    func(ctx context.Context, agent core.AgentName)
	LeaseTTL time.Duration // default: 15 s
	Poll     time.Duration // how often a missing folder is looked for; default: 30 s
}

// Agents are the coding agents of a worker. They are safe for concurrent use.
type Agents struct {
	o     Options
	names []*name

	mu      sync.Mutex
	folders map[string]*folder // by real path
}

// ErrAway means that this worker does not hold the folder, or has lost it to another.
var ErrAway = errors.New("the folder is another worker's")

// ErrLost means that an agent could not load the session it was asked to continue.
var ErrLost = errors.New("the agent cannot take up its session")

// errEnding is ErrAway for a worker that is shutting down. It holds the folder until the
// program has ended.
var errEnding = fmt.Errorf("%w: this one ends", ErrAway)

// New returns the agents. It starts no program.
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

// Run takes work for the folders that this worker holds, until ctx ends. When it returns,
// no program of these agents is running.
func (all *Agents) Run(ctx context.Context) {
	// The causes distinguish a lost lease from the shutdown of this worker.
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

// await returns the real path once the folder exists. A folder on another machine never does.
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

// hold competes for the lease of the folder. Once it has it, it first ends programs that
// another worker left running there.
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

// take serves the agents of one name of the folder. A name that is a link has a lease of
// its own, because on another machine it may lead to another folder.
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

// confirm renews the lease in the store, because a worker that was frozen does not know
// that it has lost the folder.
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

func dutyOf(path string) core.Account { return store.Duty("folder:" + stdio.MarkOf(path)) }

func (all *Agents) find(agent core.AgentName) (Agent, *name, bool) {
	for _, n := range all.names {
		for _, a := range n.agents {
			if a.Name == agent {
				return a, n, true
			}
		}
	}
	return Agent{}, nil, false
}
