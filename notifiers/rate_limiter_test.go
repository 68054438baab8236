package notifiers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/notifiers"
)

// A record is what was let go, and when.
type record struct {
	mu   sync.Mutex
	sent []sent
}

type sent struct {
	chat string
	n    int
	at   time.Time
}

func (r *record) note(chat string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, sent{chat, n, time.Now()})
}

func newLimiter() *notifiers.AccountLimiter {
	return notifiers.NewAccountLimiter(notifiers.AccountLimits{Platform: "the platform", Account: notifiers.RateLimit{Every: 40 * time.Millisecond},
		Chat: func(string) []notifiers.RateLimit { return []notifiers.RateLimit{{Every: time.Second}} }})
}

// TestManyToMany proves that a thousand messages to two hundred chats go out at
// the permitted rate and no slower, in order in each chat, none lost, none twice,
// and that a chat that has much to say does not keep the others waiting.
func TestManyToMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r, start := newLimiter(), record{}, time.Now()
		var wg sync.WaitGroup
		for chat := range 200 {
			name := fmt.Sprint("chat ", chat)
			wg.Go(func() {
				for n := range 5 {
					if err := p.Wait(t.Context(), name); err != nil {
						t.Error(err)
					}
					r.note(name, n)
				}
			})
		}
		wg.Go(func() { // one that has all its messages there at once
			var loud sync.WaitGroup
			for range 20 {
				loud.Go(func() {
					if err := p.Wait(t.Context(), "loud"); err != nil {
						t.Error(err)
					}
					r.note("loud", 0)
				})
			}
			loud.Wait()
		})
		wg.Wait()
		if len(r.sent) != 1020 {
			t.Fatalf("%d messages went out", len(r.sent))
		}
		last := map[string]sent{}
		for i, s := range r.sent {
			if i > 0 && s.at.Sub(r.sent[i-1].at) < 40*time.Millisecond {
				t.Fatalf("message %d goes %s after the one before", i, s.at.Sub(r.sent[i-1].at))
			}
			before, seen := last[s.chat]
			switch {
			case !seen && s.at.Sub(start) > 201*41*time.Millisecond:
				t.Errorf("%s has its first message after %s", s.chat, s.at.Sub(start))
			case seen && s.at.Sub(before.at) < time.Second:
				t.Fatalf("%s has two messages within %s", s.chat, s.at.Sub(before.at))
			case seen && s.chat != "loud" && s.n != before.n+1:
				t.Fatalf("%s has message %d after %d", s.chat, s.n, before.n)
			}
			last[s.chat] = s
		}
		for name, s := range last {
			if took := s.at.Sub(start); name != "loud" && took > 1020*41*time.Millisecond {
				t.Fatalf("%s has its last message after %s", name, took)
			}
		}
	})
}

// TestPauses proves that what a platform asks to wait is waited for, by the chat
// it is about or by all of the account, also by those who were waiting already,
// and that no burst follows.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r, start := newLimiter(), record{}, time.Now()
		must := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		must(p.Wait(t.Context(), "a"))
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() { must(p.Wait(t.Context(), fmt.Sprint("waits ", i))); r.note("waits", i) })
		}
		wg.Go(func() { must(p.Wait(t.Context(), "a")); r.note("a", 0) })
		synctest.Wait()
		p.Pause("", 10*time.Second)
		p.Pause("a", 20*time.Second)
		p.Pause("a", time.Second) // a shorter one ends nothing
		if p.TryTyping("b") || p.Try("b") {
			t.Error("something may go in a pause")
		}
		wg.Wait()
		for i, s := range r.sent {
			want := start.Add(10*time.Second + time.Duration(i)*40*time.Millisecond)
			if s.chat == "a" {
				want = start.Add(20 * time.Second)
			}
			if early := want.Sub(s.at); early > 0 || early < -200*time.Millisecond {
				t.Errorf("%s goes after %s", s.chat, s.at.Sub(start))
			}
		}
	})
}

// TestPausedAtTheHead proves that a chat that is paused when its turn has come
// holds up no other.
func TestPausedAtTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newLimiter(), time.Now()
		p.Wait(t.Context(), "x") // the account is busy for 40 ms
		var wg sync.WaitGroup
		wg.Go(func() { p.Wait(t.Context(), "a") })
		synctest.Wait()
		wg.Go(func() {
			if err := p.Wait(t.Context(), "b"); err != nil || time.Since(start) > 200*time.Millisecond {
				t.Errorf("b goes after %s, %v", time.Since(start), err)
			}
		})
		synctest.Wait()
		p.Pause("a", time.Minute)
		wg.Wait()
		if took := time.Since(start); took < time.Minute {
			t.Errorf("a goes after %s", took)
		}
	})
}

// TestTooMany proves that a platform that does not say whose limit it was pauses
// the chat first, and the account when it says so of another chat too.
func TestTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newLimiter()
		p.TooMany("a", 5*time.Second)
		p.TooMany("a", 6*time.Second)
		if p.Try("a") || !p.Try("c") {
			t.Error("not just the chat pauses")
		}
		p.TooMany("b", 5*time.Second)
		time.Sleep(time.Second)
		if p.Try("c") {
			t.Error("the account does not pause")
		}
		time.Sleep(4 * time.Second)
		if !p.Try("c") {
			t.Error("the account pauses for too long")
		}
	})
}

// TestGivingUp proves that what would come too late is told so at once, with when
// to come again, and that whoever gives up has used nothing.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newLimiter(), time.Now()
		p.Wait(t.Context(), "a")
		p.Pause("a", 30*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := p.Wait(ctx, "a")
		var send *notifiers.SendError
		if !errors.As(err, &send) || send.Outcome != notifiers.NotSent || send.RetryAfter != 30*time.Second || time.Since(start) > 0 {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- p.Wait(ctx, "a") }()
		synctest.Wait()
		if p.Try("a") {
			t.Error("something went before what waits")
		}
		cancel()
		if err := <-done; !errors.As(err, &send) || send.Outcome != notifiers.NotSent {
			t.Error(err)
		}
		if err := p.Wait(t.Context(), "a"); err != nil || time.Since(start) != 30*time.Second {
			t.Errorf("the next goes after %s, %v", time.Since(start), err)
		}
	})
}

// TestIndicatorsComeLast proves that what is no message is not shown as often as one.
func TestIndicatorsComeLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, shown := newLimiter(), 0
		for range 1000 {
			if p.TryTyping("a") {
				shown++
			}
			time.Sleep(10 * time.Millisecond)
		}
		if shown < 80 || shown > 90 {
			t.Errorf("in 10 s it is shown %d times", shown)
		}
	})
}
