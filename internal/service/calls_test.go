package service_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// TestCancelCall proves that only its own person cancels a call, by its id.
func TestCancelCall(t *testing.T) {
	h := newHouse(t, nil)
	canceled := make(chan struct{}, 1)
	in := api.FollowCallInput{CallID: api.CallID{ID: "one 7"}, Canceled: func() { canceled <- struct{}{} }}
	forget, err := ops.Do(t.Context(), h.Runner, api.FollowCall, as(core.Member), in)
	require.NoError(t, err)
	defer forget()
	cancel := func(by actor.Actor, id string) {
		t.Helper()
		require.NoError(t, do(t.Context(), h, api.CancelCall, by, api.CallID{ID: id}))
	}
	cancel(as(core.Member), "one 8")
	cancel(as(core.Member), "two 7")
	cancel(as(core.Partner), "one 7")
	select {
	case <-canceled:
		t.Error("another call cancels it")
	default:
	}
	cancel(as(core.Member), "one 7")
	<-canceled
}
