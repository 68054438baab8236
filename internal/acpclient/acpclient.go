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
	"log/slog"
	"os"
	"sync"
	"time"

	"errand"
	"errand/internal/duty"
	"errand/internal/stdio"
	"errand/internal/store"
)

// An Agent is a coding agent, as it is configured.
type Agent struct {
	Name    errand.AgentName
	Command []string
	Folder  string            // in which it works
	Env     map[string]string // its variables, beside the few that it gets anyway
}

// Options are what Agents are made of.
type Options struct {
	Agents  []Agent
	Leases  duty.Leases // decide which worker has a folder
	Worker  string      // what this process is called in leases
	Version string      // of errand
	Home    string      // of the programs: where they keep their logins
	Logger  *slog.Logger
	// Serve takes the work of an agent until ctx ends.
	Serve    func(ctx context.Context, agent errand.AgentName)
	LeaseTTL time.Duration // default: 15 s
	Look     time.Duration // between looks for a folder that is not there; default: 30 s
}

// Agents are the coding agents of a worker. They are safe for concurrent use.
type Agents struct {
	o       Options
	folders map[string]*folder
}

// A folder is worked in by one program at a time, of the one worker that has its lease.
type folder struct {
	path   string
	agents []Agent
	free   chan struct{} // holds a token while nobody works in it

	mu   sync.Mutex
	held context.Context // while this worker has the lease; nil: it has not
}

// ErrAway says that the folder is not this worker's, or not any more: another has it, or
// will.
var ErrAway = errors.New("the folder is another worker's")

// ErrLost says that an agent does not take up the session that it was asked to.
var ErrLost = errors.New("the agent cannot take up its session")

// New makes the agents. None is started before it has work.
func New(o Options) *Agents {
	if o.LeaseTTL == 0 {
		o.LeaseTTL = 15 * time.Second
	}
	if o.Look == 0 {
		o.Look = 30 * time.Second
	}
	all := &Agents{o: o, folders: map[string]*folder{}}
	for _, a := range o.Agents {
		f := all.folders[a.Folder]
		if f == nil {
			f = &folder{path: a.Folder, free: make(chan struct{}, 1)}
			f.free <- struct{}{}
			all.folders[a.Folder] = f
		}
		f.agents = append(f.agents, a)
	}
	return all
}

// Run takes work for the folders that this worker has, until ctx ends. By then no program
// works in them any more.
func (all *Agents) Run(ctx context.Context) {
	var parts sync.WaitGroup
	for _, f := range all.folders {
		parts.Go(func() { all.hold(ctx, f) })
	}
	parts.Wait()
}

// hold competes for a folder as soon as it is there: one that is on another machine is that
// machine's.
func (all *Agents) hold(ctx context.Context, f *folder) {
	log := all.o.Logger.With("folder", f.path)
	for told := false; ; told = true {
		if info, err := os.Stat(f.path); err == nil && info.IsDir() {
			break
		}
		if !told {
			log.Warn("the folder of a coding agent is not on this machine; its work waits for a worker that has it")
		}
		timer := time.NewTimer(all.o.Look)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
	duty.Holder{Duty: store.Duty("folder:" + stdio.MarkOf(f.path)), Worker: all.o.Worker, Leases: all.o.Leases, TTL: all.o.LeaseTTL, Logger: log, Do: func(ctx context.Context) {
		f.setHeld(ctx)
		var serving sync.WaitGroup
		for _, a := range f.agents {
			serving.Go(func() { all.o.Serve(ctx, a.Name) })
		}
		<-ctx.Done()
		<-f.free // whoever works in it ends now
		f.free <- struct{}{}
		serving.Wait()
	}}.Run(ctx)
}

func (f *folder) setHeld(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = ctx
}

// enter waits until nobody works in the folder. The context that it returns ends with ctx, and with
// the lease; leave has the next one in.
func (f *folder) enter(ctx context.Context, waits func()) (inside context.Context, leave func(), err error) {
	select {
	case <-f.free:
	default:
		waits()
		select {
		case <-f.free:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
	f.mu.Lock()
	held := f.held
	f.mu.Unlock()
	if held == nil || held.Err() != nil {
		f.free <- struct{}{}
		return nil, nil, ErrAway
	}
	inside, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(held, func() { end(ErrAway) })
	return inside, func() {
		stop()
		end(nil)
		f.free <- struct{}{}
	}, nil
}

// find returns an agent and its folder.
func (all *Agents) find(name errand.AgentName) (Agent, *folder, bool) {
	for _, f := range all.folders {
		for _, a := range f.agents {
			if a.Name == name {
				return a, f, true
			}
		}
	}
	return Agent{}, nil, false
}
