package storetest

import (
	"fmt"
	"testing"

	"errand/store"
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
				c.say("hello")
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
