package llm_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

func TestTheNextProviderAnswers(t *testing.T) {
	for name, behave := range map[string]Behaviour{
		"429":    Status(429, "x", "slow down"),
		"500":    Status(500, "x", "boom"),
		"401":    Status(401, "x", "who are you"),
		"402":    Status(402, "x", "insufficient balance"),
		"404":    HTML(404),
		"cut":    Cut(TextEvent("half an ans")),
		"empty":  Empty(),
		"silent": Silence(),
		"credit": Status(429, "insufficient_quota", "quota"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, calls := handled("first", behave)
				second, _ := handled("second", Answer("from the second"))
				c := withDefaultTimes(t, first, second)
				for range 2 {
					got, err := c.Complete(t.Context(), hello(), nil)
					require.NoError(t, err)
					require.Equal(t, "from the second", got.Text)
					require.Equal(t, "second", got.Usage.Provider)
				}
				require.Equal(t, 1, *calls, "the second call must not pay for the dead provider again")
			})
		})
	}
}

// A connection that breaks before the headers is no answer of status 500, as it
// is in this process.
func TestTheNextProviderAnswersForOneThatHangsUp(t *testing.T) {
	c := client(t, provider("first", NewServer(t, Cut())), provider("second", NewServer(t, Answer("from the second"))))
	got, err := c.Complete(t.Context(), hello(), nil)
	require.NoError(t, err)
	require.Equal(t, "from the second", got.Text)
	require.Equal(t, "second", got.Usage.Provider)
}

func TestWhatTheNextWouldRefuseTooIsReturned(t *testing.T) {
	for name, behave := range map[string]Behaviour{
		"400":      Status(400, "x", "unknown parameter"),
		"overflow": Status(400, "context_length_exceeded", "too long"),
	} {
		t.Run(name, func(t *testing.T) {
			second := NewServer(t, Answer("hi"))
			c := client(t, provider("first", NewServer(t, behave)), provider("second", second))
			_, err := c.Complete(t.Context(), hello(), nil)
			require.Error(t, err)
			require.Empty(t, second.Bodies())
		})
	}
}

func TestStreamedTextIsReset(t *testing.T) {
	first, second := NewServer(t, Cut(TextEvent("half an ans"))), NewServer(t, Answer("whole"))
	var deltas []llm.Delta
	c := client(t, provider("first", first), provider("second", second))
	_, err := c.Complete(t.Context(), hello(), func(d llm.Delta) { deltas = append(deltas, d) })
	require.NoError(t, err)
	require.Equal(t, []llm.Delta{{Text: "half an ans"}, {Reset: true}, {Text: "whole"}}, deltas)
}

func TestTheErrorOfMany(t *testing.T) {
	tests := []struct {
		name   string
		first  Behaviour
		second Behaviour
		kind   llm.Kind
		from   string
		after  time.Duration
	}{
		{"the shortest wait", Status(429, "x", "", "Retry-After", "5"), Status(429, "x", "", "Retry-After", "60"), llm.RateLimited, "second", 5 * time.Second},
		{"no wait is the shortest", Status(429, "x", "", "Retry-After", "5"), Status(500, "x", "boom"), llm.Overloaded, "second", 0},
		{"a refusal does not hide what may work later", Status(429, "x", "", "Retry-After", "5"), Status(401, "x", ""), llm.RateLimited, "first", 5 * time.Second},
		{"both refuse", Status(404, "x", ""), Status(401, "x", ""), llm.Refused, "second", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, provider("first", NewServer(t, tt.first)), provider("second", NewServer(t, tt.second)))
			_, err := c.Complete(t.Context(), hello(), nil)
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.kind, e.Kind)
			require.Equal(t, tt.from, e.Provider)
			require.Equal(t, tt.after, e.RetryAfter)
		})
	}
}

// handled is a provider whose behaviours answer in this process, so that time
// can be faked.
func handled(name string, behaviours ...Behaviour) (llm.Provider, *int) {
	calls := new(int)
	return llm.Provider{Name: name, BaseURL: Address, Model: "m", HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		behave := behaviours[min(*calls, len(behaviours)-1)]
		*calls++
		behave(w, r)
	}))}, calls
}

func withDefaultTimes(t *testing.T, providers ...llm.Provider) *llm.Client {
	t.Helper()
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: providers}}})
	require.NoError(t, err)
	return c
}

func TestRetryAfterIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, calls := handled("only", Status(429, "x", "slow", "Retry-After", "30"), Answer("hi"))
		c := withDefaultTimes(t, p)
		_, err := c.Complete(t.Context(), hello(), nil)
		require.Error(t, err)
		time.Sleep(10 * time.Second)
		_, err = c.Complete(t.Context(), hello(), nil)
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, 20*time.Second, e.RetryAfter, "what is left of it")
		require.True(t, e.Retryable())
		require.Equal(t, 1, *calls, "it must not be called meanwhile")
		time.Sleep(20 * time.Second)
		_, err = c.Complete(t.Context(), hello(), nil)
		require.NoError(t, err)
	})
}

func TestAnErrorWithoutRetryAfterDoesNotCloseTheOnlyProvider(t *testing.T) {
	p, calls := handled("only", Status(500, "x", "boom"), Answer("hi"))
	c := withDefaultTimes(t, p)
	_, err := c.Complete(t.Context(), hello(), nil)
	require.Error(t, err)
	_, err = c.Complete(t.Context(), hello(), nil)
	require.NoError(t, err)
	require.Equal(t, 2, *calls)
}

func TestAProviderThatRecoversIsFirstAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, calls := handled("first", Status(500, "x", "boom"), Answer("from the first"))
		second, _ := handled("second", Answer("from the second"))
		c := withDefaultTimes(t, first, second)
		for range 3 {
			got, err := c.Complete(t.Context(), hello(), nil)
			require.NoError(t, err)
			require.Equal(t, "from the second", got.Text)
		}
		require.Equal(t, 1, *calls)
		time.Sleep(2 * time.Second)
		got, err := c.Complete(t.Context(), hello(), nil)
		require.NoError(t, err)
		require.Equal(t, "from the first", got.Text)
	})
}

// The defaults: ten minutes to the first token, a minute of silence; comments keep
// a stream alive that has begun.
func TestDefaultTimes(t *testing.T) {
	wait := func(r *http.Request, d time.Duration) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
	}
	tests := []struct {
		name   string
		behave Behaviour
		after  time.Duration // when it ends
		ok     bool
	}{
		{"nothing for an hour", func(w http.ResponseWriter, r *http.Request) { wait(r, time.Hour) }, 10 * time.Minute, false},
		{"just in time", func(w http.ResponseWriter, r *http.Request) {
			wait(r, 599*time.Second)
			Answer("hi")(w, r)
		}, 599 * time.Second, true},
		{"silence after a token", func(w http.ResponseWriter, r *http.Request) {
			wait(r, 30*time.Second)
			Silence(TextEvent("hi"))(w, r)
		}, 90 * time.Second, false},
		{"slow, but alive", func(w http.ResponseWriter, r *http.Request) {
			for range 5 {
				Events(TextEvent("hi"))(w, r)
				wait(r, 50*time.Second)
				w.Write([]byte(": still here\n\n"))
				w.(http.Flusher).Flush()
				wait(r, 50*time.Second)
			}
			Answer("done")(w, r)
		}, 500 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _ := handled("only", tt.behave)
				begin := time.Now()
				_, err := withDefaultTimes(t, p).Complete(t.Context(), hello(), nil)
				require.Equal(t, tt.ok, err == nil, "%v", err)
				require.Equal(t, tt.after, time.Since(begin))
			})
		})
	}
}
