package service_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/probetest"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
)

// database is an empty one on PostgreSQL, for several workers.
func database(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ERRAND_TEST_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	return storetest.Schema(t, address)
}

func deafener(t testing.TB, h *house, address string) func() bool {
	t.Helper()
	admin, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	return func() bool {
		var ended int
		err := admin.QueryRowContext(t.Context(), `SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE $1`,
			"%"+strings.ReplaceAll(h.store.ID(), "-", "")+"%").Scan(&ended)
		if err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		return ended > 0
	}
}

// A reader is who follows a conversation: what it was told, and the text on its screen.
type reader struct {
	t    testing.TB
	mu   sync.Mutex
	ids  []int64
	text string // of the turn; what follows its end belongs to the next
	seen chan struct{}
}

// read follows a conversation at a worker, until the test ends.
func read(t testing.TB, at *house, person core.PersonID) *reader {
	r := &reader{t: t, seen: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done, began := make(chan error), make(chan struct{})
	go func() {
		in := api.EventsInput{ChatName: api.ChatName{Chat: "main"}, After: "0"}
		done <- servicetest.Stream(ctx, at.Runner, api.GetEvents, as(core.Role(person)), in, func() { close(began) }, r.add)
	}()
	<-began
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *reader) add(e core.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.ID > 0:
		r.ids = append(r.ids, e.ID)
	case e.Type == core.EventReset:
		r.text = ""
	case e.Type == core.EventDelta:
		r.text += e.Text
	}
	select {
	case r.seen <- struct{}{}:
	default:
	}
	return nil
}

// until waits for what it was told.
func (r *reader) until(what string, done func() bool) {
	r.t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		r.mu.Lock()
		ok := done()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-r.seen:
		case <-late.C:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.t.Fatalf("%s: it did not come to that; told %v and %d bytes of text, from %.40q on", what, r.ids, len(r.text), r.text)
		}
	}
}

func accept(t testing.TB, h *house, person core.PersonID, id string) int64 {
	t.Helper()
	if _, err := h.store.Accept(t.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: person, Role: core.Member, MessageID: id, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	last, err := h.store.LastEvents(t.Context(), chatOf(person), math.MaxInt64, 1)
	if err != nil || len(last) != 1 {
		t.Fatal(last, err)
	}
	return last[0].ID
}

// TestFollowsAnotherWorker proves that who follows a conversation at one worker is told
// all that another one does in it: pieces of text in order and whole, events in order and
// once; also when the connection between is lost in the middle, and, of events, when
// there never is one.
func TestFollowsAnotherWorker(t *testing.T) {
	for name, test := range map[string]struct {
		lost func(t testing.TB, h *house, address string) (back func()) // in the middle
		down bool
	}{
		"undisturbed": {lost: func(testing.TB, *house, string) func() { return func() {} }},
		"connection lost": {lost: func(t testing.TB, h *house, address string) func() {
			probetest.Eventually(t, "its connection is found", deafener(t, h, address))
			return func() {}
		}},
		"no connection": {down: true, lost: func(t testing.TB, h *house, address string) func() {
			ctx, cancel := context.WithCancel(t.Context())
			done, deafen := make(chan struct{}), deafener(t, h, address)
			go func() {
				defer close(done)
				for ctx.Err() == nil {
					deafen()
				}
			}()
			return func() { cancel(); <-done }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			address := database(t)
			here, there := newHouseOn(t, store.Options{PostgreSQL: address}, nil), newHouseOn(t, store.Options{PostgreSQL: address}, nil)
			const person = core.PersonID(core.Member)
			session := here.session(person)
			live := func() bool { return here.store.Bus().Live() && there.store.Bus().Live() }
			probetest.Eventually(t, "live", live)
			r := read(t, there, person)
			want := []int64{accept(t, here, person, "m1")}
			text := ""
			write := func(n int) {
				for range n {
					piece := fmt.Sprintf("%d, ", len(text))
					text += piece
					here.store.Bus().Publish(core.Event{Type: core.EventDelta, Key: chatOf(person), Session: session, Turn: 1, Text: piece})
				}
			}
			write(1000)
			r.until("the beginning", func() bool { return r.text == text && len(r.ids) == 1 })
			back := test.lost(t, there, address)
			probetest.Eventually(t, "lost", func() bool { return !test.down || !there.store.Bus().Live() })
			write(1000)
			want = append(want, accept(t, here, person, "m2"))
			if test.down {
				r.until("the event", func() bool { return len(r.ids) == 2 })
				back()
			}
			probetest.Eventually(t, "live again", live)
			write(1000)
			r.until("the whole text", func() bool { return r.text == text })
			key := core.StepKey{Owner: core.SessionOwner(session), Turn: 1, Step: 1}
			begun, err := here.store.BeginStep(t.Context(), store.BeginStep{Key: key, Session: chatOf(person), Rows: store.ClaimAll, Results: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := here.store.CommitStep(t.Context(), store.CommitStep{Step: begun, Text: text}); err != nil {
				t.Fatal(err)
			}
			last, err := there.store.LastEvents(t.Context(), chatOf(person), math.MaxInt64, 1)
			if err != nil || last[0].Type != core.EventReply || last[0].Text != text {
				t.Fatal(last, err)
			}
			want = append(want, last[0].ID)
			r.until("the reply", func() bool { return len(r.ids) == 3 })
			accept(t, here, person, "m3")
			r.until("what follows", func() bool { return len(r.ids) == 4 })
			if fmt.Sprint(r.ids[:3]) != fmt.Sprint(want) || r.text != text {
				t.Errorf("told %v, want %v; the text is the same: %v", r.ids, want, r.text == text)
			}
		})
	}
}

type traced struct {
	mu         sync.Mutex
	statements []string
}

func (t *traced) add(query string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.statements = append(t.statements, query)
}

func (t *traced) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.statements = nil
}

func (t *traced) list() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.statements)
}

// TestFollowersRest proves that who follows a conversation in which nothing happens costs
// no statement, whatever happens in others, here or at another worker.
func TestFollowersRest(t *testing.T) {
	on := map[string]func(t *testing.T) (works, follows store.Options){
		"SQLite": func(t *testing.T) (store.Options, store.Options) {
			return store.Options{}, store.Options{SQLite: storetest.File(t)}
		},
		"PostgreSQL": func(t *testing.T) (store.Options, store.Options) {
			address := database(t)
			return store.Options{PostgreSQL: address}, store.Options{PostgreSQL: address}
		},
	}
	for name, options := range on {
		t.Run(name, func(t *testing.T) {
			works, follows := options(t)
			var asked traced
			follows.Trace = asked.add
			there := newHouseOn(t, follows, nil)
			here := there
			if works.PostgreSQL != "" {
				here = newHouseOn(t, works, nil)
			}
			probetest.Eventually(t, "live", func() bool { return here.store.Bus().Live() && there.store.Bus().Live() })
			const idle, busy = core.PersonID(core.Member), core.PersonID(core.Guest)
			first := accept(t, here, idle, "m0")
			var pages []*reader
			for range 20 {
				pages = append(pages, read(t, there, idle))
			}
			for _, page := range pages {
				page.until("it has read", func() bool { return len(page.ids) == 1 && page.ids[0] == first })
			}
			other, cancel := there.store.Bus().Subscribe(chatOf(busy))
			defer cancel()
			told, cancelTold := here.store.Bus().Subscribe(chatOf(busy))
			defer cancelTold()
			// A worker answers another one's first word: that goes out before this does.
			pass := func(from *house, to <-chan core.Event, id int64) {
				from.store.Bus().Publish(core.Event{ID: id, Type: core.EventNotice, Key: chatOf(busy)})
				for e := range to {
					if e.ID == id {
						break
					}
				}
			}
			pass(here, other, first+1) // told gets this one too
			pass(there, told, first+2)
			const passed = 2
			asked.forget()
			for i := range int64(200) {
				here.store.Bus().Publish(core.Event{ID: first + passed + 1 + i, Type: core.EventNotice, Key: chatOf(busy)})
				for e := range other {
					if e.ID == first+passed+1+i {
						break
					}
				}
			}
			if list := asked.list(); len(list) > 0 {
				t.Errorf("while nothing happened: %q", list)
			}
			accept(t, here, idle, "m1")
			for _, page := range pages {
				page.until("it goes on", func() bool { return len(page.ids) == 2 })
			}
		})
	}
}

// BenchmarkAnotherWorker measures how long it takes from the commit at one worker until
// who follows at another one is told.
func BenchmarkAnotherWorker(b *testing.B) {
	address := database(b)
	here, there := newHouseOn(b, store.Options{PostgreSQL: address}, nil), newHouseOn(b, store.Options{PostgreSQL: address}, nil)
	const person = core.PersonID(core.Member)
	probetest.Eventually(b, "live", func() bool { return here.store.Bus().Live() && there.store.Bus().Live() })
	r := read(b, there, person)
	var took time.Duration
	for i := range b.N {
		if _, err := here.store.Accept(b.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: person, Role: core.Member, MessageID: fmt.Sprint(i), Text: "hello"}); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		r.until("told", func() bool { return len(r.ids) == i+1 })
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Microseconds())/float64(b.N)/1000, "ms/event")
}
