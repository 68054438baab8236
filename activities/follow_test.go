package activities

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
)

// broken fails the first calls.
type broken struct {
	waker
	failures int
}

var errTemporalAway = errors.New("no answer from Temporal")

func (b *broken) StartTask(ctx context.Context, t core.Task, waited bool) error {
	if b.failures--; b.failures >= 0 {
		return errTemporalAway
	}
	return b.waker.StartTask(ctx, t, waited)
}

func (b *broken) TaskFinished(ctx context.Context, t core.Task) error {
	if b.failures--; b.failures >= 0 {
		return errTemporalAway
	}
	return b.waker.TaskFinished(ctx, t)
}

// TestFollow proves that a step starts the tasks it makes, and tells of the task it
// ends, until both have been done, and that another attempt calls no model.
func TestFollow(t *testing.T) {
	k := newThinker(t, core.Member, store.Limits{})
	sessions := &broken{failures: 1}
	k.change(func(d *Deps) { d.Sessions = sessions })
	k.accept("please")
	k.model.Then(llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`))
	_, err := k.Think(t.Context(), k.step(1, 1))
	require.ErrorContains(t, err, errTemporalAway.Error())
	require.Empty(t, sessions.started)
	out, err := k.Think(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	id := out.Calls[0].Task
	require.Equal(t, []string{string(id)}, sessions.started)

	report := wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(id, "sasha"), Turn: 1, Step: 1}, Results: true}
	sessions.failures = 1
	k.model.Then(llmtest.Text("two trains"))
	_, err = k.Think(t.Context(), report)
	require.ErrorContains(t, err, errTemporalAway.Error())
	task, err := k.Store.Task(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, core.Completed, task.State, "it has ended, whoever has heard of it")
	out, err = k.Think(t.Context(), report)
	require.NoError(t, err)
	require.Equal(t, core.Completed, out.Ended)
	require.Equal(t, []string{string(id)}, sessions.finished)

	// A task that has ended meanwhile is not started any more.
	out, err = k.Think(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	require.True(t, out.Calls[0].Ended)
	require.Len(t, sessions.started, 1)
}

// started records whether someone waits for each task that is started.
type started struct {
	waker
	waited []bool
}

func (s *started) StartTask(_ context.Context, _ core.Task, waited bool) error {
	s.waited = append(s.waited, waited)
	return nil
}

// TestWaitedDownTheChain proves that a person waits for a task only if they wait for the
// step that made it and that step waits for the task.
func TestWaitedDownTheChain(t *testing.T) {
	for _, test := range []struct {
		above bool
		tool  string
		want  bool
	}{
		{true, "call_agent", true}, {true, "call_agent_async", false}, {false, "call_agent", false},
	} {
		k := newThinker(t, core.Member, store.Limits{})
		sessions := &started{}
		k.change(func(d *Deps) { d.Sessions = sessions })
		k.accept("please")
		k.model.Then(llmtest.Call("c1", test.tool, `{"agent": "sasha", "task": "trains"}`))
		in := k.step(1, 1)
		in.Waited = test.above
		_, err := k.Think(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, []bool{test.want}, sessions.waited, "%+v", test)
	}
}
