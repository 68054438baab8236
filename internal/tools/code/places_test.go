package code

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/tools"
)

// A pretended sandbox does what it is told to.
type pretended func(context.Context, job) (outcome, error)

func (f pretended) run(ctx context.Context, j job) (outcome, error) { return f(ctx, j) }

func pretend(f pretended) Found {
	return Found{Kind: Bubblewrap, Languages: []Language{Shell}, options: quick, engine: f}
}

// TestPlaces proves that a worker runs two programs at once, that the others wait and say
// so, and that one which is stopped meanwhile does not run.
func TestPlaces(t *testing.T) {
	running, end := make(chan struct{}, 10), make(chan struct{})
	r := newRig(t, pretend(func(context.Context, job) (outcome, error) {
		running <- struct{}{}
		<-end
		return outcome{kept: true}, nil
	}))
	shown := make(chan string, 20)
	call := func(ctx context.Context, ended chan<- error) {
		ctx = tools.WithProgress(ctx, func(text string) { shown <- text })
		_, err := r.tool.Run(ctx, r.call, []byte(`{"language": "shell", "code": ":"}`))
		ended <- err
	}
	ended := make(chan error, 5)
	for range 5 {
		go call(t.Context(), ended)
	}
	<-running
	<-running
	for range 3 {
		require.Equal(t, "doing.code_waits", <-shown)
	}
	require.Empty(t, running, "no more than two run")
	stopped := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go call(ctx, stopped)
	require.Equal(t, "doing.code_waits", <-shown)
	cancel()
	require.ErrorIs(t, <-stopped, context.Canceled)
	for range 3 {
		end <- struct{}{}
		<-running
		require.Equal(t, "doing.code", <-shown)
	}
	end <- struct{}{}
	end <- struct{}{}
	for range 5 {
		require.NoError(t, <-ended)
	}
	require.Empty(t, running, "the one that was stopped did not run")
	_, err := (places)(nil).take(t.Context(), time.Nanosecond)
	require.ErrorIs(t, err, errNoPlace, "nobody waits for ever")
}
