// Package ops runs the operations of package api. It checks rights, counts messages and turns
// panics into errors. It opens no transaction and repeats nothing.
package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"errand/api"
	"errand/internal/actor"
)

// ErrGone means that a stream was open and has ended, so that no error can be answered any more.
var ErrGone = errors.New("stream ended")

var errPanic = errors.New("internal error")

// A Runner runs operations. Make it before the doors, commands and tools that use it, and bind
// the operations last. It is safe for concurrent use once they are bound.
type Runner struct {
	// Check returns an error unless the actor may use an operation.
	Check func(by actor.Actor, s api.Spec) error
	// Count counts a message, and returns an error if the actor sends too many.
	Count func(by actor.Actor) error
	// IsRefusal reports whether an error is for the caller. Others are faults, such as a database
	// that cannot be reached.
	IsRefusal func(error) bool
	Changed   error         // returned when the caller's rights changed during a wait
	Internal  error         // returned instead of a panic; default: one without a text for people
	Beat      time.Duration // between heartbeats of a silent stream; default 15 s
	Log       *slog.Logger

	bound map[string]handler
}

// A Call is one run of an operation.
type Call struct {
	By    actor.Actor
	Read  func(in any) error          // fills the input; called after the checks
	Again func() (actor.Actor, error) // identifies the caller again; nil for callers inside the program
	// Stored is called by the function [Stored]; may be nil.
	Stored func()
	Sink   Sink // receives the events of a stream; nil for an [api.Op]
}

// A Sink writes a stream. After Open, no error can be answered any more.
type Sink interface {
	Open()
	Send(event any) error
	Beat() error
}

type handler func(ctx context.Context, s api.Spec, c Call) (any, error)

// recheckAfter is how long the rights of a waiting caller stay valid without a new check.
const recheckAfter = time.Second

// Bind connects an operation to its function.
func Bind[In, Out any](r *Runner, op api.Op[In, Out], do func(context.Context, actor.Actor, In) (Out, error)) {
	r.bind(op.Name, func(ctx context.Context, s api.Spec, c Call) (any, error) {
		in, err := read[In](&c)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		out, err := do(ctx, c.By, in)
		if err == nil && s.Waits && time.Since(began) > recheckAfter {
			err = r.Recheck(c)
		}
		return out, err
	})
}

// read reads the input of a call. A long wait must not keep the input in memory, so the call forgets
// how it was read.
func read[In any](c *Call) (in In, err error) {
	err = c.Read(&in)
	c.Read = nil
	return in, err
}

// BindStream connects a stream to its function. The caller gets an error of open as the answer. An
// error in the sequence ends the stream.
func BindStream[In, Event any](r *Runner, op api.Stream[In, Event], open func(context.Context, actor.Actor, In) (iter.Seq2[Event, error], error)) {
	r.bind(op.Name, func(ctx context.Context, s api.Spec, c Call) (any, error) {
		in, err := read[In](&c)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		events, err := open(ctx, c.By, in)
		if err != nil {
			return nil, err
		}
		c.Sink.Open()
		out := &stream{runner: r, call: c, checked: time.Now()}
		var beats sync.WaitGroup
		beats.Go(func() { out.beat(ctx, cancel, s) })
		defer beats.Wait()
		defer cancel()
		for e, err := range events {
			if err != nil {
				if ctx.Err() == nil {
					r.Log.Warn("stream ended by an error", "operation", s.Name, "error", err)
				}
				break
			}
			if !out.write(recheckAfter, func() error { return c.Sink.Send(e) }) {
				break
			}
		}
		return nil, ErrGone
	})
}

// A stream is an open [api.Stream]. One goroutine writes its events, another its heartbeats.
type stream struct {
	runner *Runner
	call   Call

	mu      sync.Mutex
	checked time.Time // when the caller's rights were last checked
}

// write calls write and reports whether the stream goes on. It first checks the rights again if the
// last check is older than after.
func (o *stream) write(after time.Duration, write func() error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.checked) >= after {
		o.checked = time.Now()
		if o.runner.Recheck(o.call) != nil {
			return false
		}
	}
	return write() == nil
}

func (o *stream) beat(ctx context.Context, cancel func(), s api.Spec) {
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			o.runner.logPanic(s, v)
		}
	}()
	every := o.runner.Beat
	if every == 0 {
		every = 15 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !o.write(0, o.call.Sink.Beat) {
				return
			}
		}
	}
}

func (r *Runner) bind(name string, h handler) {
	if r.bound == nil {
		r.bound = map[string]handler{}
	}
	r.bound[name] = h
}

// Missing returns an error if an operation has no function. The program must not start then.
func (r *Runner) Missing(all []api.Any) error {
	for _, op := range all {
		if r.bound[op.Spec().Name] == nil {
			return fmt.Errorf("operation %s has no function", op.Spec().Name)
		}
	}
	return nil
}

type storedKey struct{}

// Run runs an operation. The answer has the type that the operation declares.
func (r *Runner) Run(ctx context.Context, op api.Any, c Call) (out any, err error) {
	s := op.Spec()
	defer func() {
		if v := recover(); v != nil {
			r.logPanic(s, v)
			out, err = nil, cmp.Or(r.Internal, errPanic)
		}
	}()
	if err := r.Check(c.By, s); err != nil {
		return nil, err
	}
	if s.Rate == api.RateMessage && !c.By.Counted {
		if err := r.Count(c.By); err != nil {
			return nil, err
		}
	}
	ctx = context.WithValue(actor.NewContext(ctx, c.By), storedKey{}, c.Stored)
	return r.bound[s.Name](ctx, s, c)
}

// Stored releases the memory that is reserved for a large request body. A function calls it when it
// has stored the body and goes on to wait.
func Stored(ctx context.Context) {
	if stored, ok := ctx.Value(storedKey{}).(func()); ok && stored != nil {
		stored()
	}
}

func (r *Runner) logPanic(s api.Spec, v any) {
	r.Log.Error("panic in an operation", "operation", s.Name, "panic", v, "stack", string(debug.Stack()))
}

// Recheck returns an error if the caller's login ended or their rights changed. Checking Needs
// again is not enough, because a function may have checked more. A fault, such as an unreachable
// database, ends no wait and no stream.
func (r *Runner) Recheck(c Call) error {
	if c.Again == nil {
		return nil
	}
	now, err := c.Again()
	switch {
	case err != nil && !r.IsRefusal(err):
		return nil
	case err == nil && !now.Same(c.By):
		return r.Changed
	}
	return err
}

// Do runs an operation for a caller inside the program.
func Do[In, Out any](ctx context.Context, r *Runner, op api.Op[In, Out], by actor.Actor, in In) (out Out, err error) {
	got, err := r.Run(ctx, op, Call{By: by, Read: func(to any) error { *to.(*In) = in; return nil }})
	out, _ = got.(Out) // an error has none
	return out, err
}
