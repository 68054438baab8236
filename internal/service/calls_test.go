package service_test

import (
	"testing"

	"errand"
)

// TestCancelCall proves that a call is canceled by its id, and by its own person alone.
func TestCancelCall(t *testing.T) {
	h := newHouse(t, nil)
	canceled := make(chan struct{}, 1)
	forget, err := h.FollowCall(as(errand.Member), "one 7", func() { canceled <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer forget()
	for _, id := range []string{"one 8", "two 7"} {
		if err := h.CancelCall(as(errand.Member), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.CancelCall(as(errand.Partner), "one 7"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-canceled:
		t.Error("another call cancels it")
	default:
	}
	if err := h.CancelCall(as(errand.Member), "one 7"); err != nil {
		t.Fatal(err)
	}
	<-canceled
}
