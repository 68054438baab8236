package activities

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/sim/models"
)

func (k *thinker) thinksAt(p llm.Provider, s *models.Server) {
	k.t.Helper()
	p.BaseURL, p.Model, p.HTTPClient, p.APIKey = cmp.Or(p.BaseURL, llmtest.Address), "m1", llmtest.InProcess(s), "sk-sim-1"
	p.Price = &llm.Price{Input: 1000}
	client, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{p}}}})
	require.NoError(k.t, err)
	k.change(func(d *Deps) { d.Model = client })
}

func (k *thinker) interrupted(s *models.Server, before func()) {
	k.t.Helper()
	ctx, kill := context.WithCancel(k.t.Context())
	defer kill()
	done := make(chan error, 1)
	go func() {
		_, err := k.Think(ctx, k.step(1, 1))
		done <- err
	}()
	require.True(k.t, s.Await(time.Minute, func(c models.Counts) bool { return c.Pieces > 0 }))
	require.Eventually(k.t, func() bool {
		n, err := k.Store.PendingResponses(k.t.Context())
		return err == nil && n == 1
	}, time.Minute, time.Millisecond)
	before()
	kill()
	require.Error(k.t, <-done)
}

// TestAnAnswerIsFetchedByTheNextAttempt proves that a step whose worker went away in the
// middle of its model call is answered by that call, which is booked once.
func TestAnAnswerIsFetchedByTheNextAttempt(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	s := models.New(models.OpenAI)
	k.thinksAt(llm.Provider{API: llm.APIResponses, Background: true}, s)
	k.accept("say it slowly")
	k.interrupted(s, func() {})
	require.Zero(t, s.Counts().Cancelled)

	s.Release()
	out, err := k.Think(t.Context(), k.step(1, 1))
	require.NoError(t, err)
	require.True(t, out.Final)
	require.Equal(t, "Heard: say it slowly", k.last().Text)
	require.Equal(t, 1, s.Counts().Generations)
	spent, err := k.Store.Spent(t.Context(), store.SpentBy{Session: k.id})
	require.NoError(t, err)
	require.Equal(t, 1, spent.Calls)
	n, err := k.Store.PendingResponses(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestStopReachesTheProvider proves that an answer in the background ends at its provider
// when its turn is stopped, whether a worker listens to it or none does.
func TestStopReachesTheProvider(t *testing.T) {
	for _, listening := range []bool{true, false} {
		k := newThinker(t, core.MasterAdmin, store.Limits{})
		s := models.New(models.OpenAI)
		k.thinksAt(llm.Provider{API: llm.APIResponses, Background: true}, s)
		k.accept("say it slowly")
		stop := func() { // as /stop does: the rows first
			_, err := k.Store.StopTurn(t.Context(), k.key, "")
			require.NoError(t, err)
		}
		if listening {
			k.interrupted(s, stop)
		} else {
			k.interrupted(s, func() {})
			stop()
			_, err := k.CloseTurn(t.Context(), wire.CloseTurnInput{Store: k.Store.ID(), Key: k.key, Owner: core.SessionOwner(k.id), Turn: 1, Reason: wire.Stopped})
			require.NoError(t, err)
		}
		require.Equal(t, 1, s.Counts().Cancelled, "listening: %v", listening)
		list, err := k.Store.Abandoned(t.Context())
		require.NoError(t, err)
		require.Empty(t, list)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAStuckProviderHoldsNobodyUp proves that a provider that does not cancel an
// answer has two seconds at most to say so, and that the answer is not forgotten.
func TestAStuckProviderHoldsNobodyUp(t *testing.T) {
	require.LessOrEqual(t, abandonedTime, 2*time.Second)
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	s := models.New(models.OpenAI)
	type request struct{ came, end time.Time }
	asked := make(chan request, 100)
	client, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{BaseURL: llmtest.Address, Model: "m1", APIKey: "sk-sim-1", API: llm.APIResponses, Background: true,
		HTTPClient: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/cancel") {
				end, _ := r.Context().Deadline()
				asked <- request{time.Now(), end}
				return nil, io.ErrUnexpectedEOF
			}
			return llmtest.InProcess(s).Transport.RoundTrip(r)
		})}}}}}})
	require.NoError(t, err)
	k.change(func(d *Deps) { d.Model = client })
	k.accept("say it slowly")
	k.interrupted(s, func() {})
	_, err = k.Store.StopTurn(t.Context(), k.key, "")
	require.NoError(t, err)
	stopped, stop := context.WithCancel(t.Context())
	stop() // as the turn that is stopped
	began := time.Now()
	k.Thinker.responses.cancelAbandoned(stopped)
	for tries := 1; len(asked) == 0 && tries < 30; tries++ { // this machine stood still for two seconds
		k.Thinker.responses.cancelAbandoned(stopped)
	}
	require.Len(t, asked, 1)
	cancel := <-asked
	require.True(t, cancel.end.After(began))
	require.LessOrEqual(t, cancel.end.Sub(cancel.came), abandonedTime)
	list, err := k.Store.Abandoned(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1, "it is left to the next time")
}

// TestStateGoesThroughTheStore proves that what a provider hands out with the first step
// of a turn is in the request of the second.
func TestStateGoesThroughTheStore(t *testing.T) {
	for kind, p := range map[models.Kind]llm.Provider{
		models.OpenAI:   {API: llm.APIResponses},
		models.DeepSeek: {BaseURL: "https://api.deepseek.com/v1"},
		models.Gemini:   {BaseURL: "https://generativelanguage.googleapis.com/v1"},
	} {
		k := newThinker(t, core.MasterAdmin, store.Limits{})
		s := models.New(kind)
		k.thinksAt(p, s)
		k.accept("use call_agent") // without saying which: the model is told
		out, err := k.Think(t.Context(), k.step(1, 1))
		require.NoError(t, err)
		require.False(t, out.Final)
		out, err = k.Think(t.Context(), k.step(1, 2))
		require.NoError(t, err)
		require.True(t, out.Final)
		require.Equal(t, "Done in 2 steps.", k.last().Text)
		require.Equal(t, 1, s.Counts().GivenBack, kind)
		require.Empty(t, s.Refusals())
	}
}
