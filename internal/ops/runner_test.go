package ops_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

var (
	errForbidden = errors.New("forbidden")
	errFast      = errors.New("too fast")
	errChanged   = errors.New("rights changed")
	errInternal  = errors.New("internal error")
	errFault     = errors.New("the database is down")
)

type input struct {
	Wait time.Duration `wire:"-"`
}

var (
	call   = api.Op[input, string]{Name: "call", Needs: "a", Rate: api.RateMessage}
	wait   = api.Op[input, string]{Name: "wait", Needs: "a", Waits: true}
	follow = api.Stream[input, string]{Name: "follow", Needs: "a"}
)

func newRunner() *ops.Runner {
	return &ops.Runner{
		Check: func(by actor.Actor, _ api.Spec) error {
			if by.Role == core.Guest {
				return errForbidden
			}
			return nil
		},
		Count: func(by actor.Actor) error {
			if by.Person == "fast" {
				return errFast
			}
			return nil
		},
		IsRefusal: func(err error) bool { return !errors.Is(err, errFault) },
		Changed:   errChanged, Internal: errInternal, Log: slog.New(slog.DiscardHandler),
	}
}

// TestOrder proves that the runner checks rights, then the rate, and only then reads the input.
func TestOrder(t *testing.T) {
	r := newRunner()
	ops.Bind(r, call, func(ctx context.Context, by actor.Actor, _ input) (string, error) {
		acts, _ := actor.FromContext(ctx)
		ops.Stored(ctx)
		return "done by " + string(acts.Person), nil
	})
	for _, test := range []struct {
		by   actor.Actor
		want string
	}{
		{actor.Actor{Person: "fast", Role: core.Guest}, "forbidden"},
		{actor.Actor{Person: "fast", Role: core.Member}, "too fast"},
		{actor.Actor{Person: "fast", Role: core.Member, Counted: true}, "read, stored, done by fast"},
		{actor.Actor{Person: "ada", Role: core.Member}, "read, stored, done by ada"},
	} {
		var seen []string
		out, err := r.Run(t.Context(), call, ops.Call{By: test.by, Stored: func() { seen = append(seen, "stored") },
			Read: func(any) error { seen = append(seen, "read"); return nil }})
		if err != nil {
			out = err
		}
		require.Equal(t, test.want, strings.Join(append(seen, fmt.Sprint(out)), ", "))
	}
}

// TestPanic proves that a panic in reading an input or in a function is an internal error.
func TestPanic(t *testing.T) {
	r := newRunner()
	ops.Bind(r, call, func(context.Context, actor.Actor, input) (string, error) { panic("a bug") })
	_, err := ops.Do(t.Context(), r, call, actor.Actor{}, input{})
	require.Equal(t, errInternal, err)
	_, err = r.Run(t.Context(), call, ops.Call{Read: func(any) error { panic("a bug") }})
	require.Equal(t, errInternal, err)
}

// TestMissing proves that an operation without a function is named.
func TestMissing(t *testing.T) {
	r := newRunner()
	require.ErrorContains(t, r.Missing([]api.Any{call}), "operation call has no function")
	ops.Bind(r, call, func(context.Context, actor.Actor, input) (string, error) { return "", nil })
	require.NoError(t, r.Missing([]api.Any{call}))
}

// TestRightsChangeDuringAWait proves that an operation that has waited is refused if the caller's
// role, scope or login changed meanwhile, and that a fault of the check changes nothing.
func TestRightsChangeDuringAWait(t *testing.T) {
	by := actor.Actor{Person: "ada", Role: core.Partner}
	for name, test := range map[string]struct {
		wait  time.Duration
		again func() (actor.Actor, error)
		want  error
	}{
		"not waited":       {time.Millisecond, func() (actor.Actor, error) { return actor.Actor{}, errForbidden }, nil},
		"the same":         {time.Minute, func() (actor.Actor, error) { return by, nil }, nil},
		"the role changed": {time.Minute, func() (actor.Actor, error) { return actor.Actor{Person: "ada", Role: core.Member}, nil }, errChanged},
		"the scope":        {time.Minute, func() (actor.Actor, error) { return by.Scoped("read"), nil }, errChanged},
		"the login ended":  {time.Minute, func() (actor.Actor, error) { return actor.Actor{}, errForbidden }, errForbidden},
		"a fault":          {time.Minute, func() (actor.Actor, error) { return actor.Actor{}, errFault }, nil},
		"inside":           {time.Minute, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRunner()
				ops.Bind(r, wait, func(_ context.Context, _ actor.Actor, in input) (string, error) {
					time.Sleep(in.Wait) // of the test's clock
					return "done", nil
				})
				_, err := r.Run(t.Context(), wait, ops.Call{By: by, Again: test.again, Read: func(in any) error {
					in.(*input).Wait = test.wait
					return nil
				}})
				require.Equal(t, test.want, err)
			})
		})
	}
}

// written is a sink.
type written struct{ list []string }

func (w *written) Open()                { w.list = append(w.list, "open") }
func (w *written) Beat() error          { w.list = append(w.list, "beat"); return nil }
func (w *written) Send(event any) error { w.list = append(w.list, fmt.Sprint(event)); return nil }

// TestStream proves that a refusal comes before the stream opens; that a silent stream has
// heartbeats; and that it ends when rights change, but not by a fault of the check.
func TestStream(t *testing.T) {
	for name, test := range map[string]struct {
		refused error
		again   func(n int) (core.Role, error) // the role at the nth check
		want    string
	}{
		"refused":       {refused: errForbidden, want: ""},
		"open for 40 s": {again: func(int) (core.Role, error) { return core.Member, nil }, want: "open one beat beat two"},
		"a fault":       {again: func(int) (core.Role, error) { return "", errFault }, want: "open one beat beat two"},
		"rights changed": {again: func(n int) (core.Role, error) {
			if n > 1 {
				return core.Guest, nil
			}
			return core.Member, nil
		}, want: "open one beat"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, out, n := newRunner(), &written{}, 0
				ops.BindStream(r, follow, func(ctx context.Context, _ actor.Actor, _ input) (iter.Seq2[string, error], error) {
					return func(yield func(string, error) bool) {
						if !yield("one", nil) {
							return
						}
						select {
						case <-time.After(40 * time.Second):
						case <-ctx.Done():
							return
						}
						yield("two", nil)
					}, test.refused
				})
				_, err := r.Run(t.Context(), follow, ops.Call{By: actor.Actor{Role: core.Member}, Sink: out, Read: func(any) error { return nil },
					Again: func() (actor.Actor, error) {
						n++
						role, err := test.again(n)
						return actor.Actor{Role: role}, err
					}})
				if test.refused != nil {
					require.Equal(t, test.refused, err)
				} else {
					require.Equal(t, ops.ErrGone, err)
				}
				require.Equal(t, test.want, strings.Join(out.list, " "))
			})
		})
	}
}
