package background_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// model answers every call in one way.
type model struct {
	answer string
	fails  error
	hangs  bool // until nobody waits any more

	mu    sync.Mutex
	asked []llm.Request
}

func (m *model) Complete(ctx context.Context, r llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	m.mu.Unlock()
	if m.hangs {
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}
	return llm.Response{Text: m.answer, Usage: core.Usage{Model: "small", InputTokens: 80, OutputTokens: 4}}, m.fails
}

// TestNameChats proves what a chat is called by what a model answers, and that a model that
// fails is not asked for ever.
func TestNameChats(t *testing.T) {
	for _, test := range []struct {
		name, answer, title string
		fails               error
		calls               int
	}{
		{"a name", "Night trains to Oslo", "Night trains to Oslo", nil, 1},
		{"a name with what models put around it", "\n**\"Night trains to Oslo.\"**\nI hope that helps!", "Night trains to Oslo", nil, 1},
		{"what would break a line or a bracket", "Night\ttrains\u202e [admin]\x00", "Night trains (admin)", nil, 1},
		{"an essay", strings.Repeat("trains ", 100), strings.TrimSpace(core.Cut(strings.Repeat("trains ", 100), 60)), nil, 1},
		{"nothing", " \n", "which trains go?", nil, 3},
		{"an error", "", "which trains go?", errors.New("down"), 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			answered(t, s)
			m := &model{answer: test.answer, fails: test.fails}
			n := &background.ChatNamer{Store: s, Model: m, Key: "small", Logger: slog.New(slog.DiscardHandler)}
			for range 5 {
				if err := n.NameChats(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			chats, err := s.Chats(t.Context(), "ada", store.Page{})
			if err != nil || len(chats) != 1 || chats[0].Title != test.title || len(m.asked) != test.calls {
				t.Errorf("it is called %+v after %d calls, %v; want %q after %d", chats, len(m.asked), err, test.title, test.calls)
			}
			if r := m.asked[0]; r.Model != "small" || !r.Background || !strings.Contains(r.Messages[0].Text, "which trains go?") || !strings.Contains(r.Messages[0].Text, "two do") {
				t.Errorf("it is asked %+v", r)
			}
		})
	}
}

func answered(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	if _, err := s.EnsurePerson(ctx, "ada", "Ada", core.Member); err != nil {
		t.Fatal(err)
	}
	key := core.NewSessionKey(core.WebRoute("main"), "ada")
	re, err := s.Rehydrate(ctx, key, "nikki")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(ctx, store.InboxMessage{Route: core.WebRoute("main"), MessageID: "m-1", Person: "ada", Text: "which trains go?"}); err != nil {
		t.Fatal(err)
	}
	step := store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(re.Session), Turn: 1, Step: 1}, Session: key, Window: 10, Rows: store.ClaimAll}
	b, err := s.BeginStep(ctx, step)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CommitStep(ctx, store.CommitStep{Step: b, Text: "two do"}); err != nil {
		t.Fatal(err)
	}
}

// TestRun proves that chats are named at once and each minute, and that one that is asked
// for ends with the worker.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		answered(t, s)
		m := &model{hangs: true}
		n := &background.ChatNamer{Store: s, Model: m, Key: "small", Logger: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { n.Run(ctx) })
		for i, calls := range []int{1, 1, 2, 2, 3} {
			synctest.Wait()
			m.mu.Lock()
			asked := len(m.asked)
			m.mu.Unlock()
			if asked != calls {
				t.Errorf("after %d half minutes the model was asked %d times, want %d", i, asked, calls)
			}
			time.Sleep(30 * time.Second)
		}
		cancel()
		running.Wait()
	})
}
