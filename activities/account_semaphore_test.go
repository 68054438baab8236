package activities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"errand/internal/core"
)

// TestLanes proves that an account sends so many at once and no more, that only so
// many wait for it, and that another account is not concerned.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newAccountSemaphores()
		busy := core.Account{Channel: "telegram", Name: "busy"}
		var leave func()
		for range sendAtOnce {
			var err error
			if leave, err = all.acquire(t.Context(), busy); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		came := make(chan error, waitAtOnce)
		for range waitAtOnce {
			go func() { _, err := all.acquire(ctx, busy); came <- err }()
		}
		synctest.Wait()
		if len(came) > 0 {
			t.Fatalf("one did not wait: %v", <-came)
		}
		if _, err := all.acquire(ctx, busy); !errors.Is(err, errCrowded) {
			t.Errorf("one more: %v", err)
		}
		if _, err := all.acquire(ctx, core.Account{Channel: "telegram", Name: "other"}); err != nil {
			t.Errorf("another account: %v", err)
		}
		leave()
		if err := <-came; err != nil {
			t.Errorf("the one that waited: %v", err)
		}
		cancel()
		for range waitAtOnce - 1 {
			if err := <-came; !errors.Is(err, context.Canceled) {
				t.Errorf("one that waited in vain: %v", err)
			}
		}
	})
}

// TestSlots proves that however many accounts are down, with as many chats waiting
// for each as may, there is room to deliver what is for another.
func TestSlots(t *testing.T) {
	for _, accounts := range []int{0, 1, 7, 40} {
		free := DeliverySlots(accounts)
		for range accounts - 1 {
			free -= sendAtOnce + waitAtOnce
		}
		if free < sendAtOnce+waitAtOnce {
			t.Errorf("with %d accounts, %d slots are left for the last", accounts, free)
		}
	}
}
