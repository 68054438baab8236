package activities

import (
	"context"
	"errors"
	"testing"

	"errand"
)

// TestLanes proves that an account sends so many at once and no more, that only so
// many wait for it, and that another account is not concerned.
func TestLanes(t *testing.T) {
	var all accountSemaphores
	busy := all.of(errand.Account{Channel: "telegram", Name: "busy"})
	var leave func()
	for range sendAtOnce {
		var err error
		if leave, err = busy.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	came := make(chan error)
	for range waitAtOnce {
		go func() { _, err := busy.acquire(ctx); came <- err }()
	}
	for len(busy.waiting) < waitAtOnce {
		select {
		case err := <-came:
			t.Fatalf("it did not wait: %v", err)
		default:
		}
	}
	if _, err := busy.acquire(ctx); !errors.Is(err, errCrowded) {
		t.Errorf("one more: %v", err)
	}
	if _, err := all.of(errand.Account{Channel: "telegram", Name: "other"}).acquire(ctx); err != nil {
		t.Errorf("another account: %v", err)
	}
	leave()
	if err := <-came; err != nil {
		t.Errorf("who waited: %v", err)
	}
	cancel()
	for range waitAtOnce - 1 {
		if err := <-came; !errors.Is(err, context.Canceled) {
			t.Errorf("who waited in vain: %v", err)
		}
	}
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
