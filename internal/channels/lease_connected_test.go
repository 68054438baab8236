package channels_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/channels"
	"errand/internal/core"
	"errand/internal/store"
)

type alone struct {
	mu    sync.Mutex
	state string
}

func (*alone) Lease(context.Context, core.Account, string, time.Duration) (time.Duration, error) {
	return time.Minute, nil
}

func (*alone) ReleaseLease(context.Context, core.Account, string) error { return nil }

func (a *alone) NoteConnection(_ context.Context, _ core.Account, _ string, n store.ConnectionNote) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = string(n.State) + n.Detail
	return true, nil
}

func (a *alone) knows() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// A script is a connection that is as it is told to be.
type script struct {
	states  <-chan channels.Status
	changed func(channels.Status)
}

func (s script) Run(ctx context.Context) error {
	for {
		select {
		case now := <-s.states:
			s.changed(now)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestHolderBack proves that each time a connection has come up somebody is told,
// after the store is, and again until they have done with it.
func TestHolderBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known, states := &alone{}, make(chan channels.Status)
		o := options(newLine(t), known, "a")
		o.Connect = func(changed func(channels.Status)) (channels.Connection, error) { return script{states, changed}, nil }
		var notices []string
		o.OnConnected = func(context.Context) error {
			notices = append(notices, known.knows())
			if len(notices) == 2 {
				return errors.New("not now")
			}
			return nil
		}
		_, stop := hold(t, o)
		at := time.Now()
		for _, s := range []channels.Status{
			{State: channels.Degraded, Since: at},
			{State: channels.Connected, Since: at.Add(1)},
			{State: channels.Connected, Since: at.Add(1), Detail: " as another"}, // it has been up
			{State: channels.Degraded, Since: at.Add(2)},
			{State: channels.Connected, Since: at.Add(3), Detail: " again"},
		} {
			states <- s
			time.Sleep(time.Minute) // in the bubble, where it takes no time
		}
		stop()
		if want := []string{"connected", "connected again", "connected again"}; !slices.Equal(notices, want) {
			t.Errorf("somebody was told while the store knew %q, want %q", notices, want)
		}
	})
}
