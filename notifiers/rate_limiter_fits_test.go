package notifiers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"errand/notifiers"
)

// TestAhead proves that what has waited ahead does not wait again, once and for its
// chat only, that it is counted like any other, and that it is worth nothing in a
// pause.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, start := newLimiter(), time.Now()
		after := func(want time.Duration, what string) {
			t.Helper()
			if took := time.Since(start).Round(10 * time.Millisecond); took != want {
				t.Errorf("%s after %s, want %s", what, took, want)
			}
		}
		wait := func(ctx context.Context, chat string) {
			t.Helper()
			if err := p.Wait(ctx, chat); err != nil {
				t.Error(err)
			}
		}
		ahead := func(chat string) context.Context {
			t.Helper()
			ctx, err := p.Ahead(t.Context(), chat, 5*time.Second)
			if err != nil {
				t.Error(err)
			}
			return ctx
		}
		wait(t.Context(), "a")
		ctx := ahead("a")
		after(time.Second, "it may go")
		wait(ctx, "a")
		after(time.Second, "it goes")
		wait(ctx, "a")
		after(2*time.Second, "the next part goes")
		ctx = ahead("a")
		wait(ctx, "b")
		wait(ctx, "b")
		after(4040*time.Millisecond, "another chat has its own pace")
		p.Pause("a", 3*time.Second)
		wait(ctx, "a")
		after(7040*time.Millisecond, "it waits for the pause")
		p.Pause("a", 6*time.Second)
		_, err := p.Ahead(t.Context(), "a", 5*time.Second)
		var send *notifiers.SendError
		if !errors.As(err, &send) || send.Outcome != notifiers.NotSent || send.RetryAfter != 6*time.Second {
			t.Errorf("longer than it is waited: %v", err)
		}
		after(7040*time.Millisecond, "that is known at once,")
	})
}

// TestFits proves that a text that is begun is sent to its end in time, whatever
// was sent before it; that one that is not begun comes to be, in an attempt like
// this or in a longer one; and that asking uses up nothing.
func TestFits(t *testing.T) {
	const limit = 35 * time.Second
	for _, test := range []struct {
		name          string
		parts, before int
		pause         time.Duration
		others        int           // chats with much to say
		again         time.Duration // when it is to be tried again; 0: it is begun
	}{
		{name: "one message", parts: 1, pause: time.Hour},
		{name: "a few", parts: 5},
		{name: "as many as there is time for", parts: 25},
		{name: "the burst is used up", parts: 11, before: 40},
		{name: "the burst is used up, and there is more", parts: 15, before: 40, again: 11 * time.Second},
		{name: "just after another", parts: 12, before: 5},
		{name: "after a pause", parts: 10, pause: 24 * time.Second},
		{name: "after a longer pause", parts: 10, pause: 27 * time.Second, again: 2 * time.Second},
		{name: "among others", parts: 5, others: 100},
		{name: "among very many", parts: 10, others: 200, again: 46 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := notifiers.NewAccountLimiter(notifiers.AccountLimits{Platform: "the platform", Account: notifiers.RateLimit{Every: 40 * time.Millisecond},
					Chat: func(string) []notifiers.RateLimit {
						return []notifiers.RateLimit{{Every: time.Second}, {Every: 3 * time.Second, Burst: 20}}
					}})
				for range test.before {
					p.Wait(t.Context(), "a")
				}
				p.Pause("a", test.pause)
				busy, stop := context.WithCancel(t.Context())
				defer stop()
				for i := range test.others {
					go func() {
						for p.Wait(busy, fmt.Sprint("other ", i)) == nil {
						}
					}()
				}
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				err := p.Fits(ctx, "a", test.parts)
				var send *notifiers.SendError
				if test.again > 0 {
					if !errors.As(err, &send) || send.Outcome != notifiers.NotSent {
						t.Fatalf("it fails with %v", err)
					}
					if again := send.RetryAfter.Round(time.Second); again != test.again {
						t.Errorf("again after %s, want %s", again, test.again)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if test.parts == 1 { // whose Wait knows all there is to know
					return
				}
				for range test.parts {
					if err := p.Wait(ctx, "a"); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// TestFitsNowhere proves that what is too long for a short attempt is left to a
// longer one at once, and what is too long for any is begun by one.
func TestFitsNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newLimiter()
		for _, test := range []struct {
			limit time.Duration
			fits  bool
		}{{5 * time.Second, false}, {30 * time.Second, true}} {
			ctx, cancel := context.WithTimeout(t.Context(), test.limit)
			defer cancel()
			err := p.Fits(ctx, "a", 100)
			var send *notifiers.SendError
			if test.fits != (err == nil) || err != nil && (!errors.As(err, &send) || send.RetryAfter != 0) {
				t.Errorf("in %s: %v", test.limit, err)
			}
		}
		if !p.Try("a") {
			t.Error("asking has used something up")
		}
	})
}
