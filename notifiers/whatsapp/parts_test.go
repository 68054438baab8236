package whatsapp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/whatsapp"
	"errand/notifiers/whatsapp"
)

// TestKilledInTheMiddle proves that after a crash a long text goes on where it was:
// only the part in doubt is sent again, under its id, and if all had arrived,
// nothing. Another account, or a text that is cut otherwise, begins anew.
func TestKilledInTheMiddle(t *testing.T) {
	text := strings.Repeat("a word\n\n", 20_000)
	for arrived := range 4 {
		t.Run(fmt.Sprint("after ", arrived), func(t *testing.T) {
			t.Parallel()
			kept := new(notifiertest.Parts)
			r := rigWith(t, whatsapp.Options{Timeout: time.Minute, Patience: 10 * time.Second, Rates: whatsapp.Rates{Chat: 1, All: 1}, Parts: kept}, time.Millisecond)
			ctx, killed := context.WithCancel(t.Context())
			defer killed()
			if arrived < 3 {
				r.account.Order(append(make([]platform.Fault, arrived), platform.Fault{Kind: platform.NoAck})...)
				go func() {
					defer killed()
					r.server.Wait(ctx, func() bool { return len(r.lines()) > arrived })
				}()
			}
			n := r.note("k", text)
			if _, err := r.Notify(ctx, n); (err == nil) != (arrived == 3) {
				t.Fatal(err)
			}
			receipt, err := r.Notify(t.Context(), kept.On(n))
			if err != nil || len(receipt.IDs) != 3 {
				t.Fatalf("%+v, %v", receipt, err)
			}
			r.until("all has arrived", func() bool { return len(r.lines()) == 3 && r.ana.Waiting() == 0 })
			for i, l := range r.lines() {
				if want := i == arrived; l.ID != receipt.IDs[i] || l.Repeated > 0 != want {
					t.Errorf("the part %d came %d times again", i, l.Repeated)
				}
			}
			for what, other := range map[string]*notifiertest.Parts{"sent by another account": {By: "finn", IDs: kept.IDs, Of: kept.Of}, "cut otherwise": {By: kept.By, IDs: kept.IDs, Of: 4}} {
				if again, err := r.Notify(t.Context(), other.On(n)); err != nil || !slices.Equal(again.IDs, receipt.IDs) {
					t.Errorf("%s: %+v, %v", what, again, err)
				}
			}
		})
	}
}

// TestPartsUnnoted proves that a long text is sent also when it cannot be noted how
// far it has come, and that the log says so.
func TestPartsUnnoted(t *testing.T) {
	log := new(strings.Builder)
	r := rigWith(t, whatsapp.Options{Rates: whatsapp.Rates{Chat: 1, All: 1}, Parts: &notifiertest.Parts{Err: errors.New("the disk is full")},
		Logger: slog.New(slog.NewTextHandler(log, nil))}, time.Millisecond)
	receipt, err := r.Notify(t.Context(), r.note("k", strings.Repeat("secret ", 10_000)))
	if err != nil || len(receipt.IDs) != 2 || strings.Count(log.String(), "the disk is full") != 2 || strings.Contains(log.String(), "secret") {
		t.Errorf("%+v, %v; log:\n%s", receipt, err, log)
	}
}
