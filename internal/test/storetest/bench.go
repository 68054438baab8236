package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// Bench measures the store's part of a plain turn, in a session that is new and
// in one of a thousand turns.
func Bench(b *testing.B, open Opener) {
	for _, before := range []int{0, 1000} {
		b.Run(fmt.Sprintf("after %d turns", before), func(b *testing.B) {
			c := newChat(b, open, store.Options{})
			turn := 0
			run := func(measured func(func())) {
				turn++
				c.write("hello")
				measured(func() { c.commit(reply(c.begin(turn, 1), "hi")) })
			}
			for range before {
				run(func(f func()) { f() })
			}
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				run(func(f func()) {
					b.StartTimer()
					f()
				})
			}
		})
	}
}

// BenchConversations measures the same where many people write at once: one
// operation is one turn of any of them. What all of them had to write would be
// paid for here.
func BenchConversations(b *testing.B, open Opener) {
	const people = 32
	s := open(b, store.Options{})
	turns := make(chan int)
	var all sync.WaitGroup
	errs := make([]error, people)
	for i := range people {
		person := core.PersonID(fmt.Sprintf("p%d", i))
		_, err := s.EnsurePerson(b.Context(), person, string(person), core.Partner)
		require.NoError(b, err)
		key := core.NewSessionKey(core.WebRoute("main"), person)
		r, err := s.Rehydrate(b.Context(), key, "nikki")
		require.NoError(b, err)
		all.Go(func() {
			for turn := 1; ; turn++ {
				if _, more := <-turns; !more {
					return
				}
				if err := plainTurn(b.Context(), s, key, person, r.Session, turn); err != nil {
					errs[i] = err
				}
			}
		})
	}
	b.ResetTimer()
	for n := range b.N {
		turns <- n
	}
	close(turns)
	all.Wait()
	b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds(), "steps/s")
	for _, err := range errs {
		require.NoError(b, err)
	}
}

func plainTurn(ctx context.Context, s *store.Store, key core.SessionKey, person core.PersonID, session core.SessionID, turn int) error {
	_, err := s.Accept(ctx, store.InboxMessage{
		Route: core.WebRoute("main"), Person: person, Role: core.Partner, MessageID: fmt.Sprintf("%s-%d", person, turn), Text: "hello",
	})
	if err != nil {
		return err
	}
	begun, err := s.BeginStep(ctx, store.BeginStep{
		Key: core.StepKey{Owner: core.SessionOwner(session), Turn: turn, Step: 1}, Session: key,
		Rows: store.ClaimAll, Results: true, Window: 40,
	})
	if err != nil {
		return err
	}
	_, err = s.CommitStep(ctx, reply(begun, "hi"))
	return err
}
